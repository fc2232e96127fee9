// Phase C: in which mode, and with which fate of its results, each function is really entered. Breadth first from the
// entry points, so the first arrival at a context is its shortest witness.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "analyzer/engine/flow.h"
#include "analyzer/engine/modes.h"

namespace deadgrad::engine {

using ContextId = Id<struct ContextTag>;

enum class EntryKind : std::uint8_t {
  None,
  ModuleBody,
  Uncalled,
  ByName,  // a method that nobody calls but on objects of which nothing is known, all under guards
  Handler,
  Hook,
  Cycle
};

struct Context {
  FuncId function;
  Mode mode = Mode::On;  // never Inherit
  Fate results;          // of what the function returns, here
  Bindings bindings;
  bool in_model = false;  // below a forward: layers called here are no sites
  ContextId parent;
  std::uint32_t call_event = 0;  // in the parent
  std::uint16_t depth = 0;
  EntryKind entry = EntryKind::None;  // contexts without parent
  bool through_thread = false;
  // Entered on a thread of its own, where the mode of whoever starts it does not hold: that mode. Inherit: on its
  // caller's thread.
  Mode starter = Mode::Inherit;
  bool from_tests = false;
};

// A forward with the grad mode on in one context.
struct Exposure {
  FuncId function;
  std::uint32_t event = 0;
  ContextId context;
  Mode mode = Mode::On;
  Fate fate;
};

class Contexts {
 public:
  Contexts(const Inference& inference, Modes& modes, Flow& flow);
  void run();

  const std::vector<Context>& all() const { return contexts_; }
  const Context& at(ContextId id) const { return contexts_[id.index]; }
  const std::vector<ContextId>& of(FuncId f) const { return by_function_[f.index]; }
  // Every (site, context) pair, whatever its mode and fate.
  const std::vector<Exposure>& exposures() const { return exposures_; }
  // Does the function, or anything it may run, call backward or step an optimizer?
  bool trains_below(FuncId f) const { return trains_[f.index] != 0; }
  bool trains_itself(FuncId f) const { return trains_[f.index] == 2; }
  // Does anything it may run begin a forward?
  bool forwards_below(FuncId f) const { return forwards_[f.index] != 0; }
  bool is_test_module(ModuleId module) const;
  // Is every module that this call may run frozen?
  bool is_frozen(FuncId f, std::uint32_t event);
  // What is stored in an attribute, global or captured name, and by which functions.
  const std::vector<std::pair<FuncId, ValueNo>>& stores_into(const CellKey& key);
  Mode mode_at(const Context& context, std::uint32_t event);
  bool is_dead(const Context& context, std::uint32_t event);
  // The parameters of a call's target that have known values there.
  Bindings bind(FuncId f, std::uint32_t event, const CallTarget& target, const Context& context);
  // Who set the mode in which the event runs in this context.
  struct ModeSource {
    ContextId context;                 // whose function holds the statement that set it, or where the walk ended
    std::uint32_t at = 0;              // the event in that function which runs in the mode, or whose call does
    const ModeState* state = nullptr;  // null: nobody did; it is the mode in which a thread or entry begins
  };
  ModeSource source_of(ContextId context, std::uint32_t event);

 private:
  void summarize();
  bool runs_own_layers(FuncId f) const;
  void add_entries();
  void index_calls_by_name();
  bool is_guarded_by_name(FuncId method);
  void drain();
  void visit(ContextId id);
  void enqueue(Context context);
  bool is_site(FuncId f, const CallSite& site, const Context& context);
  bool is_opaque_method(const CallSite& site, const CallTarget& target);
  bool has_parameters(TypeId type, int depth = 0);
  const std::vector<CellKey>& stores_of(FuncId f, int depth);
  bool differentiates_attribute(FuncId f, const CallSite& site);
  std::vector<CellKey> side_stores(FuncId f, const CallSite& site);
  std::optional<bool> flag_set_by(FuncId f);
  ValueNo module_of_part(FuncId f, ValueNo value) const;
  bool local_is_frozen(FuncId f, ValueNo local, std::uint32_t at) const;
  bool root_is_frozen(FuncId f, ValueNo module, std::uint32_t at, int depth);
  bool elements_are_frozen(FuncId f, std::uint32_t event, std::uint32_t at, int depth);
  void collect_freezes();
  bool cell_is_frozen(const CellKey& key, int depth);

  const Inference& inference_;
  const Program& program_;
  Modes& modes_;
  Flow& flow_;
  std::vector<Context> contexts_;
  std::vector<ContextId> level_, next_;
  std::map<std::tuple<std::uint32_t, Mode, Tri, std::uint8_t, bool, bool,
                      std::vector<std::pair<std::uint8_t, std::uint64_t>>>,
           ContextId>
      known_;
  std::vector<std::vector<ContextId>> by_function_;
  std::vector<Exposure> exposures_;
  std::vector<char> trains_, forwards_, reached_;
  // Value roots whose module something freezes (true) or unfreezes, by event.
  std::map<std::pair<FuncId, ValueNo>, std::map<std::uint32_t, bool>> freezes_;
  std::map<CellKey, bool> frozen_cells_;                               // true frozen, false unfrozen somewhere
  std::map<std::pair<FuncId, std::uint32_t>, bool> frozen_params_;     // a function freezes this parameter of its own
  std::map<CellKey, std::vector<std::pair<FuncId, ValueNo>>> stores_;  // what is stored where; filled on first need
  struct NamedCall {
    FuncId function;
    std::uint32_t event;
  };
  std::map<NameId, std::vector<NamedCall>> calls_by_name_;  // of methods on objects of which nothing is known
  std::map<TypeId, bool> has_parameters_;
  std::map<FuncId, std::vector<CellKey>> side_stores_;
  std::map<std::tuple<FuncId, ValueNo, std::uint32_t>, bool> frozen_memo_;
};

}  // namespace deadgrad::engine
