// How memory grows by a forward whose graph nobody needs.
#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Atom;
using engine::AtomKind;
using engine::CellKey;
using engine::CellKind;
using engine::Context;
using engine::ContextId;
using engine::EntryKind;
using engine::Evidence;
using engine::Exposure;
using engine::kNoValue;
using engine::Mode;
using engine::Trace;
using engine::Tri;
using engine::ValueNo;
using engine::View;
using ir::Op;

// `for layer in layers: h = layer(h)`: each turn runs another module, a stack of layers and no step of a process.
bool QueryBuilder::is_layer_of(FuncId f, std::uint32_t event, std::uint32_t loop) const {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  ValueNo at = view.operand(view.at(event), 0);
  for (int depth = 0; depth < 12 && at != kNoValue && !ssa.is_phi(at); ++depth) {
    const ir::Event& one = view.at(at);
    switch (one.op) {
      case Op::Load:
        at = ssa.definition[at];
        break;
      case Op::Store:
      case Op::Unpack:
      case Op::Typed:
        at = view.operand(one, 0);
        break;
      case Op::LoadItem: {
        // `layers[i]`: another one each turn if the index changes with the loop.
        ValueNo index = view.operand(one, 1);
        while (index != kNoValue && !ssa.is_phi(index) &&
               (view.at(index).op == Op::Load || view.at(index).op == Op::Store || view.at(index).op == Op::Unpack)) {
          index = view.at(index).op == Op::Load ? ssa.definition[index] : view.operand(view.at(index), 0);
        }
        if (index != kNoValue && (ssa.is_phi(index) || view.at(index).op == Op::Iterate)) return true;
        at = view.operand(one, 0);
        break;
      }
      case Op::Iterate:
        return ssa.loop_of[at] == loop;
      default:
        return false;
    }
  }
  return false;
}

// Every argument is a tensor made from constants (`torch.randn(1, 3, 224, 224)`): the author tries the module out.
bool QueryBuilder::is_trial(FuncId f, std::uint32_t event) const {
  const View view = engine::view_of(inference_, f);
  const engine::FunctionFacts& facts = inference_.facts(f);
  const ir::Event& call = view.at(event);
  for (std::size_t k = 1; k < call.operand_count; ++k) {
    ValueNo at = view.operand(call, k);
    for (int depth = 0; depth < 16 && at != kNoValue; ++depth) {
      if (facts.ssa.is_phi(at)) return false;
      const ir::Event& one = view.at(at);
      if (one.op == Op::Load) {
        at = facts.ssa.definition[at];
      } else if (one.op == Op::Store || one.op == Op::Keyword) {
        at = view.operand(one, 0);
      } else if (one.op == Op::Call) {
        const ValueNo callee = view.operand(one, 0);
        if (callee == kNoValue || callee >= view.size()) return false;
        const engine::CallSite* site = facts.call_at(at);
        if (site == nullptr || !site->targets.empty() || site->unresolved) return false;
        if (view.at(callee).op == Op::LoadAttribute && !is_library(f, view.operand(view.at(callee), 0))) {
          at = view.operand(view.at(callee), 0);  // `.cuda()`, `.to(device)`
          continue;
        }
        // Variable(x): look at what is wrapped; randn(1, 3): done.
        bool constants = true;
        ValueNo inner = kNoValue;
        for (std::size_t a = 1; a < one.operand_count; ++a) {
          const ValueNo argument = view.operand(one, a);
          if (argument != kNoValue && view.at(argument).op == Op::Call) inner = argument;
          if (argument != kNoValue && view.at(argument).op == Op::Load)
            constants = constants && inference_.only_data(inference_.expand(inference_.value_of(f, argument), f));
        }
        if (inner != kNoValue) {
          at = inner;
          continue;
        }
        if (!constants || one.operand_count < 2) return false;
        break;
      } else if (one.op == Op::Const) {
        break;
      } else {
        return false;
      }
      if (depth == 15) return false;
    }
    if (at == kNoValue) return false;
  }
  return call.operand_count > 1;
}

bool QueryBuilder::is_library(FuncId f, ValueNo value) const {
  for (Atom atom : inference_.atoms(inference_.value_of(f, value)))
    if (atom.kind() == AtomKind::Api) return true;
  return false;
}

