// Graphs that outlive the step which trained on them: a sum, list or meter that is only read for its numbers keeps
// them.
#include <algorithm>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Context;
using engine::ContextId;
using engine::Evidence;
using engine::kNoValue;
using engine::Trace;
using engine::Tri;
using engine::ValueNo;
using engine::View;
using ir::Op;

// Does some call in the loop train?
bool QueryBuilder::trains_in_loop(FuncId f, std::uint32_t loop) const {
  const engine::FunctionFacts& facts = inference_.facts(f);
  return std::ranges::any_of(facts.calls, [&](const engine::CallSite& site) {
    bool inside = false;
    for (std::uint32_t one = facts.ssa.loop_of[site.event]; one != kNoValue; one = facts.ssa.loop_of[one])
      inside |= one == loop;
    return inside && trains_at(site);
  });
}

// What the store, sum or append puts beside what is there already.
ValueNo QueryBuilder::added_at(FuncId f, std::uint32_t keeper) const {
  const View view = engine::view_of(inference_, f);
  ValueNo at = keeper;
  for (int depth = 0; depth < 4 && at < view.size(); ++depth) {
    const ir::Event& event = view.at(at);
    switch (event.op) {
      case Op::Store:
      case Op::Typed:
        at = view.operand(event, 0);
        break;
      case Op::StoreAttribute:
        at = view.operand(event, 1);
        break;
      case Op::StoreItem:
        at = view.operand(event, 2);
        break;
      case Op::Binary: {
        // `total + loss`: the other side is what was there before.
        const ValueNo left = view.operand(event, 0), right = view.operand(event, 1);
        const bool first =
            left < view.size() &&
            (view.at(left).op == Op::Load || view.at(left).op == Op::LoadAttribute || view.at(left).op == Op::LoadItem);
        return first ? right : kNoValue;
      }
      case Op::Append:
        return view.operand(event, 1);
      case Op::Call:
        return depth == 0 && event.operand_count == 2 ? view.operand(event, 1) : kNoValue;
      default:
        return at == keeper ? kNoValue : at;
    }
  }
  return kNoValue;
}

void QueryBuilder::add_kept(const Believed& forward, const engine::Growing& growing, Location loop,
                            std::map<Location, KeptGraph>& out) {
  const auto [f, event] = growing.via;
  if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) return;
  auto [at, added] = out.emplace(locate(f, event), KeptGraph{});
  if (!added) return;
  KeptGraph& kept = at->second;
  const View view = engine::view_of(inference_, forward.function);
  kept.where = at->first;
  kept.keeper = keeper_name(growing.at.function, growing.at.event);
  kept.kept_at = locate(growing.at.function, growing.at.event);
  kept.function = name_of(f);
  kept.sums = growing.sums;
  kept.loop = std::move(loop);
  kept.forward = locate(forward.function, forward.event);
  kept.callee = spell(forward.function, view.operand(view.at(forward.event), 0));
  const View here = engine::view_of(inference_, f);
  ValueNo value = growing.argument != kNoValue ? growing.argument : added_at(f, event);
  if (value < here.size() && here.at(value).op == Op::Keyword) value = here.operand(here.at(value), 0);
  if (value >= here.size() || here.at(value).op == Op::Star || here.at(value).op == Op::DoubleStar) return;
  FixRequest& fix = kept.fix.emplace();
  fix.kind = FixKind::DetachValue;
  fix.language = program_.module_of(f).language;
  fix.where = locate(f, value);
  fix.function = kept.function;
}

// Where the graph of one forward is kept on its path: by its own function, or by callers that get it.
void QueryBuilder::find_kept(engine::Flow& sure, const Believed& forward, std::map<Location, KeptGraph>& out) {
  FuncId f = forward.function;
  std::uint32_t start = forward.event;
  for (ContextId level = forward.context; level.valid(); level = contexts_.at(level).parent) {
    const Context& context = contexts_.at(level);
    if (engine::view_of(inference_, f).at(start).op != Op::Call) return;
    const engine::Ssa& ssa = inference_.facts(f).ssa;
    const Trace& trace = sure.trace(f, start, context.bindings);
    if (flow_.trace(f, start, context.bindings).raises || contexts_.mode_at(context, start) != engine::Mode::On) return;
    auto loop_around = [&](std::uint32_t event, ValueNo older) -> std::optional<std::uint32_t> {
      for (std::uint32_t loop = ssa.loop_of[event]; loop != kNoValue; loop = ssa.loop_of[loop])
        if (older < loop && trains_in_loop(f, loop)) return loop;
      return std::nullopt;
    };
    for (const engine::Accumulation& one : trace.accumulations) {
      if (trains_in_loop(f, one.loop) && flow_.anywhere(f, one.at).tri == Tri::No)
        add_kept(forward, {{}, {f, one.at}, {f, one.at}, kNoValue, one.sums}, locate(f, one.loop), out);
    }
    for (const engine::Kept& kept : trace.kept) {
      if (kept.write.replaces || kept.container == kNoValue) continue;
      const auto loop = loop_around(kept.event, kept.container);
      if (loop && flow_.anywhere(f, kept.container).tri == Tri::No)
        add_kept(forward, {{}, {f, kept.event}, {f, kept.event}, kNoValue, kept.write.sums}, locate(f, *loop), out);
    }
    for (const engine::Growing& one : trace.growing) {
      const auto loop = loop_around(start, 0);
      if (loop && flow_.of_cell(one.cell).tri == Tri::No) add_kept(forward, one, locate(f, *loop), out);
    }
    if (!trace.returned || !context.parent.valid()) return;
    f = contexts_.at(context.parent).function;
    start = context.call_event;
  }
}

void QueryBuilder::find_kept_graphs(const SiteMap& by_site, Query& query) {
  std::map<Location, KeptGraph> found;
  std::optional<engine::Flow> sure;
  for (const auto& [key, exposures] : by_site) {
    const auto [f, event] = key;
    const engine::CallSite* site = inference_.facts(f).call_at(event);
    if (site == nullptr || site->runs_module <= Evidence::Name) continue;
    const Verdict verdict = judge(f, event, exposures).verdict;
    if (verdict != Verdict::Trains && verdict != Verdict::TrainsForSome) continue;
    for (const engine::Exposure* exposure : exposures) {
      if (exposure->mode != engine::Mode::On || exposure->fate.tri != Tri::Yes) continue;
      if (contexts_.at(exposure->context).from_tests && !options_.include_tests) continue;
      if (!sure) sure.emplace(inference_, modes_, engine::Flow::Reaches::Surely);
      find_kept(*sure, {f, event, exposure->context, true}, found);
    }
  }
  for (auto& [where, kept] : found) query.kept_graphs_.push_back(std::move(kept));
}

}  // namespace deadgrad
