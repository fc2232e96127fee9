// Phase A: which object is what, and what each call runs. A monotone fixpoint over cells (parameters, returns,
// attributes, globals, captured names, container elements): functions are evaluated until no cell changes, then once
// more to record calls.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/engine/facts.h"

namespace deadgrad::engine {

// A class with more subclasses than this is not searched downwards for overrides.
inline constexpr std::size_t kMostDescendants = 64;

class Inference {
 public:
  explicit Inference(Program& program);
  void run();

  const Program& program() const { return program_; }
  const FunctionFacts& facts(FuncId f) const { return facts_[f.index]; }
  std::span<const Atom> atoms(Value value) const { return table_.atoms(value.set); }
  const ValueTable& table() const { return table_; }
  // The value with parameter aliases replaced by what the parameters may be.
  Value expand(Value value, FuncId f) const;
  Value value_of(FuncId f, ValueNo value) const;

  bool is_module_class(TypeId type) const;
  // A library module with parameters of its own is among its bases.
  bool derives_from_layer(TypeId type) const;
  // The library classes that `type` derives from, nearest first; then the project classes, itself included.
  const std::vector<NameId>& api_bases(TypeId type) const;
  const std::vector<TypeId>& ancestry(TypeId type) const;
  const std::vector<TypeId>& descendants(TypeId type) const;
  // The methods `name` may mean on an instance: the nearest definition, and overrides of subclasses if
  // `maybe_subclass`.
  std::vector<FuncId> methods(TypeId type, NameId name, bool maybe_subclass) const;
  // The nearest class's own constructors, and its call operators.
  std::vector<FuncId> constructors(TypeId type) const;
  std::vector<FuncId> call_operators(TypeId type, bool maybe_subclass) const;
  // What a loop over this object runs: its __iter__, and the __next__ of what that returns.
  std::vector<FuncId> iterators(Atom object) const;
  // The cell an attribute access on this atom means, if the object is the project's.
  std::vector<CellKey> attribute_cells(Value object, NameId name) const;
  FuncId captured_owner(FuncId f, NameId name) const;
  const Value* cell(const CellKey& key) const;
  bool is_captured(FuncId owner, NameId name) const;
  // The default of a parameter; nothing if it has none.
  Value default_of(FuncId f, std::uint32_t parameter) const;
  bool is_module_atom(Atom atom) const;
  bool may_be_module(Value value) const;
  bool only_data(Value value) const;
  // May it be a tensor?
  bool is_tensor(FuncId f, ValueNo value) const;
  NameId generic_module() const { return generic_module_; }

 private:
  struct Cell {
    Value value;
    std::vector<std::uint64_t> readers;  // (function, event), sorted
  };
  struct Arguments {
    std::vector<ValueNo> positional;
    std::vector<std::pair<NameId, ValueNo>> named;
    ValueNo star = kNoValue;  // the first `*`; what is written behind it is left out
    std::vector<ValueNo> double_stars;
    bool has_star() const { return star != kNoValue || !double_stars.empty(); }
  };
  struct Hierarchy {
    std::vector<TypeId> ancestry;
    std::vector<TypeId> descendants;
    std::vector<NameId> api_bases;
    bool module = false;
  };

  // inference.cpp: the fixpoint and the evaluation of events
  void prepare();
  void mark_places();
  bool marked(std::uint32_t event, std::uint8_t mark) const { return (now_->marks[event] & mark) != 0; }
  void drain();
  void evaluate(FuncId f);
  Value evaluate_event(std::uint32_t i);
  Value without_functions(Value value);
  Value evaluate_load(const ir::Event& event, std::uint32_t i);
  Value evaluate_store(const ir::Event& event, std::uint32_t i);
  Value evaluate_make_function(const ir::Event& event);
  Value decorated(Atom decorator, Value function);
  Value evaluate_make_class(const ir::Event& event, std::uint32_t i);
  Value evaluate_scope(const ir::Event& event, std::uint32_t i);
  Value evaluate_typed(const ir::Event& event);
  Value instance_of(Value type);

  // containers.cpp
  Value evaluate_container(const ir::Event& event, std::uint32_t i);
  Value evaluate_iterate(Value iterable);
  Value next_of(Atom iterator);
  Value result_of_method(FuncId f, Atom receiver);
  Value evaluate_item(const ir::Event& event, std::uint32_t i);
  Value element_at(Atom container, Value index);
  Value keyed_element(Atom container, std::uint32_t key);
  Value evaluate_slice(Atom container, const ir::Event& slice, std::uint32_t i);
  Value copy_elements(Atom container, std::uint32_t first, std::uint32_t last, std::uint32_t i);
  Value evaluate_unpack(const ir::Event& event, std::uint32_t i);
  Value unpacked(Atom container, const ir::Event& event, std::uint32_t i);
  void store_item(Value object, ValueNo index, Value value);