// Does a function that carries a value through `loop` return that value itself? A loss computed from it is another
// matter: its unseen caller may well train.
bool QueryBuilder::returns_carried(FuncId f, std::uint32_t start, std::uint32_t loop) {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  auto [returns, added] = returns_.emplace(f, std::vector<std::uint32_t>());
  for (std::uint32_t e = 0; added && e < view.size(); ++e)
    if (view.at(e).op == Op::Return && view.at(e).operand_count != 0) returns->second.push_back(e);
  bool carried = false;
  for (const std::uint32_t e : returns->second) {
    std::vector<ValueNo> work{view.operand(view.at(e), 0)};
    std::set<ValueNo> seen;
    while (!work.empty() && seen.size() < 64) {
      const ValueNo at = work.back();
      work.pop_back();
      if (at == kNoValue || !seen.insert(at).second) continue;
      if (at == start) carried = true;
      if (ssa.is_phi(at)) {
        const engine::Phi& phi = ssa.phi(at);
        if (phi.loop && phi.bracket == loop) carried = true;
        for (std::uint32_t o = 0; o < phi.count; ++o) work.push_back(ssa.phi_operands[phi.first + o]);
        continue;
      }
      const ir::Event& one = view.at(at);
      if (one.op == Op::Load) work.push_back(ssa.definition[at]);
      if (one.op == Op::Store || one.op == Op::Typed) work.push_back(view.operand(one, 0));
      if (one.op == Op::MakeTuple || one.op == Op::MakeList) {
        for (std::size_t k = 0; k < one.operand_count; ++k) work.push_back(view.operand(one, k));
      }
      // Indexing, reshaping, clamping: still the value. Its arguments are not.
      if (one.op == Op::LoadItem) work.push_back(view.operand(one, 0));
      if (one.op == Op::Call) {
        const ValueNo callee = view.operand(one, 0);
        if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute)
          work.push_back(view.operand(view.at(callee), 0));
      }
    }
  }
  return returns->second.empty() || carried;
}

QueryBuilder::GrowthFacts QueryBuilder::growth_of(FuncId f, std::uint32_t event, ContextId id) {
  GrowthFacts facts;
  bool reaches_result = true;  // so far the graph reaches each function's result
  const Trace& inner = flow_.trace(f, event, contexts_.at(id).bindings);
  bool handler = false;
  FuncId at = f;
  std::uint32_t start = event;
  for (ContextId level = id; level.valid(); level = contexts_.at(level).parent) {
    const Context& context = contexts_.at(level);
    const View view = engine::view_of(inference_, at);
    const engine::Ssa& ssa = inference_.facts(at).ssa;
    const Trace& trace = flow_.trace(at, start, context.bindings);
    handler |= context.entry == EntryKind::Handler;
    if (view.at(start).op != Op::Call) break;
    const std::uint32_t loop = ssa.loop_of[start];
    if (reaches_result) {
      if (trace.carried_loop != ~0u && !is_layer_of(at, start, trace.carried_loop)) {
        facts.growth = Growth::Carried;
        facts.function = at;
        facts.loop = trace.carried_loop;
        facts.result_is_carried = returns_carried(at, start, trace.carried_loop);
        return facts;
      }
      if (!trace.accumulations.empty()) {
        const engine::Accumulation& first = trace.accumulations.front();
        return {first.sums ? Growth::Summed : Growth::Kept, at, first.loop, at, first.at, true};
      }
      for (const engine::Kept& kept : trace.kept) {
        if (kept.write.replaces) continue;
        // Only a container that outlives the turn in which the value is made.
        // The loop that makes it grow is around the call as well as around the store.
        std::uint32_t around = ssa.loop_of[kept.event];
        while (around != kNoValue) {
          bool shared = false;
          for (std::uint32_t one = loop; one != kNoValue; one = ssa.loop_of[one]) shared |= one == around;
          if (shared) break;
          around = ssa.loop_of[around];
        }
        const bool local = kept.container != kNoValue;
        if (local && (around == kNoValue || kept.container >= around)) continue;
        if (!local && kept.parameter < 0 && loop == kNoValue && level == id)
          continue;  // told below, once a loop is found
        if (!local && kept.parameter >= 0) continue;
        if (!local && loop == kNoValue) continue;
        const Growth how = kept.write.sums ? Growth::Summed : Growth::Kept;
        facts = {how, at, around != kNoValue ? around : loop, at, kept.event, true};
        return facts;
      }
      if (loop != kNoValue && !trace.growing.empty()) {
        const engine::Growing& first = trace.growing.front();
        return {first.sums ? Growth::Summed : Growth::Kept, at, loop, first.at.function, first.at.event, true};
      }
      reaches_result = trace.returned;
    }
    // A loop around the call of the function that stores its result somewhere lasting.
    if (loop != kNoValue && level != id) {
      if (inner.carried_by_place || flow_.comes_back(at, inner.cells, start))
        return {Growth::Carried, at, loop, {}, ~0u, true};
      for (const engine::Kept& kept : inner.kept) {
        if (kept.write.replaces || kept.container != kNoValue) continue;
        if (kept.parameter >= 0) {
          // Put into the caller's container: it must be older than the loop.
          bool older = true;
          for (const engine::Flow::Caller& caller : flow_.callers(f)) {
            if (!(caller.function == at) || caller.event != start) continue;
            const ValueNo holder =
                flow_.argument_for(at, start, caller.target, static_cast<std::uint32_t>(kept.parameter));
            for (const engine::Flow::Root& root : flow_.roots(at, holder))
              older &= root.local == kNoValue || root.local < loop;
          }
          if (!older) continue;
        }
        return {kept.write.sums ? Growth::Summed : Growth::Kept, at, loop, f, kept.event, true};
      }
    }
    if (!context.parent.valid()) break;
    at = contexts_.at(context.parent).function;
    start = context.call_event;
  }
  if (handler) {
    // A handler runs again and again: what it leaves in an attribute or global stays.
    for (const engine::Kept& kept : inner.kept) {
      if (kept.write.replaces || kept.container != kNoValue || kept.parameter >= 0) continue;
      return {Growth::Kept, f, ~0u, f, kept.event, true};
    }
  }
  return facts;
}

