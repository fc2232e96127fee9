// The grad mode along each function, from its brackets alone: what guards, switches and conditional guards make of the
// mode it is entered with. One pass per function, on demand.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

enum class Mode : std::uint8_t { Inherit, On, NoGrad, Inference, Maybe /* depends on a flag that is not known */ };

inline bool is_off(Mode mode) {
  return mode == Mode::NoGrad || mode == Mode::Inference;
}

// A test on a parameter of the function: `p`, `p == constant`, `p is None`, or their negation.
struct Condition {
  int parameter = -1;
  bool negated = false;
  enum class Kind : std::uint8_t { Truthy, Equals, IsNone } kind = Kind::Truthy;
  Atom constant;
  bool valid() const { return parameter >= 0; }
  auto operator<=>(const Condition&) const = default;
};

struct ModeState {
  Mode mode = Mode::Inherit;       // when the condition holds, or always
  Mode otherwise = Mode::Inherit;  // when it does not; only with a valid condition
  Condition condition;
  Mode or_entered = Mode::Inherit;  // Maybe: this mode, or the one the function is entered with
  std::uint32_t guard_event = ~0u;  // event number of the scope, decorator or switch that set it; ~0: as entered
  bool lasts = false;               // set by a switch: no end of a block undoes it
  bool grad_mode_only = false;      // turns grad mode on and leaves inference mode, if that holds, in force
  auto operator<=>(const ModeState&) const = default;
};

// Values that parameters are known to have in one context, sorted by parameter.
struct Binding {
  std::uint8_t parameter;
  Atom value;
  auto operator<=>(const Binding&) const = default;
};
using Bindings = std::vector<Binding>;

// Does the condition hold? No answer if the bindings do not say.
std::optional<bool> holds(const Condition& condition, const Bindings& bindings);

struct ArmInfo {
  std::uint32_t parent = ~0u;         // enclosing arm, index into FunctionModes::arms
  std::vector<Condition> conditions;  // all of which hold where the arm runs, as far as they are tests of parameters
  bool never = false;                 // a constant condition rules it out
};

struct GuardScope {
  std::uint32_t event = 0;  // local index of the Scope
  std::uint32_t end = 0;    // of its End
  Mode mode = Mode::Inherit;
};

// A loop whose turns end in another mode than the first begins in: further turns begin in it.
struct LoopTail {
  std::uint32_t loop = 0, end = 0;  // local events
  std::uint32_t state = 0;          // index into FunctionModes::states
};

struct FunctionModes {
  std::vector<std::uint32_t> state_of;  // by local event, into states
  std::vector<ModeState> states;
  std::vector<std::uint32_t> arm_of;  // by local event: innermost arm, ~0 if none
  std::vector<ArmInfo> arms;
  std::vector<GuardScope> scopes;
  std::vector<LoopTail> tails;
  ModeState exit;  // how the function leaves this thread's mode; Inherit: as entered
  std::vector<std::uint8_t> condition_parameters;

  const ModeState& at(std::uint32_t event) const { return states[state_of[event]]; }
};

// The mode that a state means in a function entered in mode `entered`.
Mode resolve(const ModeState& state, Mode entered, const Bindings& bindings);

// Does some branch around the event rule it out under these bindings?
bool is_dead(const FunctionModes& modes, std::uint32_t event, const Bindings& bindings);

class Modes {
 public:
  explicit Modes(const Inference& inference) : inference_(inference) {}
  const FunctionModes& of(FuncId f);
  // How a call of `f` changes the caller's thread.
  ModeState exit_of(FuncId f);
  // What an object of a project's class makes of the mode while it lives; Inherit: it is no guard.
  ModeState instance_state(TypeId type);
  // The test that `value` is, seen through loads, `not` and comparisons with constants.
  Condition condition_of(FuncId f, ValueNo value) const;
  // The tests that must hold for `value` to be true (or false): several where it is a conjunction.
  void conditions_of(FuncId f, ValueNo value, bool truth, std::vector<Condition>& out, bool& never,
                     int depth = 0) const;

 private:
  FunctionModes compute(FuncId f);
  ModeState scope_state(FuncId f, ValueNo object, std::uint32_t scope_event, int depth);
  ModeState guard_state(FuncId f, Atom guard) const;
  std::optional<ModeState> switch_state(FuncId f, std::uint32_t event);
  std::uint32_t constructing_call(FuncId f, std::uint32_t scope);

  const Inference& inference_;
  std::unordered_map<FuncId, FunctionModes> cache_;
  std::unordered_map<FuncId, bool> in_progress_;
  int depth_ = 0;
};

}  // namespace deadgrad::engine
