#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (leak.growth != Growth::Kept || leak.guard_is_lost()) continue;
    const LeakSite& site = leak.sites.front();
    const std::string keeper = site.keeper_name.empty() ? "a container" : quoted(site.keeper_name);
    out.push_back(
        leak_finding(leak, dg103_graph_kept_across_iterations,
                     keeper + " keeps the result of " + quoted(site.callee) + " of every iteration with its graph"));
  }
  for (const KeptGraph& kept : query.kept_graphs()) {
    if (kept.sums) continue;
    const std::string keeper = kept.keeper.empty() ? "a container" : quoted(kept.keeper);
    out.push_back(kept_finding(kept, dg103_graph_kept_across_iterations,
                               keeper + " keeps the graph of every step: what is stored is not detached"));
  }
}

constinit const Rule dg103_graph_kept_across_iterations = {
    .id = "DG103",
    .name = "graph-kept-across-iterations",
    .summary = "results are stored with their graphs and never reach backward, so every iteration's activations stay",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