// Empty if it has no name that fits into a sentence.
std::string QueryBuilder::keeper_name(FuncId f, std::uint32_t event) const {
  const View view = engine::view_of(inference_, f);
  if (event >= view.size()) return {};
  const ir::Event& keeper = view.at(event);
  if (keeper.op == Op::Store) return std::string(view.name(keeper));
  ValueNo named = view.operand(keeper, 0);
  if (keeper.op == Op::StoreAttribute)
    named = event;
  else if (keeper.op == Op::Call && named < view.size() && view.at(named).op == Op::LoadAttribute)
    named = view.operand(view.at(named), 0);
  const std::string name = spell(f, named);
  return name.find("…") == std::string::npos ? name : "";
}

void QueryBuilder::describe_growth(const Believed& believed, LeakSite& site) {
  const engine::Ssa& ssa = inference_.facts(believed.function).ssa;
  if (ssa.loop_of[believed.event] != kNoValue) {
    site.in_loop = true;
    site.loop = locate(believed.function, ssa.loop_of[believed.event]);
  }
  const GrowthFacts facts = growth_of(believed.function, believed.event, believed.context);
  site.growth = facts.growth;
  if (facts.growth == Growth::None) return;
  if (facts.loop != ~0u) site.loop = locate(facts.function, facts.loop);
  if (facts.keeper == ~0u) return;
  const View view = engine::view_of(inference_, facts.keeper_function);
  if (facts.keeper < view.size()) {
    site.keeper = locate(facts.keeper_function, facts.keeper);
    site.keeper_name = keeper_name(facts.keeper_function, facts.keeper);
  }
  if (facts.function == believed.function) describe_more_keepers(believed, facts, site);
}

// What else keeps it from turn to turn of the same loop.
void QueryBuilder::describe_more_keepers(const Believed& believed, const GrowthFacts& facts, LeakSite& site) {
  const FuncId f = believed.function;
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  const Trace& trace = flow_.trace(f, believed.event, contexts_.at(believed.context).bindings);
  for (const engine::Kept& kept : trace.kept) {
    if (kept.write.replaces || kept.event == facts.keeper || ssa.loop_of[kept.event] != facts.loop) continue;
    if (kept.container == kNoValue || kept.container >= facts.loop) continue;
    const Location where = locate(f, kept.event);
    if (std::ranges::any_of(site.more_keepers, [&](const auto& one) { return one.first == where; })) continue;
    site.more_keepers.emplace_back(where, keeper_name(f, kept.event));
  }
}

}  // namespace deadgrad
