// Guards and generators: a guard around a `yield` holds for the consumer too, and one around the making of a generator
// has ended when it runs.
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Atom;
using engine::AtomKind;
using engine::CallSite;
using engine::CallTarget;
using engine::Evidence;
using engine::kNoValue;
using engine::Mode;
using engine::ModeState;
using engine::ValueNo;
using engine::View;
using ir::Op;

static bool is_off(const ModeState& state) {
  return !state.condition.valid() && (state.mode == Mode::NoGrad || state.mode == Mode::Inference);
}

// `with no_grad(): … yield`: the mode is the thread's, so the consumer's code between two steps runs under the guard.
void QueryBuilder::find_guarded_yields(FuncId f, Query& query) {
  const View view = engine::view_of(inference_, f);
  const engine::FunctionFacts& facts = inference_.facts(f);
  // A decorator guards each step by itself, and others make something else of the generator: a context manager.
  if (!view.function.is_generator || !facts.decorators.empty() || generator_uses_[f].as_scope) return;
  bool open = false;
  for (const engine::ContextId id : contexts_.of(f))
    open |= contexts_.at(id).mode == Mode::On && !contexts_.at(id).from_tests;
  if (!open) return;
  const engine::FunctionModes& modes = modes_.of(f);
  std::set<std::uint32_t> told;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::Yield) continue;
    const ModeState& state = modes.at(e);
    if (!is_off(state) || state.lasts || state.guard_event == ~0u || !told.insert(state.guard_event).second) continue;
    GuardIssue issue = issue_of(GuardIssue::Kind::YieldsInside, state);
    issue.related.push_back({Role::Guard, issue.where, "this guard is still in force while the consumer runs"});
    issue.where = locate(f, e);
    issue.function = issue.callee = name_of(f);
    for (const auto& [reader, loop] : generator_uses_[f].loops) {
      const engine::FunctionFacts& around = inference_.facts(reader);
      for (const CallSite& site : around.calls) {
        bool trains = false, inside = false;
        for (const engine::EffectUse& use : site.effects)
          trains |= use.effect->backward != model::Backward::None || use.effect->optimizer_step;
        for (const CallTarget& target : site.targets) trains |= contexts_.trains_below(target.function);
        for (std::uint32_t at = around.ssa.loop_of[site.event]; at != kNoValue; at = around.ssa.loop_of[at])
          inside |= at == loop;
        if (!trains || !inside || issue.trains) continue;
        issue.trains = true;
        issue.related.push_back({Role::Other, locate(reader, site.event), "training between two steps"});
      }
    }
    query.guard_issues_.push_back(std::move(issue));
  }
}

// Does the generator run a forward in the mode of whoever iterates it, and does nobody train on what it yields?
bool QueryBuilder::runs_forward_unguarded(FuncId generator) const {
  bool open = false;
  for (const engine::Exposure& exposure : contexts_.exposures()) {
    if (!(exposure.function == generator)) continue;
    if (exposure.fate.tri == engine::Tri::Yes) return false;
    const ModeState& state = modes_.of(generator).at(exposure.event);
    open |= state.mode == Mode::Inherit && !state.condition.valid();
  }
  return open;
}

// `@no_grad() def f(): return steps(…)`: nothing of the generator has run when the guard ends.
void QueryBuilder::find_returned_generators(FuncId f, Query& query) {
  const View view = engine::view_of(inference_, f);
  const engine::FunctionFacts& facts = inference_.facts(f);
  if (view.function.is_generator || view.function.is_async) return;
  bool open = false;
  for (const engine::ContextId id : contexts_.of(f))
    open |= contexts_.at(id).mode == Mode::On && !contexts_.at(id).from_tests;
  if (!open) return;
  const engine::FunctionModes& modes = modes_.of(f);
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::Return || view.at(e).operand_count == 0) continue;
    const ModeState& state = modes.at(e);
    if (!is_off(state) || state.lasts || state.guard_event == ~0u) continue;
    ValueNo at = view.operand(view.at(e), 0);
    while (at != kNoValue && !facts.ssa.is_phi(at) && (view.at(at).op == Op::Load || view.at(at).op == Op::Store))
      at = view.at(at).op == Op::Load ? facts.ssa.definition[at] : view.operand(view.at(at), 0);
    if (at == kNoValue || facts.ssa.is_phi(at)) continue;
    bool lost = false;
    std::string name = "what is returned";
    if (view.at(at).op == Op::Call) {
      const engine::Value value = inference_.expand(inference_.value_of(f, at), f);
      const auto atoms = inference_.atoms(value);
      lost = !value.unknown && !atoms.empty();
      for (const Atom atom : atoms) {
        lost &= atom.kind() == AtomKind::Generator && runs_forward_unguarded(atom.func());
        if (atom.kind() == AtomKind::Generator) name = "`" + name_of(atom.func()) + "`";
      }
    } else {
      // A generator expression: a lazy loop that fills it.
      for (const CallSite& site : facts.calls) {
        if (site.runs_module < Evidence::Duck || site.guarded_inside || site.without_parameters) continue;
        const std::uint32_t loop = facts.ssa.loop_of[site.event];
        if (loop == kNoValue || !(view.at(loop).flags & ir::flag::Lazy)) continue;
        for (std::uint32_t in = loop; in < view.size(); ++in) {
          const ir::Event& one = view.at(in);
          if (one.op == Op::Append && view.operand(one, 0) == at && facts.ssa.loop_of[in] == loop)
            lost = modes.state_of[site.event] == modes.state_of[e];
          if (one.op == Op::End && one.target == view.function.first_event.index + loop) break;
        }
      }
    }
    if (!lost) continue;
    GuardIssue issue = issue_of(GuardIssue::Kind::ReturnsGenerator, state);
    issue.related.push_back({Role::Guard, issue.where, "this guard ends with the return"});
    issue.where = locate(f, view.operand(view.at(e), 0));
    issue.function = name_of(f);
    issue.callee = name;
    query.guard_issues_.push_back(std::move(issue));
    return;
  }
}

void QueryBuilder::find_lost_in_generators(Query& query) {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated) continue;
    const View view = engine::view_of(inference_, f);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      if (view.at(e).op != Op::Iterate && view.at(e).op != Op::Scope) continue;
      const engine::Value value = inference_.expand(inference_.value_of(f, view.operand(view.at(e), 0)), f);
      for (const Atom atom : inference_.atoms(value)) {
        if (atom.kind() != AtomKind::Generator) continue;
        GeneratorUses& uses = generator_uses_[atom.func()];
        if (view.at(e).op == Op::Scope)
          uses.as_scope = true;
        else if (inference_.facts(f).ssa.loop_of[e] != kNoValue)
          uses.loops.emplace_back(f, inference_.facts(f).ssa.loop_of[e]);
      }
    }
  }
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated || contexts_.of(f).empty()) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    find_guarded_yields(f, query);
    find_returned_generators(f, query);
  }
}

}  // namespace deadgrad
