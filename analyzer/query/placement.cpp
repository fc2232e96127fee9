// Guards that would stand better elsewhere, or in another form: redundant ones, ones below the entry point, `no_grad`
// where inference mode fits.
#include <algorithm>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Atom;
using engine::AtomKind;
using engine::Context;
using engine::ContextId;
using engine::Contexts;
using engine::Exposure;
using engine::kNoValue;
using engine::Mode;
using engine::ModeState;
using engine::View;
using ir::Op;

// Does a guard of mode `inner` change nothing under `outer`?
static bool adds_nothing(Mode inner, Mode outer) {
  return outer == Mode::Inference || (outer == Mode::NoGrad && inner == Mode::NoGrad);
}

static bool is_fixed(const ModeState& state) {
  return !state.condition.valid() && is_off(state.mode) && state.guard_event != ~0u;
}

// The function is entered under such a guard whoever calls it, and nobody outside can: it is nested in another
// function. A guard on any other function says what that function needs, whoever calls it.
const ModeState* QueryBuilder::guard_of_every_caller(FuncId f, Mode inner) {
  constexpr std::size_t kMostContexts = 40;  // beyond that some were dropped
  if (!program_.functions[f].is_nested_in_function || contexts_.of(f).empty() || contexts_.of(f).size() > kMostContexts)
    return nullptr;
  for (const engine::Flow::Caller& caller : flow_.callers(f)) {
    if (caller.target.kind != engine::TargetKind::Direct && caller.target.kind != engine::TargetKind::Forward)
      return nullptr;
  }
  const ModeState* found = nullptr;
  for (const ContextId id : contexts_.of(f)) {
    const Context& context = contexts_.at(id);
    if (!adds_nothing(inner, context.mode) || !context.parent.valid() || context.starter != Mode::Inherit)
      return nullptr;
    const Contexts::ModeSource source = contexts_.source_of(context.parent, context.call_event);
    if (source.state == nullptr || !is_fixed(*source.state) || source.state->lasts) return nullptr;
    if (found == nullptr) found = source.state;
  }
  return found;
}

void QueryBuilder::find_redundant_guards(FuncId f, Query& query) {
  const View view = engine::view_of(inference_, f);
  if (view.function.is_generator || view.function.is_async) return;
  const engine::FunctionModes& modes = modes_.of(f);
  auto report = [&](const ModeState& inner, const ModeState* outer) {
    if (outer == nullptr || outer->guard_event == inner.guard_event) return;
    GuardIssue issue = issue_of(GuardIssue::Kind::Redundant, inner);
    issue.function = name_of(f);
    issue.callee = guard_text(*outer);
    issue.related.push_back({Role::Guard, guard_location(*outer), "this guard already holds here"});
    FixRequest fix;
    fix.kind = FixKind::RemoveGuard;
    fix.safety = FixSafety::Unsafe;
    fix.language = view.module.language;
    fix.where = issue.where;
    fix.function = issue.function;
    issue.fix = fix;
    query.guard_issues_.push_back(std::move(issue));
  };
  // A guard around the whole function.
  const ModeState& whole = modes.states[0];
  if (is_fixed(whole)) report(whole, guard_of_every_caller(f, whole.mode));
  for (const engine::GuardScope& scope : modes.scopes) {
    if (!is_off(scope.mode) || scope.event + 1 >= view.size()) continue;
    const ModeState& inner = modes.at(scope.event + 1);
    // Written here, not in a helper whose other users may need it.
    if (!is_fixed(inner) || inner.lasts || !(program_.locate(inner.guard_event).first == f)) continue;
    const ModeState& around = modes.at(scope.event);
    if (is_fixed(around)) {
      if (!around.lasts && adds_nothing(inner.mode, around.mode)) report(inner, &around);
    } else if (around.mode == Mode::Inherit && !around.condition.valid()) {
      report(inner, guard_of_every_caller(f, inner.mode));
    }
  }
}

