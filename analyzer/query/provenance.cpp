// Who set the mode in which a forward runs, and which guard was meant to hold instead.
#include <algorithm>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Context;
using engine::ContextId;
using engine::Contexts;
using engine::EntryKind;
using engine::kNoValue;
using engine::Mode;
using engine::ModeState;
using engine::ValueNo;
using ir::Op;

Location QueryBuilder::guard_location(const ModeState& state) const {
  const auto [f, event] = program_.locate(state.guard_event);
  const engine::View view = engine::view_of(inference_, f);
  const ValueNo written = view.at(event).op == Op::Decorator ? view.operand(view.at(event), 0) : kNoValue;
  return locate(f, written != kNoValue ? written : event);
}

std::string QueryBuilder::guard_text(const ModeState& state) const {
  const auto [f, number] = program_.locate(state.guard_event);
  const engine::View view = engine::view_of(inference_, f);
  ValueNo at = number;
  if (view.at(at).op == Op::Decorator) at = view.operand(view.at(at), 0);
  if (at == kNoValue || at >= view.size()) return {};
  if (view.at(at).op != Op::Call) return spell(f, at);
  std::string text = spell(f, view.operand(view.at(at), 0));
  const ValueNo argument = view.operand(view.at(at), 1);
  if (argument == kNoValue) return text;
  const auto atoms = inference_.atoms(inference_.value_of(f, argument));
  if (atoms.size() != 1 || atoms[0].kind() != engine::AtomKind::Bool) return text;
  const bool capital = view.module.language == ir::Language::Python;
  return text + (atoms[0].a() != 0 ? (capital ? "(True)" : "(true)") : (capital ? "(False)" : "(false)"));
}

// The forward's thread starts with autograd on, while a guard holds for whoever starts it.
std::optional<OtherThreadGuard> QueryBuilder::guard_of_other_thread(const Believed& believed) {
  const Contexts::ModeSource source = contexts_.source_of(believed.context, believed.event);
  const Context& context = contexts_.at(source.context);
  if (source.state != nullptr || (context.starter != Mode::NoGrad && context.starter != Mode::Inference))
    return std::nullopt;
  if (!context.parent.valid()) {
    const ModeState switched = modes_.exit_of(program_.body_of(program_.functions[context.function].module));
    if (switched.guard_event == ~0u) return std::nullopt;
    return OtherThreadGuard{guard_location(switched), guard_text(switched), header_of(context.function)};
  }
  const Contexts::ModeSource starter = contexts_.source_of(context.parent, context.call_event);
  ModeState state;
  if (starter.state != nullptr) {
    state = *starter.state;
  } else {
    // A switch in the body of the module in which the path begins.
    state = modes_.exit_of(program_.body_of(program_.functions[contexts_.at(starter.context).function].module));
  }
  if (state.guard_event == ~0u) return std::nullopt;
  return OtherThreadGuard{guard_location(state), guard_text(state),
                          locate(contexts_.at(context.parent).function, context.call_event)};
}

TypeId QueryBuilder::class_around(FuncId f) const {
  while (f.valid() && !program_.functions[f].owner.valid() && program_.functions[f].is_nested_in_function)
    f = program_.functions[f].parent;
  return f.valid() ? program_.functions[f].owner : TypeId{};
}

// Where `maker` takes the function as a value: a method of its object, or a lambda.
std::optional<Location> QueryBuilder::taken_in(FuncId maker, FuncId callback) const {
  const engine::View view = engine::view_of(inference_, maker);
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    const Op op = view.at(e).op;
    if (op != Op::LoadAttribute && op != Op::MakeFunction && op != Op::Symbol) continue;
    for (const engine::Atom atom : inference_.atoms(inference_.value_of(maker, e))) {
      const bool is_callable = atom.kind() == engine::AtomKind::Function || atom.kind() == engine::AtomKind::Bound;
      if (is_callable && atom.func() == callback) return locate(maker, e);
    }
  }
  return std::nullopt;
}

// A constructor switches autograd off and hands a callback of its object to code that is not in view. As that runs it
// with autograd on, it does so on another thread.
std::optional<QueryBuilder::Registration> QueryBuilder::guard_of_registration(const Believed& believed) {
  std::vector<FuncId> path;  // from the forward up to the entry
  EntryKind entry = EntryKind::None;
  for (ContextId at = believed.context; at.valid(); at = contexts_.at(at).parent) {
    path.push_back(contexts_.at(at).function);
    entry = contexts_.at(at).entry;
  }
  if (entry != EntryKind::Uncalled) return std::nullopt;
  const TypeId runner = class_around(path.back());
  for (auto callback = path.rbegin() + 1; callback != path.rend(); ++callback) {
    const TypeId owner = class_around(*callback);
    if (!owner.valid() || owner == runner) continue;
    for (const FuncId maker : inference_.constructors(owner)) {
      const ModeState switched = modes_.exit_of(maker);
      if (!switched.lasts || !is_off(switched.mode) || switched.condition.valid()) continue;
      const std::optional<Location> taken = taken_in(maker, *callback);
      if (!taken) continue;
      const auto declared =
          std::find_if(callback, path.rend(), [&](FuncId function) { return can_be_declared(function); });
      return Registration{{guard_location(switched), guard_text(switched), *taken, true},
                          declared == path.rend() ? FuncId{} : *declared};
    }
  }
  return std::nullopt;
}

