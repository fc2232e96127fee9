// Does a value come back to the call that made it, turn by turn, or does something grow by it?
#include <algorithm>

#include "analyzer/engine/flow.h"
#include "analyzer/engine/view.h"

namespace deadgrad::engine {

using ir::Op;

// Calls of `f` that get the graph of `from` as an argument.
const std::vector<std::uint32_t>& Flow::calls_fed_by(FuncId f, ValueNo from) {
  auto [it, added] = fed_.emplace(std::pair{f.index, from}, std::vector<std::uint32_t>{});
  if (!added) return it->second;
  Trace unused;
  const Walk walk = this->walk(f, from, {}, unused);
  const View view = view_of(inference_, f);
  std::vector<std::uint32_t> calls;
  for (const CallSite& site : inference_.facts(f).calls) {
    const ir::Event& call = view.at(site.event);
    for (std::size_t k = 1; k < call.operand_count; ++k) {
      const ValueNo argument = view.operand(call, k);
      if (argument == kNoValue || !walk.seen[argument]) continue;
      calls.push_back(site.event);
      break;
    }
  }
  return it->second = std::move(calls);
}

bool Flow::feeds(FuncId f, ValueNo from, std::uint32_t call) {
  const std::vector<std::uint32_t>& calls = calls_fed_by(f, from);
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

bool Flow::feeds(FuncId f, const CellKey& cell, std::uint32_t call) {
  for (const Load* load : loads_of(cell))
    if (load->function == f && feeds(f, load->event, call)) return true;
  return false;
}

bool Flow::comes_back(FuncId f, const std::vector<Stored>& cells, std::uint32_t call) {
  return std::any_of(cells.begin(), cells.end(), [&](const Stored& stored) { return feeds(f, stored.cell, call); });
}

// The innermost loop around both events that `value` is older than.
static std::uint32_t loop_after(const Ssa& ssa, ValueNo value, std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t loop = ssa.loop_of[a]; loop != kNoValue; loop = ssa.loop_of[loop])
    for (std::uint32_t other = ssa.loop_of[b]; other != kNoValue; other = ssa.loop_of[other])
      if (other == loop && value < loop) return loop;
  return kNoValue;
}

// What `start` made was written into something that goes into the next `start`.
void Flow::find_mutation(FuncId f, std::uint32_t start, const Kept& kept, Trace& out) {
  const Ssa& ssa = inference_.facts(f).ssa;
  if (kept.container != kNoValue) {
    const std::uint32_t loop = loop_after(ssa, kept.container, start, kept.event);
    if (loop != kNoValue && feeds(f, kept.container, start)) out.carried_loop = loop;
  } else if (kept.parameter < 0) {
    out.carried_by_place |= feeds(f, kept.cell, start);
  } else {
    const ValueNo value = parameter_value(f, static_cast<std::uint32_t>(kept.parameter));
    out.carried_by_place |= value != kNoValue && feeds(f, value, start);
  }
}

void Flow::find_carry(FuncId f, std::uint32_t start, const Walk& walk, Trace& out) {
  find_loop_carry(f, start, walk, out);
  const Ssa& ssa = inference_.facts(f).ssa;
  if (view_of(inference_, f).at(start).op != Op::Call || out.carried_loop != ~0u) return;
  for (std::size_t k = 0; k < out.kept.size() && out.carried_loop == ~0u; ++k)
    if (out.kept[k].write.mutates) find_mutation(f, start, out.kept[k], out);
  // `self.h = net(x, self.h)`
  out.carried_by_place = out.carried_by_place || comes_back(f, out.cells, start);
  if (out.carried_by_place && out.carried_loop == ~0u && ssa.loop_of[start] != kNoValue)
    out.carried_loop = ssa.loop_of[start];
}

// Through the variables of loops.
void Flow::find_loop_carry(FuncId f, std::uint32_t start, const Walk& walk, Trace& out) {
  const Ssa& ssa = inference_.facts(f).ssa;
  const Uses& uses = this->uses(f);
  for (ValueNo phi_value : walk.phis) {
    const Phi& phi = ssa.phi(phi_value);
    if (!phi.loop) continue;
    // Only a loop around the start can carry it from one turn to the next.
    bool around = false;
    for (std::uint32_t loop = ssa.loop_of[start]; loop != kNoValue; loop = ssa.loop_of[loop])
      around |= loop == phi.bracket;
    if (!around) continue;
    out.survives_turn = true;
    // A variable that each turn sets anew before it is read carries nothing; the item of a container does.
    if (uses.first[phi_value] == uses.first[phi_value + 1] && !walk.through_item) continue;
    if (walk.back_at_start && out.carried_loop == ~0u) out.carried_loop = phi.bracket;
    find_accumulation(f, start, phi_value, walk, out);
  }
}

// Does the loop variable feed itself?
void Flow::find_accumulation(FuncId f, std::uint32_t start, ValueNo phi, const Walk& walk, Trace& out) {
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  const Ssa& ssa = facts.ssa;
  const Uses& uses = this->uses(f);
  bool sums = false;
  std::vector<ValueNo> inner{phi};
  std::vector<char> visited(ssa.value_count(), 0);
  while (!inner.empty()) {
    const ValueNo at = inner.back();
    inner.pop_back();
    if (at >= visited.size() || visited[at]) continue;
    visited[at] = 1;
    for (std::uint32_t u = uses.first[at]; u < uses.first[at + 1]; ++u) {
      const auto [user, operand] = uses.list[u];
      if (user == phi) {
        if (at == phi || at >= view.size()) continue;
        out.accumulations.push_back({ssa.phi(phi).bracket, at, sums});
        return;
      }
      if (ssa.is_phi(user)) {
        inner.push_back(user);
        continue;
      }
      const Op op = view.at(user).op;
      const bool combines = op == Op::Binary || op == Op::MakeList || op == Op::MakeTuple;
      const bool passes = op == Op::Load || op == Op::Store || op == Op::Typed;
      if (!walk.seen[user]) continue;  // only along values that hold the graph
      if (combines || passes) {
        if (op == Op::Binary) {
          // `outs = outs + [y]` is a list that grows, not a sum.
          bool list = false;
          for (Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, user), f)))
            list |= atom.kind() == AtomKind::Container;
          sums |= !list && view.name(view.at(user)).starts_with("+");
        }
        inner.push_back(user);
      } else if (op == Op::Call && operand >= 1 && user != start) {
        const CallSite* site = facts.call_at(user);
        if (site != nullptr && site->targets.empty() && site->runs_module == Evidence::None && !site->unresolved)
          inner.push_back(user);
      }
    }
  }
}

}  // namespace deadgrad::engine