// Is the guard a plain `no_grad`, which an author could have written as inference mode?
bool QueryBuilder::is_plain_no_grad(const ModeState& state) const {
  if (state.mode != Mode::NoGrad || !is_fixed(state) || state.lasts) return false;
  const auto [f, event] = program_.locate(state.guard_event);
  const engine::Value value = inference_.value_of(f, event);
  for (const Atom atom : inference_.atoms(value)) {
    if (atom.kind() == AtomKind::Guard) return atom.guard_kind() == model::GuardKind::NoGrad;
    if (atom.kind() == AtomKind::Api) {
      const model::Effect* effect = program_.api().find(program_.text(atom.name()));
      return effect != nullptr && effect->guard_kind == model::GuardKind::NoGrad;
    }
  }
  return false;
}

// Advice about guards that work: each with the forwards that run under it.
void QueryBuilder::advise_on_guards(Query& query) {
  struct Covered {
    const ModeState* state = nullptr;
    FuncId function;  // in which it holds
    std::vector<const Exposure*> forwards;
    bool proven = true;
  };
  std::map<std::uint32_t, Covered> by_guard;
  for (const Exposure& exposure : contexts_.exposures()) {
    if (!is_off(exposure.mode)) continue;
    const Contexts::ModeSource source = contexts_.source_of(exposure.context, exposure.event);
    if (source.state == nullptr || !is_fixed(*source.state) || source.state->lasts) continue;
    Covered& covered = by_guard[source.state->guard_event];
    covered.state = source.state;
    covered.function = contexts_.at(source.context).function;
    covered.forwards.push_back(&exposure);
    covered.proven &= exposure.fate.tri == engine::Tri::No;
  }
  std::map<FuncId, std::vector<std::pair<FuncId, const ModeState*>>> below;
  for (const auto& [event, covered] : by_guard) {
    const FuncId f = covered.function;
    const FuncId written = program_.locate(event).first;
    if (!covered.proven || contexts_.trains_below(f)) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[written].module)) continue;
    bool stays = true;
    FuncId entry;
    bool one_entry = true;
    for (const Exposure* forward : covered.forwards) {
      const Context& context = contexts_.at(forward->context);
      const engine::Trace& trace = flow_.trace(forward->function, forward->event, context.bindings);
      // What training code could meet later must not be an inference tensor.
      stays &= trace.cells.empty() && trace.into_parameters == 0 && !context.through_thread &&
               !(trains_in(forward->function) && trace.returned && context.results.tri != engine::Tri::No) &&
               !is_written_to({forward->function, forward->event, forward->context, true});
      const FuncId declared = declaration_of(forward->context);
      one_entry &= !entry.valid() || entry == declared;
      entry = declared;
    }
    if (stays && has_inference_mode(written) && is_plain_no_grad(*covered.state)) {
      GuardIssue issue = issue_of(GuardIssue::Kind::InferenceModeFits, *covered.state);
      issue.function = name_of(f);
      query.guard_issues_.push_back(std::move(issue));
    }
    if (one_entry && entry.valid() && !(entry == f)) below[entry].emplace_back(f, covered.state);
  }
  // One guard on the entry point would cover what several guard below it.
  for (const auto& [entry, guards] : below) {
    std::set<FuncId> functions;
    for (const auto& [f, state] : guards) functions.insert(f);
    if (functions.size() < 2) continue;
    GuardIssue issue = issue_of(GuardIssue::Kind::BelowEntry, *guards[0].second);
    issue.where = header_of(entry);
    issue.function = issue.callee = name_of(entry);
    bool inference = true;
    for (const auto& [f, state] : guards) {
      inference &= state->mode == Mode::Inference;
      issue.related.push_back({Role::Guard, guard_location(*state), "guards `" + name_of(f) + "`"});
    }
    FixRequest fix;
    fix.kind = FixKind::GuardFunction;
    fix.guard = inference ? FixGuard::InferenceMode : FixGuard::NoGrad;
    fix.safety = FixSafety::Unsafe;
    fix.language = program_.module_of(entry).language;
    fix.where = issue.where;
    fix.function = issue.callee;
    issue.fix = fix;
    query.guard_issues_.push_back(std::move(issue));
  }
}

void QueryBuilder::find_misplaced_guards(Query& query) {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    find_redundant_guards(f, query);
  }
  advise_on_guards(query);
}

}  // namespace deadgrad