  // lookup.cpp
  Value read_attribute(Value object, NameId name, std::uint32_t i);
  Value module_attribute(ModuleId module, NameId name, int depth);
  const std::vector<TypeId>& holders(TypeId type, NameId name, std::vector<TypeId>& some);
  Value class_attribute(TypeId type, NameId name, bool maybe_subclass);
  Value bind(Value member, NameId name, Atom receiver, bool through_class, std::uint32_t i);
  Value read_global(NameId name);
  Value submodule(ModuleId module, NameId name);
  static constexpr std::uint8_t kStoredElsewhere = 1, kCaptured = 2;  // FunctionFacts::marks
  Value import_module(std::string_view dotted, bool top, bool exact);
  std::vector<TypeId> resolution_order(TypeId type) const;
  void rebuild_hierarchy() const;
  FuncId find_captured_owner(FuncId f, NameId name) const;
  // Made by a function other than a module's body: its bases may become known late.
  bool is_local_class(TypeId type) const;
  bool defines_in_body(TypeId type, NameId name) const;
  bool is_in_body(TypeId type, NameId name) const;  // … or that of a base
  NameId lookup_symbol(Atom object) const;

  // binding.cpp
  ValueNo argument_number(const Arguments& arguments, const model::ArgumentRef& ref) const;
  Value argument(const Arguments& arguments, const model::ArgumentRef& ref) const;
  bool fits(Atom callee, const Arguments& arguments) const;
  bool fits(FuncId f, std::size_t bound, const Arguments& arguments) const;
  bool has_other_bases(TypeId type, TypeId owner);
  void keep_rest(FuncId target, std::size_t parameter, std::uint32_t key, Value value);
  void spread(FuncId target, std::size_t position, const Arguments& arguments);
  Value call_function(FuncId target, TargetKind kind, std::optional<Atom> receiver, const Arguments& arguments,
                      std::size_t already_bound = 0);

  // calls.cpp
  Value evaluate_call(const ir::Event& event, std::uint32_t i);
  Value call_atom(Atom callee, const Arguments& arguments, std::uint32_t i);
  Value named_result(NameId symbol, Value result);
  Value call_class(TypeId type, const Arguments& arguments);
  Value call_module(Atom module, const Arguments& arguments, std::uint32_t i);
  Value call_api(Atom callee, const Arguments& arguments, std::uint32_t i);
  Value apply_effect(const model::Effect& effect, Value receiver, const Arguments& arguments, std::uint32_t i,
                     bool receiver_is_module, NameId callee_symbol);
  Value result_value(const model::ResultFacts& facts, Value receiver, const Arguments& arguments, NameId symbol,
                     std::uint32_t i);
  Value elements_of(Value receiver, std::uint32_t i);
  Value picked_element(Value receiver, Value key);
  void guard_function(FuncId f, model::Guard guard, model::GuardKind kind, std::uint32_t event);
  void apply_guarding_decorator(FuncId decorator, FuncId decorated, int depth);
  bool is_instance(Value value) const;
  bool is_class(Value value) const;
  Value returned_by(Value callable);
  void hand_over(Value callable, TargetKind kind, std::size_t depth = 0);
  const model::Effect* any_effect(NameId name);
  // The API model's answers, remembered by name.
  const model::Effect* effect_of(NameId symbol);
  const model::ClassFacts* class_of(NameId symbol);
  const model::Effect* member_of(NameId symbol, NameId name);
  void note_module(ValueNo value, std::size_t depth = 0);
  void learn(ValueNo value, Value news);
  void note_call(CallTarget target);
  void note_site(CallSite site);

  Value get(ValueNo value) const;
  Value full(ValueNo value) { return expand_reading(get(value)); }
  Value expand_reading(Value value);
  Value read(const CellKey& key);
  void contribute(const CellKey& key, Value value);
  Value widen(Value value);
  SetId without_data(SetId set);
  void wake(const Cell& cell);
  void enqueue(FuncId f);        // some of its events are due
  void enqueue_whole(FuncId f);  // all of them
  bool operand_changed(std::uint32_t i) const;
  ValueNo operand(const ir::Event& event, std::size_t k) const;
  const ir::Event& event_at(std::uint32_t i) const;
  NameId name_of(StrId local) const { return program_.name(current_info_->module, local); }

