#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (!leak.other_thread) continue;
    const LeakSite& site = leak.sites.front();
    Finding finding = leak_finding(leak, dg301_guard_on_another_thread,
                                   quoted(site.callee) + " runs with autograd on: " + quoted(leak.other_thread->text) +
                                       " holds on another thread");
    finding.related.push_back({Role::Guard, leak.other_thread->guard, "this guard holds on its own thread only"});
    finding.related.push_back({Role::Other, leak.other_thread->start,
                               leak.other_thread->handed_over ? "handed over here to code that is not in view"
                                                              : "another thread starts here"});
    out.push_back(std::move(finding));
  }
}

constinit const Rule dg301_guard_on_another_thread = {
    .id = "DG301",
    .name = "guard-on-another-thread",
    .summary = "a guard holds on one thread and the forward runs on another, with autograd on",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