// The mode before a call in `f` that left the thread in `state`; null if none did.
const ModeState* QueryBuilder::before_call(FuncId f, const ModeState& state, std::uint32_t until) {
  const engine::View view = engine::view_of(inference_, f);
  const engine::FunctionModes& modes = modes_.of(f);
  const ModeState* before = nullptr;
  for (std::uint32_t e = 0; e < until; ++e)
    if (view.at(e).op == Op::Call && modes.at(e) != state && modes.at(e + 1) == state) before = &modes.at(e);
  return before;
}

// Something between the guard and the forward turns autograd on again.
std::optional<SwitchedOn> QueryBuilder::switched_on(const Believed& believed) {
  const Contexts::ModeSource source = contexts_.source_of(believed.context, believed.event);
  if (source.state == nullptr || source.state->guard_event == ~0u) return std::nullopt;
  const Context& context = contexts_.at(source.context);
  const auto [maker, made] = program_.locate(source.state->guard_event);
  // The mode before it: in this function, as it is entered, or as it called the one that left the mode so.
  const ModeState* around =
      maker == context.function ? &modes_.of(maker).at(made) : before_call(context.function, *source.state, source.at);
  Mode before = around != nullptr ? around->mode : Mode::Inherit;
  if (around != nullptr && around->condition.valid()) return std::nullopt;
  if (before == Mode::Inherit) {
    before = context.mode;
    // On a thread of its own there is nothing around.
    if (context.starter != Mode::Inherit || !context.parent.valid()) return std::nullopt;
    const Contexts::ModeSource up = contexts_.source_of(context.parent, context.call_event);
    around = up.state;
  }
  if ((before != Mode::NoGrad && before != Mode::Inference) || around == nullptr || around->guard_event == ~0u)
    return std::nullopt;
  // `set_grad_enabled(False) … set_grad_enabled(True)`: the second ends the first.
  if (source.state->lasts && around->lasts) return std::nullopt;
  SwitchedOn found{
      guard_location(*source.state), guard_text(*source.state), guard_location(*around), guard_text(*around), {}};
  // What depends on a flag has its use elsewhere; what ends a switch that turned autograd off is needed.
  const ModeState& inside = modes_.of(maker).at(made);
  const bool ends_switch = inside.lasts && is_off(inside.mode);
  if (source.state->mode == Mode::On && !source.state->condition.valid() && !ends_switch) {
    FixRequest fix;
    fix.kind = FixKind::RemoveGuard;
    fix.safety = FixSafety::Unsafe;
    fix.language = program_.module_of(maker).language;
    fix.where = found.where;
    fix.function = name_of(maker);
    found.fix = fix;
  }
  return found;
}

// A part of a module's own forward that turns autograd on again: the call of the module is guarded, and its layers run
// with autograd on all the same.
void QueryBuilder::find_switched_on_inside(Query& query) {
  std::set<std::uint32_t> told;
  for (const Context& context : contexts_.all()) {
    if (!context.in_model || (context.mode != Mode::NoGrad && context.mode != Mode::Inference)) continue;
    if (context.results.tri != engine::Tri::No || contexts_.trains_below(context.function)) continue;
    if (context.from_tests || !context.parent.valid()) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[context.function].module)) continue;
    const Contexts::ModeSource around = contexts_.source_of(context.parent, context.call_event);
    if (around.state == nullptr || around.state->guard_event == ~0u || around.state->lasts) continue;
    for (const engine::CallSite& site : inference_.facts(context.function).calls) {
      const ModeState& state = modes_.of(context.function).at(site.event);
      if (state.guard_event == ~0u || state.condition.valid() || contexts_.is_dead(context, site.event)) continue;
      if (contexts_.mode_at(context, site.event) != Mode::On) continue;
      const bool layer = site.runs_module == engine::Evidence::Proven && !site.without_parameters &&
                         !site.guarded_inside && !contexts_.is_frozen(context.function, site.event);
      if (!layer || !flow_.trace(context.function, site.event, context.bindings).returned) continue;
      if (!told.insert(state.guard_event).second) break;
      GuardIssue issue = issue_of(GuardIssue::Kind::SwitchedOnInside, state);
      issue.function = name_of(context.function);
      const engine::View view = engine::view_of(inference_, context.function);
      issue.callee = spell(context.function, view.operand(view.at(site.event), 0));
      issue.related.push_back(
          {Role::Site, locate(context.function, site.event), "`" + issue.callee + "` runs here with autograd on"});
      issue.related.push_back({Role::Guard, guard_location(*around.state), "under this guard"});
      query.guard_issues_.push_back(std::move(issue));
      break;
    }
  }
}

}  // namespace deadgrad