  Program& program_;
  ValueTable table_;
  std::vector<FunctionFacts> facts_;
  std::uint32_t cell_number(const CellKey& key);
  Cell& cell_at(const CellKey& key) { return cells_[cell_number(key)]; }
  Value read(Cell& cell);
  // A function's parameters, return and yield have cells side by side; the number of the one `key` means, or ~0.
  std::uint32_t fixed_cell(const CellKey& key) const;
  std::vector<std::uint32_t> first_cell_;  // by function: of parameter 0; then the other parameters, Return, Yield
  // Cells by key, and in front of the table a direct-mapped cache of the last key seen per slot.
  std::unordered_map<CellKey, std::uint32_t, CellKeyHash> cell_index_;
  std::deque<Cell> cells_;
  struct Slot {
    CellKey key{CellKind::Param, ~0u, ~0u};
    std::uint32_t index = 0;
  };
  std::vector<Slot> recent_cells_ = std::vector<Slot>(1 << 14);
  std::unordered_map<std::uint64_t, Value> api_attributes_;  // (symbol, name): what `symbol.name` is
  std::unordered_map<std::uint64_t, Value> submodules_;      // (module, name)
  std::unordered_map<std::uint64_t, bool> other_bases_;
  std::unordered_map<SetId, SetId> widened_, without_data_;
  std::unordered_map<NameId, Value> builtins_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      global_cells_;  // (module, name): its cell, ~0 if it defines no such name
  std::unordered_map<NameId, std::vector<TypeId>>
      attribute_owners_;     // classes with something stored in attribute `name`
  ModuleId effects_module_;  // the module that any_effects_ is about
  std::vector<char> queued_;
  std::vector<std::uint64_t> order_;  // by function: import rank of its module, then id
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint8_t> evaluations_;
  std::vector<std::vector<Atom>> bases_;  // by type
  std::vector<char> made_;                // by type: its MakeClass was evaluated
  mutable std::vector<Hierarchy> hierarchy_;
  mutable bool hierarchy_stale_ = true;
  std::unordered_map<FuncId, TypeId> class_of_body_;
  std::vector<std::vector<FuncId>> constructors_;                      // by type, its own
  std::vector<std::unordered_map<NameId, bool>> class_names_;          // by type: names stored in the class body
  std::vector<std::vector<Atom>> star_sources_;                        // by module
  mutable std::unordered_map<std::uint64_t, FuncId> captured_owners_;  // (function, name), memo
  std::unordered_map<std::uint64_t, bool> captured_names_;  // (owner function, name): some nested function reads it
  std::unordered_map<std::uint64_t, Value> defaults_;       // (function, parameter): its default
  std::unordered_set<std::uint64_t> stored_elsewhere_;      // (owner function, name): nested functions store it too
  std::unordered_map<NameId, const model::Effect*> effects_;
  std::unordered_map<NameId, const model::ClassFacts*> class_facts_;
  std::unordered_map<std::uint64_t, const model::Effect*> members_;
  std::unordered_map<NameId, const model::Effect*> any_effects_;  // of the current module
  NameId generic_module_, torch_module_, name_forward_, name_call_, name_call_operator_, name_enter_, name_iter_,
      name_next_;
  // In the first fixpoint a place that nothing was put into yet means nothing. What is still empty then is unknown in
  // the second, where declared types and duck typing join in.
  bool guessing_ = false;
  bool bodies_only_ = true;            // before the first fixpoint: module and class bodies
  std::uint32_t event_number_ = 0;     // the event under evaluation
  std::vector<std::uint8_t> changed_;  // by value number: the pass of this evaluation in which it last changed
  std::uint8_t pass_ = 0;
  bool learned_ = false;  // learn() added something in this pass

  // The function under evaluation.
  FuncId current_;
  const FunctionInfo* current_info_ = nullptr;
  const ir::Module* module_ = nullptr;
  const ir::Function* function_ = nullptr;
  FunctionFacts* now_ = nullptr;
  CallSite* site_ = nullptr;
  CallSite scratch_;
  // Buffers of evaluate_call and call_function, kept for their capacity. Neither runs within itself.
  Arguments arguments_;
  std::vector<Value> bound_;
  std::vector<char> is_bound_;
};

}  // namespace deadgrad::engine
