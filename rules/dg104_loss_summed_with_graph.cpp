#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const Leak& leak : query.leaks()) {
    if (leak.growth != Growth::Summed || leak.guard_is_lost()) continue;
    const LeakSite& site = leak.sites.front();
    out.push_back(
        leak_finding(leak, dg104_loss_summed_with_graph,
                     "a running sum over the results of " + quoted(site.callee) + " keeps the graph of every step"));
  }
  for (const KeptGraph& kept : query.kept_graphs()) {
    if (!kept.sums) continue;
    const std::string keeper = kept.keeper.empty() ? "a running sum" : quoted(kept.keeper);
    out.push_back(kept_finding(kept, dg104_loss_summed_with_graph,
                               keeper + " keeps the graph of every step: what is added is not detached"));
  }
}

constinit const Rule dg104_loss_summed_with_graph = {
    .id = "DG104",
    .name = "loss-summed-with-graph",
    .summary = "a running sum keeps each step's graph alive because nothing detaches what is added",
    .since = "0.1",
    .probe_can_confirm = true,
    .check = check,
};

}  // namespace deadgrad::rules
