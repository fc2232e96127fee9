#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (leak.growth != Growth::Carried || leak.guard_is_lost()) continue;
    out.push_back(leak_finding(leak, dg102_graph_carried_across_steps,
                               "the loop feeds the result of " + quoted(leak.sites.front().callee) +
                                   " back into it with autograd on: the graph grows every step"));
  }
}

constinit const Rule dg102_graph_carried_across_steps = {
    .id = "DG102",
    .name = "graph-carried-across-steps",
    .summary = "a loop feeds its own output back with autograd on, so the graph grows with each step",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
