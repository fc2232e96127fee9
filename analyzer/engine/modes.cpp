#include "analyzer/engine/modes.h"

#include "analyzer/engine/view.h"

#include <algorithm>

namespace deadgrad::engine {

using ir::Op;

namespace {

// Helpers of helpers that switch the mode: deeper than any real code, far from the end of the stack.
constexpr int kMostDepth = 100;

Mode mode_of(model::Guard guard, model::GuardKind kind) {
  switch (guard) {
    case model::Guard::Off:
      return kind == model::GuardKind::Inference ? Mode::Inference : Mode::NoGrad;
    case model::Guard::On:
      return Mode::On;
    default:
      return Mode::Maybe;
  }
}

ModeState maybe(std::uint32_t guard_event = ~0u) {
  ModeState state;
  state.mode = Mode::Maybe;
  state.guard_event = guard_event;
  return state;
}

Mode either(Mode a, Mode b) {
  if (a == b) return a;
  const bool both_off = (a == Mode::NoGrad || a == Mode::Inference) && (b == Mode::NoGrad || b == Mode::Inference);
  return both_off ? Mode::NoGrad : Mode::Maybe;
}

// Where two paths meet on which no test says which was taken.
ModeState join(const ModeState& a, const ModeState& b) {
  ModeState joined;
  joined.mode = Mode::Maybe;
  joined.guard_event = a.guard_event != ~0u ? a.guard_event : b.guard_event;
  if (a.condition.valid() || b.condition.valid()) return joined;
  // Each is some modes, and perhaps the one that the function is entered with.
  auto known = [](const ModeState& state) { return state.mode == Mode::Maybe ? state.or_entered : state.mode; };
  auto entered = [](const ModeState& state) {
    return state.mode == Mode::Inherit || (state.mode == Mode::Maybe && state.or_entered != Mode::Inherit);
  };
  if ((a.mode == Mode::Maybe && !entered(a)) || (b.mode == Mode::Maybe && !entered(b))) return joined;
  const Mode mode = known(a) == Mode::Inherit   ? known(b)
                    : known(b) == Mode::Inherit ? known(a)
                                                : either(known(a), known(b));
  if (entered(a) || entered(b))
    joined.or_entered = mode == Mode::Maybe ? Mode::Inherit : mode;
  else
    joined.mode = mode;
  if (mode == Mode::Inherit) joined.mode = Mode::Inherit;
  return joined;
}

}  // namespace

std::optional<bool> holds(const Condition& condition, const Bindings& bindings) {
  if (!condition.valid()) return std::nullopt;
  for (const Binding& binding : bindings) {
    if (binding.parameter != condition.parameter) continue;
    std::optional<bool> result;
    switch (condition.kind) {
      case Condition::Kind::Truthy:
        if (binding.value.kind() == AtomKind::Bool) result = binding.value.a() != 0;
        if (binding.value.kind() == AtomKind::None) result = false;
        break;
      case Condition::Kind::Equals:
        if (binding.value.kind() == AtomKind::Text || binding.value.kind() == AtomKind::Bool ||
            binding.value.kind() == AtomKind::None || binding.value.kind() == AtomKind::Number) {
          result = binding.value == condition.constant;
        }
        break;
      case Condition::Kind::IsNone:
        result = binding.value.kind() == AtomKind::None;
        break;
    }
    if (result && condition.negated) result = !*result;
    return result;
  }
  return std::nullopt;
}

Mode resolve(const ModeState& state, Mode entered, const Bindings& bindings) {
  Mode mode = state.mode;
  if (state.condition.valid()) {
    const std::optional<bool> known = holds(state.condition, bindings);
    if (known) {
      mode = *known ? state.mode : state.otherwise;
    } else {
      // Undecided: the two sides may still agree once Inherit is filled in.
      return either(state.mode == Mode::Inherit ? entered : state.mode,
                    state.otherwise == Mode::Inherit ? entered : state.otherwise);
    }
  }
  if (mode == Mode::Maybe && state.or_entered != Mode::Inherit && entered != Mode::Inherit)
    return either(state.or_entered, entered);
  if (mode == Mode::On && state.grad_mode_only && entered == Mode::Inference) return entered;
  return mode == Mode::Inherit ? entered : mode;
}

bool is_dead(const FunctionModes& modes, std::uint32_t event, const Bindings& bindings) {
  for (std::uint32_t arm = modes.arm_of[event]; arm != ~0u; arm = modes.arms[arm].parent) {
    if (modes.arms[arm].never) return true;
    for (const Condition& condition : modes.arms[arm].conditions) {
      const std::optional<bool> known = holds(condition, bindings);
      if (known && !*known) return true;
    }
  }
  return false;
}

void Modes::conditions_of(FuncId f, ValueNo value, bool truth, std::vector<Condition>& out, bool& never,
                          int depth) const {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  ValueNo at = value;
  while (at != kNoValue && !ssa.is_phi(at) && (view.at(at).op == Op::Load || view.at(at).op == Op::Store)) {
    at = view.at(at).op == Op::Load ? ssa.definition[at] : view.operand(view.at(at), 0);
  }
  if (at == kNoValue || ssa.is_phi(at) || depth > 6) return;
  const ir::Event& event = view.at(at);
  if (event.op == Op::Unary && view.name(event) == "not") {
    conditions_of(f, view.operand(event, 0), !truth, out, never, depth + 1);
  } else if (event.op == Op::Bool && (view.name(event) == "and") == truth) {
    for (std::size_t k = 0; k < event.operand_count; ++k)
      conditions_of(f, view.operand(event, k), truth, out, never, depth + 1);
  } else if (event.op == Op::Const) {
    const std::uint8_t kind = event.flags & ir::flag::kConstMask;
    if (at == value && (kind == ir::flag::True || kind == ir::flag::False)) never |= (kind == ir::flag::True) != truth;
  } else if (Condition condition = condition_of(f, at); condition.valid()) {
    if (!truth) condition.negated = !condition.negated;
    out.push_back(condition);
  }
}

Condition Modes::condition_of(FuncId f, ValueNo value) const {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  Condition condition;
  for (int depth = 0; depth < 12 && value != kNoValue && !ssa.is_phi(value); ++depth) {
    const ir::Event& event = view.at(value);
    switch (event.op) {
      case Op::Param:
        condition.parameter = static_cast<int>(event.target);
        return condition;
      case Op::Load:
        value = ssa.definition[value];
        break;
      case Op::Store:
      case Op::Typed:
        value = view.operand(event, 0);
        break;
      case Op::Unary:
        if (view.module.text(event.name) != "not") return {};
        condition.negated = !condition.negated;
        value = view.operand(event, 0);
        break;
      case Op::Compare: {
        const std::string_view op = view.module.text(event.name);
        const bool equal = op == "==" || op == "is", unequal = op == "!=" || op == "is not";
        if ((!equal && !unequal) || event.operand_count != 2 || condition.kind != Condition::Kind::Truthy) return {};
        const auto constant = inference_.atoms(inference_.value_of(f, view.operand(event, 1)));
        if (constant.size() != 1 || inference_.value_of(f, view.operand(event, 1)).unknown) return {};
        condition.kind = constant[0].kind() == AtomKind::None ? Condition::Kind::IsNone : Condition::Kind::Equals;
        condition.constant = constant[0];
        if (unequal) condition.negated = !condition.negated;
        value = view.operand(event, 0);
        break;
      }
      default:
        return {};
    }
  }
  return {};
}

ModeState Modes::guard_state(FuncId f, Atom guard) const {
  ModeState state;
  state.guard_event = guard.a();
  state.mode = mode_of(guard.guard(), guard.guard_kind());
  state.grad_mode_only = state.mode == Mode::On && guard.guard_kind() != model::GuardKind::Inference;
  if (guard.guard() == model::Guard::Argument || guard.guard() == model::Guard::InverseArgument) {
    const auto [maker, event] = inference_.program().locate(guard.a());
    state.mode = Mode::Maybe;
    if (!(maker == f)) return state;
    const View view = view_of(inference_, f);
    const ir::Event& call = view.at(event);
    for (std::size_t k = 1; k < call.operand_count; ++k) {
      ValueNo argument = view.operand(call, k);
      if (argument != kNoValue && view.at(argument).op == Op::Keyword) argument = view.operand(view.at(argument), 0);
      const Condition condition = condition_of(f, argument);
      if (!condition.valid()) continue;
      const Mode off = guard.guard_kind() == model::GuardKind::Inference ? Mode::Inference : Mode::NoGrad;
      state.condition = condition;
      state.mode = guard.guard() == model::Guard::Argument ? Mode::On : off;
      state.otherwise = guard.guard() == model::Guard::Argument ? off : Mode::On;
      break;
    }
  }
  return state;
}

ModeState Modes::instance_state(TypeId type) {
  ModeState found;
  for (FuncId made : inference_.constructors(type)) {
    found = exit_of(made);
    const View inner = view_of(inference_, made);
    for (std::uint32_t i = 0; found.mode == Mode::Inherit && i < inner.function.event_count; ++i) {
      if (inner.at(i).op != Op::StoreAttribute) continue;
      for (Atom stored : inference_.atoms(inference_.value_of(made, inner.operand(inner.at(i), 1)))) {
        if (stored.kind() == AtomKind::Guard) found = guard_state(made, stored);
      }
    }
  }
  return found;
}

// What a scope over `object` makes of the mode. Inherit: it is no guard.
ModeState Modes::scope_state(FuncId f, ValueNo object, std::uint32_t scope_event, int depth) {
  const View view = view_of(inference_, f);
  const Program& program = inference_.program();
  const Ssa& ssa = inference_.facts(f).ssa;
  ModeState state;
  if (depth > 6 || object == kNoValue) return state;
  // A conditional expression chooses between a guard and something else.
  for (ValueNo at = object; at != kNoValue && !ssa.is_phi(at);) {
    const ir::Event& event = view.at(at);
    if (event.op == Op::Load)
      at = ssa.definition[at];
    else if (event.op == Op::Store)
      at = view.operand(event, 0);
    else {
      const bool called_choice = event.op == Op::Call && view.operand(event, 0) != kNoValue;
      ValueNo select = at;
      if (called_choice) {  // `ctx = no_grad if … else nullcontext; with ctx():`
        select = view.operand(event, 0);
        while (select != kNoValue && !ssa.is_phi(select) &&
               (view.at(select).op == Op::Load || view.at(select).op == Op::Store)) {
          select = view.at(select).op == Op::Load ? ssa.definition[select] : view.operand(view.at(select), 0);
        }
      }
      if (select == kNoValue || ssa.is_phi(select) || view.at(select).op != Op::Select || called_choice) break;
      const ir::Event& choice = view.at(select);
      const ModeState a = scope_state(f, view.operand(choice, 1), scope_event, depth + 1);
      const ModeState b = scope_state(f, view.operand(choice, 2), scope_event, depth + 1);
      if (a.condition.valid() || b.condition.valid() || a.mode == b.mode) break;
      state.condition = condition_of(f, view.operand(choice, 0));
      state.guard_event = a.guard_event != ~0u ? a.guard_event : b.guard_event;
      state.mode = state.condition.valid() ? a.mode : Mode::Maybe;
      state.otherwise = b.mode;
      return state;
    }
  }
  const Value value = inference_.expand(inference_.value_of(f, object), f);
  bool guard = false, other = value.unknown;
  for (Atom atom : inference_.atoms(value)) {
    ModeState found;
    switch (atom.kind()) {
      case AtomKind::Guard:
        found = guard_state(f, atom);
        break;
      case AtomKind::Generator: {
        // The mode in which a context manager written as a generator yields.
        if (in_progress_[atom.func()] || depth_ > kMostDepth) break;
        const FunctionModes& modes = of(atom.func());
        const View inner = view_of(inference_, atom.func());
        for (std::uint32_t i = 0; i < inner.function.event_count; ++i) {
          if (inner.at(i).op != Op::Yield) continue;
          found = modes.at(i);
          if (found.condition.valid()) found = maybe(found.guard_event);
          break;
        }
        break;
      }
      case AtomKind::Instance: {
        // A class whose __enter__ (or, for RAII, constructor) switches the mode, or which owns a guard.
        const ir::Event& opening = view.at(scope_event);
        const bool raii = opening.op == Op::Hold || (opening.op == Op::Scope && (opening.flags & ir::flag::Raii) != 0);
        if (!raii) {
          for (FuncId enter :
               inference_.methods(atom.type(), const_cast<Program&>(program).names.intern("__enter__"), false))
            found = exit_of(enter);
        } else {
          found = instance_state(atom.type());
        }
        break;
      }
      default:
        break;
    }
    if (found.mode == Mode::Inherit && !found.condition.valid()) {
      other = true;
      continue;
    }
    if (guard && (found.mode != state.mode || found.condition != state.condition)) found.mode = Mode::Maybe;
    state = found;
    guard = true;
  }
  if (guard && other && !state.condition.valid() && state.mode != Mode::Maybe) {
    // Sometimes a guard, sometimes something else.
    state.mode = Mode::Maybe;
  }
  return state;
}

// The call that made the object of a RAII Scope, if its constructor switches the mode and its destructor takes that
// back: the mode before it is the one to return to.
std::uint32_t Modes::constructing_call(FuncId f, std::uint32_t scope) {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  if ((view.at(scope).flags & ir::flag::Raii) == 0) return ~0u;
  ValueNo at = view.operand(view.at(scope), 0);
  while (at != kNoValue && !ssa.is_phi(at) &&
         (view.at(at).op == Op::Load || view.at(at).op == Op::Store || view.at(at).op == Op::Typed))
    at = view.at(at).op == Op::Load ? ssa.definition[at] : view.operand(view.at(at), 0);
  if (at == kNoValue || ssa.is_phi(at) || view.at(at).op != Op::Call) return ~0u;
  const CallSite* site = inference_.facts(f).call_at(at);
  if (site == nullptr) return ~0u;
  for (const CallTarget& target : site->targets) {
    const FunctionInfo& info = inference_.program().functions[target.function];
    if (target.kind != TargetKind::Constructor || !info.owner.valid()) continue;
    if (exit_of(target.function) == ModeState{}) continue;
    const View inner = view_of(inference_, target.function);
    for (std::uint32_t i = 0; i < inner.size(); ++i)
      if (inner.at(i).op == Op::Hold) return at;
    const std::string destructor =
        "~" + std::string(inference_.program().text(inference_.program().functions[target.function].name));
    for (FuncId destroyed :
         inference_.methods(info.owner, const_cast<Program&>(inference_.program()).names.intern(destructor), false))
      if (!(exit_of(destroyed) == ModeState{})) return at;
  }
  return ~0u;
}

// A statement that changes the mode from here on: set_grad_enabled(…), guard.__enter__(), a helper that does it.
std::optional<ModeState> Modes::switch_state(FuncId f, std::uint32_t i) {
  const View view = view_of(inference_, f);
  const ir::Event& event = view.at(i);
  if (event.op != Op::Call) return std::nullopt;
  const CallSite* site = inference_.facts(f).call_at(i);
  if (site == nullptr) return std::nullopt;
  const bool discarded = (event.flags & ir::flag::Discarded) != 0;
  for (const EffectUse& use : site->effects) {
    if (use.effect->guard != model::Guard::None && use.effect->forms.call && discarded) {
      for (Atom atom : inference_.atoms(inference_.value_of(f, i))) {
        if (atom.kind() == AtomKind::Guard) return guard_state(f, atom);
      }
    }
    if (use.effect->enters_context) {
      for (std::size_t k = 1; k < event.operand_count; ++k) {
        ModeState state = scope_state(f, view.operand(event, k), i, 0);
        if (state.mode != Mode::Inherit || state.condition.valid()) return state;
      }
    }
  }
  // `guard.__enter__()`: a guard that is undone when its object is dropped needs a name that keeps it.
  const ValueNo callee = view.operand(event, 0);
  if (callee != kNoValue && !inference_.facts(f).ssa.is_phi(callee) && view.at(callee).op == Op::LoadAttribute &&
      view.module.text(view.at(callee).name) == "__enter__") {
    const ValueNo object = view.operand(view.at(callee), 0);
    for (Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, object), f))) {
      if (atom.kind() != AtomKind::Guard) continue;
      const bool kept = view.at(object).op != Op::Call;
      if (!kept && atom.guard_kind() == model::GuardKind::Inference) continue;
      return guard_state(f, atom);
    }
  }
  for (const CallTarget& target : site->targets) {
    if (target.kind != TargetKind::Direct && target.kind != TargetKind::Constructor) continue;
    const ModeState state = exit_of(target.function);
    if (state.mode == Mode::Inherit && !state.condition.valid()) continue;
    // The helper's parameters mean nothing here.
    return state.condition.valid() ? maybe(state.guard_event) : state;
  }
  return std::nullopt;
}

