#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (leak.growth != Growth::None || leak.missed_guard || leak.guard_is_lost()) continue;
    const LeakSite& site = leak.sites.front();
    std::string message = quoted(site.callee) + " runs with autograd on and nothing calls backward on its result";
    if (site.after_eval) message += "; `eval()` is no guard";
    out.push_back(leak_finding(leak, dg101_unguarded_forward, std::move(message)));
  }
}

constinit const Rule dg101_unguarded_forward = {
    .id = "DG101",
    .name = "unguarded-forward",
    .summary = "a forward pass keeps its activations although no backward follows",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
