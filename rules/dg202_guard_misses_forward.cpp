#include "rules/rules.h"

#include <algorithm>

namespace deadgrad::rules {

static void add_sites(const Leak& leak, Finding& finding) {
  for (const LeakSite& site : leak.sites) {
    finding.related.push_back(
        {Role::Site, site.where,
         quoted(site.callee) + " in " + quoted(site.function) + " runs with autograd on as well"});
  }
}

static void check(const Query& query, std::vector<Finding>& out) {
  const std::size_t first = out.size();
  for (const Leak& leak : query.leaks()) {
    if (leak.growth != Growth::None || !leak.missed_guard) continue;
    const LeakSite& site = leak.sites.front();
    Finding finding =
        leak_finding(leak, dg202_guard_misses_forward,
                     "the guard covers no forward: " + quoted(site.callee) + " runs outside it with autograd on");
    // One guard that several functions do without is one cause.
    const auto known = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                    [&](const Finding& one) { return one.where == leak.missed_guard->where; });
    if (known != out.end()) {
      known->severity = std::max(known->severity, finding.severity);
      add_sites(leak, *known);
      continue;
    }
    // What is wrong is the guard, so the finding stands there; the forwards are its sites.
    finding.related.insert(finding.related.begin(),
                           {Role::Site, site.where, quoted(site.callee) + " runs here with autograd on"});
    finding.where = leak.missed_guard->where;
    if (leak.missed_guard->fix) finding.fix = leak.missed_guard->fix;
    finding.related.push_back({Role::Guard, leak.missed_guard->where, leak.missed_guard->text});
    out.push_back(std::move(finding));
  }
}

constinit const Rule dg202_guard_misses_forward = {
    .id = "DG202",
    .name = "guard-misses-forward",
    .summary = "the guard is there, but the forward runs before, after or outside it",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