ModeState Modes::exit_of(FuncId f) {
  if (inference_.facts(f).values.empty()) return {};
  if (in_progress_[f]) return {};
  if (depth_ > kMostDepth) return maybe();
  return of(f).exit;
}

const FunctionModes& Modes::of(FuncId f) {
  if (auto found = cache_.find(f); found != cache_.end()) return found->second;
  in_progress_[f] = true;
  ++depth_;
  FunctionModes modes = compute(f);
  --depth_;
  in_progress_[f] = false;
  return cache_.emplace(f, std::move(modes)).first->second;
}

FunctionModes Modes::compute(FuncId f) {
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  FunctionModes result;
  const std::uint32_t count = view.function.event_count;
  result.state_of.assign(count, 0);
  result.arm_of.assign(count, ~0u);
  ModeState initial;
  if (facts.decorator_guard != model::Guard::None && !view.function.is_async) {
    initial.mode = mode_of(facts.decorator_guard, facts.decorator_kind);
    initial.guard_event = facts.decorator_event;
  }
  // A context manager of the project used as a decorator.
  for (const auto& [parent, decorator] : facts.decorators) {
    if (initial.mode != Mode::Inherit || view.function.is_async) break;
    for (Atom atom : inference_.atoms(inference_.expand(inference_.value_of(parent, decorator), parent))) {
      const bool context = atom.kind() == AtomKind::Generator ||
                           (atom.kind() == AtomKind::Instance && inference_.call_operators(atom.type(), false).empty());
      if (context && !(parent == f)) initial = scope_state(parent, decorator, decorator, 0);
    }
    if (initial.condition.valid()) initial = maybe(initial.guard_event);
    initial.lasts = false;
  }
  result.states.push_back(initial);
  std::uint32_t current = 0;
  bool dead = false;
  auto enter = [&](const ModeState& state) {
    if (state.mode == Mode::On && state.grad_mode_only && !state.condition.valid() &&
        result.states[current].mode == Mode::Inference && !result.states[current].condition.valid())
      return current;
    auto found = std::find(result.states.begin(), result.states.end(), state);
    if (found == result.states.end()) {
      result.states.push_back(state);
      return static_cast<std::uint32_t>(result.states.size() - 1);
    }
    return static_cast<std::uint32_t>(found - result.states.begin());
  };
  struct Frame {
    Op op;
    std::uint32_t event, state, arm;
    bool guard, dead;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> exits;  // arm number in the branch, state
    std::uint32_t arms = 0;
    std::size_t scope = 0;
    bool held = false;  // a Scope whose variable was given its guard later
  };
  std::vector<Frame> frames;
  // The open Scope of the variable that `object` was loaded from.
  auto scope_of = [&](ValueNo object) -> Frame* {
    if (object == kNoValue || object >= view.size() || view.at(object).op != Op::Load) return nullptr;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (frame->op != Op::Scope) continue;
      const ValueNo held = view.operand(view.at(frame->event), 0);
      if (held < view.size() && view.at(held).op == Op::Load && view.at(held).name == view.at(object).name)
        return &*frame;
    }
    return nullptr;
  };
  // Objects that a Hold keeps: the event that made each, and the state before.
  std::vector<std::pair<ValueNo, std::uint32_t>> holds;
  auto made_by = [&](ValueNo object) {
    for (int depth = 0; depth < 64 && object != kNoValue && object < view.size(); ++depth) {
      const Op op = view.at(object).op;
      if (op == Op::Load)
        object = inference_.facts(f).ssa.definition[object];
      else if (op == Op::Store || op == Op::Typed)
        object = view.operand(view.at(object), 0);
      else
        break;
    }
    return object;
  };
  auto join_all = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>>& exits) {
    ModeState joined = result.states[exits[0].second];
    for (const auto& exit : exits)
      if (result.states[exit.second] != joined) joined = join(joined, result.states[exit.second]);
    return joined;
  };
  std::vector<std::uint32_t> exits;  // states at returns and at the end
  std::uint32_t arm = ~0u;
  auto note_condition = [&](const Condition& condition) {
    if (!condition.valid() || condition.parameter > 255) return;
    const auto parameter = static_cast<std::uint8_t>(condition.parameter);
    auto& list = result.condition_parameters;
    if (std::find(list.begin(), list.end(), parameter) == list.end() && list.size() < 6) list.push_back(parameter);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    result.state_of[i] = current;
    result.arm_of[i] = arm;
    const ir::Event& event = view.at(i);
    switch (event.op) {
      case Op::Scope: {
        ModeState state = scope_state(f, view.operand(event, 0), i, 0);
        state.lasts = false;
        const bool guard = state.mode != Mode::Inherit || state.condition.valid();
        Frame frame{event.op, i, current, arm, guard, dead, {}};
        if (const std::uint32_t made = constructing_call(f, i); guard && made != ~0u)
          frame.state = result.state_of[made];
        frame.scope = result.scopes.size();
        if (guard) {
          result.scopes.push_back({i, i, state.condition.valid() ? Mode::Maybe : state.mode});
          note_condition(state.condition);
          current = enter(state);
        }
        frames.push_back(std::move(frame));
        break;
      }
      case Op::Arm: {
        Frame frame{event.op, i, current, arm, false, dead, {}};
        ArmInfo info;
        info.parent = arm;
        if (!frames.empty() && frames.back().op == Op::Branch) {
          Frame& branch = frames.back();
          const ir::Event& opening = view.at(branch.event);
          if ((opening.flags & ir::flag::Match) == 0 && opening.operand_count > 0) {
            conditions_of(f, view.operand(opening, 0), branch.arms == 0, info.conditions, info.never);
            for (const Condition& condition : info.conditions) note_condition(condition);
          }
          ++branch.arms;
        }
        result.arms.push_back(info);
        arm = static_cast<std::uint32_t>(result.arms.size() - 1);
        result.arm_of[i] = arm;
        frames.push_back(std::move(frame));
        break;
      }
      case Op::Loop:
      case Op::Branch:
      case Op::Try:
      case Op::Handler:
      case Op::Finally:
        frames.push_back({event.op, i, current, arm, false, dead, {}});
        break;
      case Op::End: {
        if (frames.empty()) break;
        Frame frame = std::move(frames.back());
        frames.pop_back();
        switch (frame.op) {
          case Op::Scope:
            if (frame.guard || frame.held) current = frame.state;
            if (frame.guard) result.scopes[frame.scope].end = i;
            break;
          case Op::Arm:
          case Op::Handler:
            if (!frames.empty() && !dead) frames.back().exits.emplace_back(frames.back().arms, current);
            current = frame.state;
            dead = frame.dead;
            arm = frame.arm;
            break;
          case Op::Branch: {
            if (frame.exits.empty()) {
              dead = true;
              break;
            }
            bool same = true;
            for (const auto& exit : frame.exits) same &= exit.second == frame.exits[0].second;
            if (same) {
              current = frame.exits[0].second;
            } else {
              ModeState joined = join_all(frame.exits);
              if (frame.exits.size() == 2) {
                // Which arm a value selects is not known of a match.
                const ir::Event& opening = view.at(frame.event);
                const bool is_test = (opening.flags & ir::flag::Match) == 0;
                const Condition condition = is_test ? condition_of(f, view.operand(opening, 0)) : Condition{};
                const ModeState a = result.states[frame.exits[0].second], b = result.states[frame.exits[1].second];
                if (condition.valid() && !a.condition.valid() && !b.condition.valid()) {
                  joined = {a.mode, b.mode, condition};
                  joined.guard_event = a.guard_event != ~0u ? a.guard_event : b.guard_event;
                }
              }
              current = enter(joined);
            }
            break;
          }
          case Op::Loop:
            if (!dead && current != frame.state) result.tails.push_back({frame.event, i, current});
            break;
          case Op::Try:
            if (!frame.exits.empty()) current = frame.exits[0].second;
            break;
          default:
            break;
        }
        break;
      }
      case Op::Return:
        if (!dead) {
          // Leaving a guard's block ends the guard.
          std::uint32_t left = current;
          for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
            if (frame->op == Op::Scope && (frame->guard || frame->held)) left = frame->state;
          }
          exits.push_back(left);
        }
        dead = true;
        break;
      case Op::Raise:
      case Op::Break:
      case Op::Continue:
        dead = true;
        break;
      case Op::Hold: {
        const ModeState state = dead ? ModeState{} : scope_state(f, view.operand(event, 0), i, 0);
        if (state.mode == Mode::Inherit && !state.condition.valid()) break;
        if (Frame* frame = scope_of(view.operand(event, 0))) frame->held = true;
        holds.push_back({made_by(view.operand(event, 0)), current});
        current = enter(state);
        break;
      }
      case Op::Release: {
        if (dead) break;
        Frame* frame = scope_of(view.operand(event, 0));
        if (frame != nullptr) {
          if (frame->guard || frame->held) current = frame->state;
          break;
        }
        const ValueNo made = made_by(view.operand(event, 0));
        auto hold = std::find_if(holds.rbegin(), holds.rend(), [&](const auto& one) { return one.first == made; });
        if (hold != holds.rend()) {
          current = hold->second;
          holds.erase(std::next(hold).base());
          break;
        }
        // Another function made it: which mode was in force before is not known here.
        const ModeState state = scope_state(f, view.operand(event, 0), i, 0);
        if (state.mode != Mode::Inherit) current = enter(maybe());
        break;
      }
      case Op::Call:
        if (dead) break;
        if (auto state = switch_state(f, i)) {
          state->lasts = true;
          const ModeState& before = result.states[current];
          if (state->or_entered != Mode::Inherit && !before.condition.valid() && before.mode != Mode::Inherit) {
            state->mode = resolve(*state, before.mode, {});
            state->or_entered = Mode::Inherit;
          }
          current = enter(*state);
        }
        break;
      default:
        break;
    }
  }
  if (!dead) exits.push_back(current);
  std::sort(exits.begin(), exits.end());
  exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
  if (exits.size() == 1 && exits[0] != 0) result.exit = result.states[exits[0]];
  if (exits.size() > 1) {
    result.exit = result.states[exits[0]];
    for (std::uint32_t exit : exits)
      if (result.states[exit] != result.exit) result.exit = join(result.exit, result.states[exit]);
  }
  return result;
}

}  // namespace deadgrad::engine
