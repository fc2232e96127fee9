// Certain overwriting of attributes: which values, stored elsewhere, a load can no longer meet. `Flow` asks it when a
// graph is stored in an attribute. What is not certain (a branch, a loop, another object) shields nothing.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

class Flow;

// An attribute of an object as one function sees it: a root and the names that lead from there, the attribute last.
struct Access {
  enum class Root : std::uint8_t { Param, Local, Global };
  Root root = Root::Local;
  std::uint32_t a = 0, b = 0;  // parameter number; value number; module and name
  std::vector<NameId> names;
  auto operator<=>(const Access&) const = default;
};

// Between an overwriting and a load of the same attribute, or on the way from a call to the load.
struct Shield {
  struct Call {
    FuncId caller;
    std::uint32_t event = 0;
    FuncId target;
    auto operator<=>(const Call&) const = default;
  };
  bool holds = false;
  std::vector<FuncId> between;  // who may run there, and may store again. Sorted
  std::vector<Call> calls;      // … called by the function itself. Sorted
};

class Kills {
 public:
  // `flow` must outlive it; only its callers and arguments are asked for.
  Kills(const Inference& inference, const Flow& flow);
  // Does anything but a constructor overwrite attributes of this name?
  bool any(NameId attribute) const { return stores_.contains(attribute); }
  // What a LoadAttribute event reads; nothing if the object has no name here (an element, a captured variable).
  std::optional<Access> access_of(FuncId f, std::uint32_t load) const;
  // The same attribute, in the caller's terms.
  std::optional<Access> at_caller(const Access& access, FuncId caller, std::uint32_t call,
                                  const CallTarget& target) const;
  // Holds if the function itself certainly overwrites the attribute before the event.
  const Shield& before(FuncId f, std::uint32_t event, const Access& access);
  // Holds if what callers overwrite is still overwritten when the event, a load or a call, is reached.
  const Shield& beside(FuncId f, std::uint32_t event, const Access& access);

 private:
  struct Brackets {
    std::vector<std::uint32_t> around;      // by event: the innermost loop, arm or handler, or kNoValue
    std::uint32_t first_return = kNoValue;  // before which a store at the top is certain
    bool yields = false;
  };
  const Brackets& brackets(FuncId f);
  std::uint32_t end_of(FuncId f, std::uint32_t bracket) const;
  bool dominates(FuncId f, std::uint32_t event, std::uint32_t later);
  bool is_conditional(FuncId f, std::uint32_t call) const;
  std::optional<Access> access_of(FuncId f, ValueNo object, NameId attribute) const;
  std::uint32_t last_overwriting(FuncId f, std::uint32_t before, const Access& access, int depth);
  bool call_overwrites(FuncId f, const CallSite& site, const Access& access, int depth);
  bool overwrites(FuncId f, const Access& access, int depth);
  bool is_rebound(FuncId f, std::uint32_t from, std::uint32_t to, const Access& access) const;
  std::uint32_t window_end(FuncId f, std::uint32_t from, std::uint32_t event) const;
  bool called_only_in_view(FuncId f) const;
  bool add_running(FuncId f, std::uint32_t from, std::uint32_t to, std::uint32_t without, Shield& shield);

  const Inference& inference_;
  const Program& program_;
  const Flow& flow_;
  std::size_t work_ = 0;
  std::unordered_map<NameId, std::vector<std::pair<FuncId, std::uint32_t>>> stores_;  // sorted; not of constructors
  std::unordered_map<FuncId, Brackets> brackets_;
  std::map<std::tuple<FuncId, std::uint32_t, Access>, Shield> before_, beside_;
  std::map<std::pair<FuncId, Access>, bool> overwrites_;
};

}  // namespace deadgrad::engine
