// What phase A (inference.h) finds out about each function: the value of every event, and what every call may run.
// Later phases read it and never change it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/engine/ssa.h"
#include "analyzer/engine/value.h"
#include "analyzer/model/api_model.h"

namespace deadgrad::engine {

enum class TargetKind : std::uint8_t {
  Direct,        // called here, arguments bound by position
  Constructor,   // __init__ of a new object
  Forward,       // the forward of a module that is called
  Callback,      // handed to code that is not in view, which calls it from here or later on this thread
  Spawn,         // runs on another thread, which starts with grad on
  SpawnInherit,  // runs on another thread, which starts with the caller's mode
};

struct CallTarget {
  FuncId function;
  TargetKind kind = TargetKind::Direct;
  std::uint8_t shift = 0;     // number of the parameter that the first written argument binds to
  bool has_receiver = false;  // parameter 0 is the receiver
  auto operator<=>(const CallTarget&) const = default;
};

// How sure it is that a callee is a model.
enum class Evidence : std::uint8_t { None, Name, Duck, Proven };

struct EffectUse {
  const model::Effect* effect = nullptr;
  bool receiver_is_module = false;
  bool operator==(const EffectUse&) const = default;
};

struct CallSite {
  std::uint32_t event = 0;  // local index
  std::vector<CallTarget> targets;
  std::vector<EffectUse> effects;
  Evidence runs_module = Evidence::None;  // the callee itself is a module (or a forward method of one)
  bool named_method = false;              // Evidence::Name by the receiver's name alone
  bool library_module = false;            // … of a library class: nothing below is in view
  bool module_method = false;             // a project class's method on a module instance, other than its forward
  bool without_parameters = false;        // the module has none of its own (a loss, an activation)
  bool guarded_inside = false;            // runs a forward under a guard of its own
  bool frozen = false;                    // every module it may run is born without parameters that require grad
  bool unresolved = false;                // may run code that is not in view
  bool maybe_other = false;               // the callee may be something beside what is listed
  bool constructs = false;                // the callee is a class
  bool data_only = false;                 // the callee lives in a package that never calls backward
};

struct FunctionFacts {
  Ssa ssa;
  std::vector<Value> values;        // by value number
  std::vector<std::uint8_t> marks;  // by event, for Inference
  std::vector<std::uint8_t> due;    // by event, for Inference: a cell that it reads has changed
  bool everything_due = true;
  std::vector<CallSite> calls;  // sorted by event
  // Guards put on the function by decorators; Api/Guard decorators that do something else leave this alone.
  model::Guard decorator_guard = model::Guard::None;
  model::GuardKind decorator_kind = model::GuardKind::None;
  std::uint32_t decorator_event = ~0u;                 // event number of the Decorator event
  std::vector<std::pair<FuncId, ValueNo>> decorators;  // Decorator values, in the function that holds the definition
  model::Entry entry = model::Entry::None;
  bool evaluated = false;

  const CallSite* call_at(std::uint32_t event) const {
    auto at = std::lower_bound(calls.begin(), calls.end(), event,
                               [](const CallSite& site, std::uint32_t e) { return site.event < e; });
    return at == calls.end() || at->event != event ? nullptr : &*at;
  }
};

enum class CellKind : std::uint8_t { Param, Return, Attribute, AnyAttribute, Global, Captured, Element, Yield };
struct CellKey {
  CellKind kind;
  std::uint32_t a = 0, b = 0;
  auto operator<=>(const CellKey&) const = default;
};
// Keys of Element cells: 0 joins all elements, positions and names have cells of their own beside it, and so has what
// was put in later under keys that are not known.
inline constexpr std::uint32_t kAnyKey = 0xffff;
inline std::uint32_t position_key(std::size_t position) {
  return position < kAnyKey - 1 ? static_cast<std::uint32_t>(position) + 1 : 0;
}
inline std::uint32_t name_key(NameId name) {
  return name.index | 0x80000000u;
}

struct CellKeyHash {
  std::size_t operator()(const CellKey& key) const {
    std::uint64_t h = (static_cast<std::uint64_t>(key.a) << 32 | key.b) * 0x9e3779b97f4a7c15ull;
    return static_cast<std::size_t>(h ^ (h >> 29) ^ static_cast<std::uint64_t>(key.kind) * 0xbf58476d1ce4e5b9ull);
  }
};

}  // namespace deadgrad::engine
