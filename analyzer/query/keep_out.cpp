// What needs autograd in a function, so that no guard may be put around it.
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Tri;
using engine::ValueNo;
using engine::View;

// Does a graph that is here reach backward, or callers that may call it?
bool QueryBuilder::graph_is_needed(FuncId f, ValueNo value) {
  return flow_.combine(f, flow_.trace(f, value), flow_.results_of(f)).tri != Tri::No;
}

// The forwards that are not reported, and the calls that may hand on the graph of one.
std::set<std::uint32_t> QueryBuilder::graphs_begun_in(FuncId f) {
  std::set<std::uint32_t> begun;
  for (const engine::Exposure& exposure : contexts_.exposures())
    if (exposure.function == f && exposure.mode == engine::Mode::On) begun.insert(exposure.event);
  for (const engine::CallSite& site : inference_.facts(f).calls)
    for (const engine::CallTarget& target : site.targets)
      if (contexts_.forwards_below(target.function) && flow_.returns_fresh_graph(target.function))
        begun.insert(site.event);
  std::erase_if(begun, [&](std::uint32_t event) { return believed_.contains({f, event}); });
  return begun;
}

const std::vector<ir::Span>& QueryBuilder::needs_autograd(FuncId f) {
  const auto [known, is_new] = needs_autograd_.try_emplace(f);
  if (!is_new) return known->second;
  const View view = engine::view_of(inference_, f);
  std::set<ir::Span> spans;
  for (const engine::CallSite& site : inference_.facts(f).calls)
    if (trains_at(site)) spans.insert(view.at(site.event).span);
  std::vector<ValueNo> work;
  std::set<ValueNo> seen;
  const auto visit = [&](ValueNo value) {
    if (seen.insert(value).second && graph_is_needed(f, value)) work.push_back(value);
  };
  for (const std::uint32_t event : graphs_begun_in(f)) visit(event);
  while (!work.empty()) {
    const ValueNo value = work.back();
    work.pop_back();
    if (value < view.size()) spans.insert(view.at(value).span);
    for (const auto& [reader, operand] : flow_.readers(f, value)) visit(reader);
  }
  return known->second = std::vector<ir::Span>(spans.begin(), spans.end());
}

}  // namespace deadgrad
