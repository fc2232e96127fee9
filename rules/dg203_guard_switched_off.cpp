#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (!leak.switched_on) continue;
    const LeakSite& site = leak.sites.front();
    Finding finding = leak_finding(leak, dg203_guard_switched_off,
                                   quoted(leak.switched_on->text) + " turns autograd on again under " +
                                       quoted(leak.switched_on->guard_text) +
                                       ", and nothing calls backward on the result of " + quoted(site.callee));
    // What is wrong is the switch, so the finding stands there; the forwards are its sites.
    finding.related.insert(finding.related.begin(),
                           {Role::Site, site.where, quoted(site.callee) + " runs here with autograd on"});
    finding.where = leak.switched_on->where;
    finding.fix = leak.switched_on->fix;
    finding.related.push_back({Role::Guard, leak.switched_on->guard, "under this guard"});
    out.push_back(std::move(finding));
  }
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::SwitchedOnInside) continue;
    out.push_back(issue_finding(issue, dg203_guard_switched_off, Severity::Warning,
                                quoted(issue.guard) + " turns autograd on again for " + quoted(issue.callee) +
                                    " inside the module, though its caller is guarded"));
  }
}

constinit const Rule dg203_guard_switched_off = {
    .id = "DG203",
    .name = "guard-switched-off",
    .summary = "autograd is turned on again under a guard, around a forward whose graph nobody needs",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
