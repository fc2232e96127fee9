#include "analyzer/engine/inference.h"

#include <algorithm>

namespace deadgrad::engine {

using ir::Op;

// Values only grow, so the fixpoint ends by itself; this bounds what a pathological program can cost.
inline constexpr std::uint8_t kMostEvaluations = 60;

Inference::Inference(Program& program) : program_(program) {
  generic_module_ = program_.names.intern("?module");
  torch_module_ = program_.names.intern("torch.nn.Module");
  name_forward_ = program_.names.intern("forward");
  name_call_ = program_.names.intern("__call__");
  name_call_operator_ = program_.names.intern("operator()");
  name_enter_ = program_.names.intern("__enter__");
  name_iter_ = program_.names.intern("__iter__");
  name_next_ = program_.names.intern("__next__");
}

static std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | b;
}

void Inference::prepare() {
  facts_.resize(program_.functions.size());
  first_cell_.assign(program_.functions.size(), ~0u);
  queued_.assign(program_.functions.size(), 0);
  for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
    order_.push_back(static_cast<std::uint64_t>(program_.import_rank(program_.functions[FuncId{f}].module)) << 32 | f);
  }
  evaluations_.assign(program_.functions.size(), 0);
  bases_.resize(program_.classes.size());
  made_.assign(program_.classes.size(), 0);
  class_names_.resize(program_.classes.size());
  star_sources_.resize(program_.modules().size());
  constructors_.resize(program_.classes.size());
  for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
    const TypeId owner = program_.functions[FuncId{f}].owner;
    if (owner.valid() && program_.function(FuncId{f}).is_constructor && !program_.functions[FuncId{f}].is_left_out)
      constructors_[owner.index].push_back(FuncId{f});
  }
  for (std::uint32_t c = 0; c < program_.classes.size(); ++c)
    class_of_body_.emplace(program_.classes[TypeId{c}].body, TypeId{c});
  for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
    const FuncId id{f};
    const FunctionInfo& info = program_.functions[id];
    if (!program_.is_relevant(info.module) || info.is_left_out) continue;
    const ir::Module& module = program_.module(info.module);
    const ir::Function& function = program_.function(id);
    first_cell_[f] = static_cast<std::uint32_t>(cells_.size());
    cells_.resize(cells_.size() + function.parameter_count + 2);
    facts_[f].ssa = build_ssa(module, function);
    facts_[f].values.assign(facts_[f].ssa.value_count(), Value{});
    facts_[f].due.assign(facts_[f].ssa.event_count, 0);
    for (std::uint32_t i = 0; i < function.event_count; ++i) {
      const ir::Event& event = module.events[function.first_event.index + i];
      if ((event.op == Op::Load || event.op == Op::Store) &&
          (event.flags & ir::flag::kPlaceMask) == ir::flag::Captured) {
        const NameId captured = program_.name(info.module, event.name);
        if (FuncId owner = captured_owner(id, captured); owner.valid())
          captured_names_.emplace(pair_key(owner.index, captured.index), true);
      }
      if (event.op != Op::Store) continue;
      const NameId name = program_.name(info.module, event.name);
      const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
      if (function.kind == ir::FunctionKind::ClassBody && place == ir::flag::Local) {
        if (auto type = class_of_body_.find(id); type != class_of_body_.end())
          class_names_[type->second.index].emplace(name, true);
      }
      if (place == ir::flag::Global && function.kind != ir::FunctionKind::ModuleBody) {
        stored_elsewhere_.insert(pair_key(program_.body_of(info.module).index, name.index));
      }
      if (place == ir::flag::Captured) {
        if (FuncId owner = captured_owner(id, name); owner.valid()) {
          stored_elsewhere_.insert(pair_key(owner.index, name.index));
        }
      }
    }
  }
}

// Notes on each load and store whether nested functions share its place, so that evaluation need not ask.
void Inference::mark_places() {
  for (std::uint32_t f = 0; f < facts_.size(); ++f) {
    const FuncId id{f};
    const FunctionInfo& info = program_.functions[id];
    if (facts_[f].values.empty() && program_.function(id).event_count > 0) continue;
    const ir::Module& module = program_.module(info.module);
    const ir::Function& function = program_.function(id);
    facts_[f].marks.assign(function.event_count, 0);
    for (std::uint32_t i = 0; i < function.event_count; ++i) {
      const ir::Event& event = module.events[function.first_event.index + i];
      if (event.op != Op::Load && event.op != Op::Store) continue;
      const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
      if (place == ir::flag::Captured) continue;
      const NameId name = program_.name(info.module, event.name);
      const FuncId owner = place == ir::flag::Local ? id : program_.body_of(info.module);
      if (stored_elsewhere_.contains(pair_key(owner.index, name.index))) facts_[f].marks[i] |= kStoredElsewhere;
      if (captured_names_.contains(pair_key(f, name.index))) facts_[f].marks[i] |= kCaptured;
    }
  }
}

void Inference::run() {
  prepare();
  mark_places();
  // Module and class bodies first: they make classes and functions known.
  for (std::uint32_t f = 0; f < facts_.size(); ++f) {
    const ir::FunctionKind kind = program_.function(FuncId{f}).kind;
    if (!facts_[f].values.empty() && (kind == ir::FunctionKind::ModuleBody || kind == ir::FunctionKind::ClassBody))
      enqueue_whole(FuncId{f});
  }
  drain();
  bodies_only_ = false;
  // Then constructors, which fill attributes, then everything.
  for (const bool constructors_only : {true, false}) {
    std::fill(evaluations_.begin(), evaluations_.end(), 0);
    for (std::uint32_t f = 0; f < facts_.size(); ++f) {
      if (!facts_[f].values.empty() && (!constructors_only || program_.function(FuncId{f}).is_constructor))
        enqueue_whole(FuncId{f});
    }
    drain();
  }
  guessing_ = true;
  std::fill(evaluations_.begin(), evaluations_.end(), 0);
  for (std::uint32_t f = 0; f < facts_.size(); ++f) {
    if (!facts_[f].values.empty()) enqueue_whole(FuncId{f});
  }
  drain();
}

void Inference::wake(const Cell& cell) {
  for (std::uint64_t reader : cell.readers) {
    const auto f = static_cast<std::uint32_t>(reader >> 32);
    facts_[f].due[static_cast<std::uint32_t>(reader)] = 1;
    enqueue(FuncId{f});
  }
}

void Inference::enqueue_whole(FuncId f) {
  if (facts_[f.index].values.empty()) return;
  facts_[f.index].everything_due = true;
  enqueue(f);
}

void Inference::enqueue(FuncId f) {
  if (queued_[f.index] || facts_[f.index].values.empty()) return;
  queued_[f.index] = 1;
  queue_.push_back(f.index);
}

// Rounds: all functions that are due are evaluated in a fixed order, imported modules' first, and what they dirty after
// their turn waits for the next round. Small functions settle before large ones are looked at: they are what others
// call, and large ones cost most to evaluate again.
void Inference::drain() {
  for (const std::uint32_t largest : {150u, 600u, ~0u}) {
    std::vector<std::uint32_t> later;
    while (!queue_.empty()) {
      std::vector<std::uint32_t> round;
      for (std::uint32_t f : queue_) (facts_[f].ssa.event_count <= largest ? round : later).push_back(f);
      queue_.clear();
      std::sort(round.begin(), round.end(), [&](std::uint32_t a, std::uint32_t b) { return order_[a] < order_[b]; });
      for (std::uint32_t f : round) {
        queued_[f] = 0;
        if (evaluations_[f] >= kMostEvaluations) continue;
        ++evaluations_[f];
        evaluate(FuncId{f});
      }
    }
    queue_ = std::move(later);
  }
}

Value Inference::get(ValueNo value) const {
  if (value == kNoValue || value >= now_->values.size()) return Value{SetId{0}, 0, true};
  return now_->values[value];
}

const model::Effect* Inference::effect_of(NameId symbol) {
  auto [it, added] = effects_.emplace(symbol, nullptr);
  if (added) it->second = program_.api().find(program_.text(symbol));
  return it->second;
}

const model::ClassFacts* Inference::class_of(NameId symbol) {
  auto [it, added] = class_facts_.emplace(symbol, nullptr);
  if (added) it->second = program_.api().find_class(program_.text(symbol));
  return it->second;
}

const model::Effect* Inference::member_of(NameId symbol, NameId name) {
  auto [it, added] = members_.emplace(pair_key(symbol.index, name.index), nullptr);
  if (added) it->second = program_.api().find_member(program_.text(symbol), program_.text(name));
  return it->second;
}

Value Inference::value_of(FuncId f, ValueNo value) const {
  const FunctionFacts& facts = facts_[f.index];
  return value < facts.values.size() ? facts.values[value] : Value{SetId{0}, 0, true};
}

const Value* Inference::cell(const CellKey& key) const {
  if (const std::uint32_t fixed = fixed_cell(key); fixed != ~0u) return &cells_[fixed].value;
  auto found = cell_index_.find(key);
  return found == cell_index_.end() ? nullptr : &cells_[found->second].value;
}

std::uint32_t Inference::fixed_cell(const CellKey& key) const {
  if (key.kind != CellKind::Param && key.kind != CellKind::Return && key.kind != CellKind::Yield) return ~0u;
  if (key.a >= first_cell_.size() || first_cell_[key.a] == ~0u) return ~0u;
  const std::uint32_t parameters = program_.function(FuncId{key.a}).parameter_count;
  if (key.kind == CellKind::Param) return key.b < parameters ? first_cell_[key.a] + key.b : ~0u;
  return first_cell_[key.a] + parameters + (key.kind == CellKind::Yield ? 1 : 0);
}

std::uint32_t Inference::cell_number(const CellKey& key) {
  if (const std::uint32_t fixed = fixed_cell(key); fixed != ~0u) return fixed;
  Slot& slot = recent_cells_[CellKeyHash{}(key) >> 7 & (recent_cells_.size() - 1)];
  if (slot.key != key) {
    auto [it, added] = cell_index_.emplace(key, static_cast<std::uint32_t>(cells_.size()));
    if (added) cells_.emplace_back();
    slot = {key, it->second};
  }
  return slot.index;
}

Value Inference::read(const CellKey& key) {
  return read(cell_at(key));
}

Value Inference::read(Cell& cell) {
  const std::uint64_t reader = pair_key(current_.index, event_number_);
  auto at = std::lower_bound(cell.readers.begin(), cell.readers.end(), reader);
  if (at == cell.readers.end() || *at != reader) cell.readers.insert(at, reader);
  return cell.value;
}

// Which string or number it is matters where it is written, not wherever it may be passed: as one atom each they would
// only fill the sets and wake readers.
Value Inference::widen(Value value) {
  auto [it, added] = widened_.emplace(value.set, value.set);
  if (added) {
    Value wide;
    bool constants = false;
    for (Atom atom : table_.atoms(value.set)) {
      const bool constant = atom.kind() == AtomKind::Text || atom.kind() == AtomKind::Number;
      constants |= constant;
      wide = table_.join(wide, table_.of(constant ? Atom::make(AtomKind::Plain) : atom));
    }
    if (constants) it->second = wide.set;
  }
  value.set = it->second;
  return value;
}

// Numbers, strings, flags and tensors tell a callee nothing that it could call or look into.
SetId Inference::without_data(SetId set) {
  if (auto found = without_data_.find(set); found != without_data_.end()) return found->second;
  SetId kept{0};
  for (Atom atom : table_.atoms(set)) {
    if (!is_data(atom.kind()) && atom.kind() != AtomKind::Tensor) kept = table_.unite(kept, table_.single(atom));
  }
  return without_data_[set] = kept;
}

void Inference::contribute(const CellKey& key, Value value) {
  if (value.nothing()) return;
  if (key.kind == CellKind::Param) {
    if (program_.reach() == Reach::Torch) value.set = without_data(value.set);
    if (value.nothing()) return;
  } else if (key.kind != CellKind::Global && key.kind != CellKind::Captured) {
    value = widen(value);
  }
  Cell& cell = cell_at(key);
  Value joined = table_.join(cell.value, value);
  if (joined == cell.value) return;
  if (key.kind == CellKind::Attribute && cell.value.nothing()) {
    // A new owner of the name: whoever looked for it in subclasses looks again.
    attribute_owners_[NameId{key.b}].push_back(TypeId{key.a});
    wake(cell_at({CellKind::AnyAttribute, key.b, 1}));
  }
  cell.value = joined;
  wake(cell);
}

Value Inference::expand(Value value, FuncId f) const {
  Value result{value.set, 0, value.unknown};
  ValueTable& table = const_cast<Inference*>(this)->table_;  // hash-consing only
  for (std::uint32_t p = 0; value.params >> p; ++p) {
    if (!(value.params >> p & 1)) continue;
    const Value* cell = this->cell({CellKind::Param, f.index, p});
    if (cell == nullptr || cell->nothing()) {
      result.unknown |= guessing_;
    } else {
      result = table.join(result, *cell);
    }
  }
  return result;
}

Value Inference::expand_reading(Value value) {
  for (std::uint32_t p = 0; value.params >> p; ++p) {
    if (value.params >> p & 1) read({CellKind::Param, current_.index, p});
  }
  return expand(value, current_);
}

ValueNo Inference::operand(const ir::Event& event, std::size_t k) const {
  if (k >= event.operand_count) return kNoValue;
  const ir::EventId id = module_->operands[event.first_operand + k];
  return id.valid() ? id.index - function_->first_event.index : kNoValue;
}

const ir::Event& Inference::event_at(std::uint32_t i) const {
  return module_->events[function_->first_event.index + i];
}

bool Inference::is_captured(FuncId owner, NameId name) const {
  return captured_names_.contains(pair_key(owner.index, name.index));
}

Value Inference::default_of(FuncId f, std::uint32_t parameter) const {
  auto found = defaults_.find(pair_key(f.index, parameter));
  return found == defaults_.end() ? Value{} : found->second;
}

bool Inference::operand_changed(std::uint32_t i) const {
  const auto changed = [&](ValueNo value) { return value != kNoValue && changed_[value] >= pass_ - 1; };
  const ir::Event& event = event_at(i);
  if (event.op == Op::Load) return changed(now_->ssa.definition[i]);
  for (std::size_t k = 0; k < event.operand_count; ++k) {
    if (changed(operand(event, k))) return true;
  }
  // A method call looks at the object as well as at its method.
  if (event.op == Op::Call && event.operand_count > 0) {
    const ValueNo callee = operand(event, 0);
    if (callee != kNoValue && callee < now_->ssa.event_count && event_at(callee).op == Op::LoadAttribute)
      return changed(operand(event_at(callee), 0));
  }
  return false;
}

void Inference::evaluate(FuncId f) {
  current_ = f;
  current_info_ = &program_.functions[f];
  module_ = &program_.module(current_info_->module);
  function_ = &program_.function(f);
  now_ = &facts_[f.index];
  if (effects_module_ != current_info_->module) {
    any_effects_.clear();
    effects_module_ = current_info_->module;
  }
  now_->evaluated = true;
  const Ssa& ssa = now_->ssa;
  // Only what may come out differently is evaluated again: events whose cells changed since the last time (due), and
  // events with an operand that changed in this pass or the one before. changed_[v]: the pass in which value v last
  // changed.
  const bool everything = now_->everything_due;
  now_->everything_due = false;
  changed_.assign(ssa.value_count(), 0);
  constexpr std::uint8_t kFirst = 2, kLast = 8;
  for (std::uint8_t pass = kFirst; pass <= kLast; ++pass) {
    std::size_t next_phi = 0;
    learned_ = false;
    pass_ = pass;
    auto update_phi = [&](std::size_t k) {
      const Phi& phi = ssa.phis[k];
      const ValueNo number = ssa.event_count + static_cast<ValueNo>(k);
      Value value = now_->values[number];
      for (std::uint32_t o = 0; o < phi.count; ++o) {
        const ValueNo operand = ssa.phi_operands[phi.first + o];
        if (operand != kNoValue) value = table_.join(value, get(operand));
      }
      if (value == now_->values[number]) return false;
      now_->values[number] = value;
      changed_[number] = pass;
      return true;
    };
    for (std::uint32_t i = 0; i < ssa.event_count; ++i) {
      while (next_phi < ssa.phis.size() && ssa.phis[next_phi].position <= i) update_phi(next_phi++);
      if (!(everything && pass == kFirst) && !now_->due[i] && !operand_changed(i)) continue;
      now_->due[i] = 0;
      event_number_ = i;
      Value value = evaluate_event(i);
      Value& known = now_->values[i];
      if (value == known) continue;
      value = table_.join(known, value);
      if (value == known) continue;
      known = value;
      changed_[i] = pass;
    }
    while (next_phi < ssa.phis.size()) update_phi(next_phi++);
    bool again = learned_;
    for (std::size_t k = 0; k < ssa.phis.size(); ++k) {
      if (ssa.phis[k].loop && update_phi(k)) again = true;
    }
    if (!again) break;
  }
}

Value Inference::without_functions(Value value) {
  Value result;
  for (Atom atom : table_.atoms(value.set)) {
    switch (atom.kind()) {
      case AtomKind::Instance:
      case AtomKind::Object:
      case AtomKind::Container:
      case AtomKind::Tensor:
        result = table_.join(result, table_.of(atom));
        break;
      default:
        break;
    }
  }
  return result;
}

Value Inference::evaluate_event(std::uint32_t i) {
  const ir::Event& event = event_at(i);
  switch (event.op) {
    case Op::Param: {
      const std::uint32_t p = event.target;
      if (p < 16) return Value{SetId{0}, static_cast<std::uint16_t>(1u << p), false};
      Value value = read({CellKind::Param, current_.index, p});
      value.unknown |= guessing_ && value.nothing();
      return value;
    }
    case Op::Load:
      return evaluate_load(event, i);
    case Op::Store:
      return evaluate_store(event, i);
    case Op::LoadAttribute:
      return read_attribute(full(operand(event, 0)), name_of(event.name), i);
    case Op::StoreAttribute: {
      const Value value = full(operand(event, 1));
      for (const CellKey& key : attribute_cells(full(operand(event, 0)), name_of(event.name))) {
        // Functions put on one object in a method's place, or on objects that are not in view (monkey patches), would
        // seem to be called everywhere: they are left out.
        bool patch = key.kind == CellKind::AnyAttribute;
        if (key.kind == CellKind::Attribute) {
          for (TypeId ancestor : ancestry(TypeId{key.a})) patch |= defines_in_body(ancestor, NameId{key.b});
        }
        contribute(key, patch && !is_class(full(operand(event, 0))) ? without_functions(value) : value);
      }
      return {};
    }
    case Op::LoadItem:
      return evaluate_item(event, i);
    case Op::StoreItem: {
      const ValueNo index = operand(event, 1);
      const Value value = full(operand(event, 2));
      const bool slice = index != kNoValue && index < now_->ssa.event_count && event_at(index).op == Op::MakeSlice;
      store_item(full(operand(event, 0)), slice ? kNoValue : index, slice ? evaluate_iterate(value) : value);
      return {};
    }
    case Op::Append:
      store_item(full(operand(event, 0)), kNoValue, full(operand(event, 1)));
      return {};
    case Op::Const:
      switch (event.flags & ir::flag::kConstMask) {
        case ir::flag::None:
          return table_.of(Atom::make(AtomKind::None));
        case ir::flag::True:
          return table_.of(Atom::make(AtomKind::Bool, 1));
        case ir::flag::False:
          return table_.of(Atom::make(AtomKind::Bool, 0));
        case ir::flag::String:
          return table_.of(Atom::make(AtomKind::Text, name_of(event.name).index));
        case ir::flag::Int:
          return table_.of(Atom::make(AtomKind::Number, name_of(event.name).index));
        default:
          return table_.of(Atom::make(AtomKind::Plain));
      }
    case Op::Symbol: {
      const NameId name = name_of(event.name);
      if (TypeId type = program_.class_of_symbol(name, current_info_->module); type.valid())
        return table_.of(Atom::make(AtomKind::Class, type.index));
      if (FuncId f = program_.function_of_symbol(name, current_info_->module); f.valid())
        return table_.of(Atom::make(AtomKind::Function, f.index));
      return table_.of(Atom::make(AtomKind::Api, name.index));
    }
    case Op::Import:
      return import_module(module_->text(event.name), event.flags & ir::flag::TopPackage,
                           event.flags & ir::flag::Relative);
    case Op::ImportStar: {
      auto& sources = star_sources_[current_info_->module.index];
      for (Atom atom : table_.atoms(full(operand(event, 0)).set)) {
        if (std::find(sources.begin(), sources.end(), atom) == sources.end()) sources.push_back(atom);
      }
      return {};
    }
    case Op::MakeList:
    case Op::MakeTuple:
    case Op::MakeSet:
    case Op::MakeDict:
      return evaluate_container(event, i);
    case Op::MakeFunction:
      return evaluate_make_function(event);
    case Op::MakeClass:
      return evaluate_make_class(event, i);
    case Op::Binary: {
      Value left = get(operand(event, 0)), right = get(operand(event, 1));
      Value a = expand_reading(left), b = expand_reading(right);
      if (!guessing_ && (a.nothing() || b.nothing())) return {};
      auto has = [&](Value v, AtomKind kind) {
        for (Atom atom : table_.atoms(v.set))
          if (atom.kind() == kind) return true;
        return false;
      };
      if (has(a, AtomKind::Container) || has(b, AtomKind::Container)) return table_.join(left, right);
      if (has(a, AtomKind::Tensor) || has(b, AtomKind::Tensor)) return table_.of(Atom::make(AtomKind::Tensor));
      if (!a.unknown && !b.unknown && only_data(a) && only_data(b)) return table_.of(Atom::make(AtomKind::Plain));
      return Value{SetId{0}, 0, true};
    }
    case Op::Unary:
      if (!guessing_ && full(operand(event, 0)).nothing()) return {};
      return only_data(get(operand(event, 0))) ? table_.of(Atom::make(AtomKind::Plain)) : Value{SetId{0}, 0, true};
    case Op::Compare:
    case Op::Format:
      return table_.of(Atom::make(AtomKind::Plain));
    case Op::Bool: {
      Value value;
      for (std::size_t k = 0; k < event.operand_count; ++k) value = table_.join(value, get(operand(event, k)));
      return value;
    }
    case Op::Select:
      return table_.join(get(operand(event, 1)), get(operand(event, 2)));
    case Op::Typed:
      return evaluate_typed(event);
    case Op::Call:
      return evaluate_call(event, i);
    case Op::Keyword:
    case Op::Star:
    case Op::DoubleStar:
    case Op::Decorator:
    case Op::Await:
      return get(operand(event, 0));
    case Op::Iterate:
      return evaluate_iterate(full(operand(event, 0)));
    case Op::Unpack:
      return evaluate_unpack(event, i);
    case Op::Scope:
      return evaluate_scope(event, i);
    case Op::Yield: {
      Value value = full(operand(event, 0));
      if (event.flags & ir::flag::From) value = evaluate_iterate(value);
      contribute({CellKind::Yield, current_.index, 0}, value);
      return Value{SetId{0}, 0, true};
    }
    case Op::Return:
      if (event.operand_count > 0) contribute({CellKind::Return, current_.index, 0}, get(operand(event, 0)));
      return {};
    default:
      return {};
  }
}

Value Inference::evaluate_load(const ir::Event& event, std::uint32_t i) {
  const NameId name = name_of(event.name);
  const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
  if (place == ir::flag::Captured) {
    FuncId owner = captured_owner(current_, name);
    if (!owner.valid()) return read_global(name);
    Value value = read({CellKind::Captured, owner.index, name.index});
    value.unknown |= guessing_ && value.nothing();
    return value;
  }
  const ValueNo definition = now_->ssa.definition[i];
  Value value;
  if (definition != kNoValue) value = get(definition);
  if (place == ir::flag::Local) {
    if (marked(i, kStoredElsewhere)) {
      value = table_.join(value, read({CellKind::Captured, current_.index, name.index}));
    }
    // A name of a class body that it does not define itself is looked up around the class.
    if (definition == kNoValue && function_->kind == ir::FunctionKind::ClassBody) return read_global(name);
    return value;
  }
  if (definition == kNoValue || marked(i, kStoredElsewhere)) {
    value = table_.join(value, read_global(name));
  }
  return value;
}

Value Inference::evaluate_store(const ir::Event& event, std::uint32_t i) {
  const NameId name = name_of(event.name);
  const Value value = get(operand(event, 0));
  switch (event.flags & ir::flag::kPlaceMask) {
    case ir::flag::Global:
      contribute({CellKind::Global, current_info_->module.index, name.index}, expand_reading(value));
      break;
    case ir::flag::Captured:
      if (FuncId owner = captured_owner(current_, name); owner.valid()) {
        contribute({CellKind::Captured, owner.index, name.index}, expand_reading(value));
      }
      break;
    default:
      if (function_->kind == ir::FunctionKind::ClassBody) {
        if (auto type = class_of_body_.find(current_); type != class_of_body_.end()) {
          contribute({CellKind::Attribute, type->second.index, name.index}, expand_reading(value));
        }
      } else if (marked(i, kCaptured)) {
        contribute({CellKind::Captured, current_.index, name.index}, expand_reading(value));
      }
  }
  return value;
}

Value Inference::evaluate_make_function(const ir::Event& event) {
  const FuncId made = program_.func(current_info_->module, ir::FunctionId{event.target});
  FunctionFacts& facts = facts_[made.index];
  Value value = table_.of(Atom::make(AtomKind::Function, made.index));
  // A method's own `self` (or `cls`) is at least an instance of its class, or of a subclass.
  const FunctionInfo& info = program_.functions[made];
  const ir::Function& function = program_.function(made);
  if (info.owner.valid() && !function.is_static && function.parameter_count > 0) {
    contribute({CellKind::Param, made.index, 0},
               table_.of(function.is_class_method ? Atom::make(AtomKind::Class, info.owner.index)
                                                  : Atom::instance(info.owner, true)));
  }
  const auto parameters = module_->parameters_of(function);
  for (std::size_t k = event.operand_count; k-- > 0;) {
    const ValueNo number = operand(event, k);
    const ir::Event& wrapper = event_at(number);
    if (wrapper.op == Op::Keyword) {
      for (std::uint32_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].name != wrapper.name) continue;
        contribute({CellKind::Param, made.index, p}, full(number));
        defaults_[pair_key(made.index, p)] = full(number);
      }
      continue;
    }
    if (wrapper.op != Op::Decorator) continue;
    Value replaced;
    bool by_project = false;
    if (const std::pair<FuncId, ValueNo> decorator{current_, number};
        std::find(facts.decorators.begin(), facts.decorators.end(), decorator) == facts.decorators.end()) {
      facts.decorators.push_back(decorator);
    }
    for (Atom atom : table_.atoms(full(number).set)) {
      const std::uint32_t where = program_.event_number(current_, number);
      switch (atom.kind()) {
        case AtomKind::Guard:
          facts.decorator_guard = atom.guard();
          facts.decorator_kind = atom.guard_kind();
          facts.decorator_event = where;
          break;
        case AtomKind::Api:
        case AtomKind::ApiMethod: {
          const model::Effect* effect = atom.kind() == AtomKind::Api ? effect_of(atom.name()) : any_effect(atom.name());
          if (effect == nullptr) break;
          if (effect->guard != model::Guard::None && effect->forms.bare_decorator) {
            const bool by_default = effect->guard_default != (effect->guard == model::Guard::InverseArgument);
            facts.decorator_guard =
                effect->guard == model::Guard::Argument || effect->guard == model::Guard::InverseArgument
                    ? (by_default ? model::Guard::On : model::Guard::Off)
                    : effect->guard;
            facts.decorator_kind = effect->guard_kind;
            facts.decorator_event = where;
          }
          if (effect->entry != model::Entry::None) facts.entry = effect->entry;
          break;
        }
        case AtomKind::Function:
        case AtomKind::Bound:
          apply_guarding_decorator(atom.func(), made, 0);
          by_project = true;
          replaced = table_.join(replaced, decorated(atom, value));
          break;
        case AtomKind::Class:
        case AtomKind::Instance:
          // Without a call operator it may be a descriptor: the function stays.
          if (!is_in_body(atom.type(), name_call_)) break;
          by_project = true;
          replaced = table_.join(replaced, decorated(atom, value));
          break;
        default:
          break;
      }
    }
    // Until it is known what the decorator is and returns, nothing is: the bare function would stay among the callees
    // for good.
    if (!replaced.nothing() || by_project || (!guessing_ && full(number).nothing())) value = replaced;
    for (std::uint32_t from = number; from-- > 0 && event_at(from).op == Op::Call;) {
      // `@app.route("/x")`: the decorator is the result of a call whose effect may register an entry point.
      if (operand(wrapper, 0) != from) break;
      const ir::Event& call = event_at(from);
      for (Atom atom : table_.atoms(full(operand(call, 0)).set)) {
        const model::Effect* effect = atom.kind() == AtomKind::Api         ? effect_of(atom.name())
                                      : atom.kind() == AtomKind::ApiMethod ? any_effect(atom.name())
                                                                           : nullptr;
        if (effect != nullptr && effect->entry != model::Entry::None) facts.entry = effect->entry;
      }
      break;
    }
  }
  return value;
}

// A decorator of the project: what it makes of a function takes the function's place, the function itself if that is
// unclear.
Value Inference::decorated(Atom decorator, Value function) {
  if (decorator.kind() == AtomKind::Class) {
    for (FuncId f : constructors(decorator.type())) contribute({CellKind::Param, f.index, 1}, function);
    return table_.of(Atom::instance(decorator.type(), false));
  }
  std::vector<FuncId> called{FuncId{decorator.a()}};
  if (decorator.kind() == AtomKind::Instance) called = call_operators(decorator.type(), decorator.b() != 0);
  Value result;
  for (FuncId f : called) {
    contribute({CellKind::Param, f.index, decorator.kind() == AtomKind::Function ? 0u : 1u}, function);
    const Value returned = read({CellKind::Return, f.index, 0});
    result = table_.join(result, Value{returned.set, 0, false});
    if (returned.params) result = table_.join(result, Value{function.set, 0, false});
  }
  return result;
}

Value Inference::evaluate_make_class(const ir::Event& event, std::uint32_t) {
  const TypeId type = program_.type(current_info_->module, ir::ClassId{event.target});
  auto& bases = bases_[type.index];
  bool news = false;
  for (std::size_t k = 0; k < event.operand_count; ++k) {
    const ValueNo number = operand(event, k);
    const Op op = event_at(number).op;
    if (op == Op::Keyword || op == Op::Decorator || op == Op::DoubleStar) continue;
    for (Atom atom : table_.atoms(full(number).set)) {
      if (atom.kind() != AtomKind::Class && atom.kind() != AtomKind::Api) continue;
      if (atom.kind() == AtomKind::Class && atom.type() == type) continue;
      if (std::find(bases.begin(), bases.end(), atom) != bases.end()) continue;
      bases.push_back(atom);
      news = true;
      hierarchy_stale_ = true;
    }
  }
  if (news && made_[type.index]) {
    // The class was already in use with fewer bases. Who may have looked into it is on record where that can happen:
    // while module bodies settle, and for classes made by functions.
    wake(cell_at({CellKind::AnyAttribute, type.index, 2}));
  } else if (news) {
    // A new class: what was looked for in the subclasses of its bases may be found in it.
    for (const auto& [name, stored] : class_names_[type.index]) {
      wake(cell_at({CellKind::AnyAttribute, name.index, 1}));
    }
  }
  made_[type.index] = 1;
  return table_.of(Atom::make(AtomKind::Class, type.index));
}

Value Inference::evaluate_scope(const ir::Event& event, std::uint32_t) {
  const Value object = get(operand(event, 0));
  if (event.flags & ir::flag::Raii) return object;
  Value result = Value{SetId{0}, object.params, object.unknown};
  for (Atom atom : table_.atoms(expand_reading(object).set)) {
    if (atom.kind() == AtomKind::Instance) {
      for (FuncId f : methods(atom.type(), name_enter_, atom.b() != 0)) {
        contribute({CellKind::Param, f.index, 0}, table_.of(atom));
        Value entered = read({CellKind::Return, f.index, 0});
        result = table_.join(result, Value{entered.set, 0, entered.unknown});
        if (entered.params & 1) result = table_.join(result, table_.of(atom));
      }
    } else if (atom.kind() == AtomKind::Generator) {
      result = table_.join(result, read({CellKind::Yield, atom.a(), 0}));
    } else {
      result = table_.join(result, table_.of(atom));
    }
  }
  return result;
}

// The instance that a declared type means; generic wrappers (`Optional[Net]`, `List[Net]`) mean what they wrap.
Value Inference::instance_of(Value type) {
  Value result;
  for (Atom atom : table_.atoms(type.set)) {
    if (atom.kind() == AtomKind::Class) result = table_.join(result, table_.of(Atom::instance(atom.type(), true)));
    if (atom.kind() == AtomKind::Api) {
      if (const model::ClassFacts* facts = class_of(atom.name())) {
        if (facts->shape == model::Shape::Tensor)
          result = table_.join(result, table_.of(Atom::make(AtomKind::Tensor)));
        else if (facts->shape == model::Shape::Plain)
          result = table_.join(result, table_.of(Atom::make(AtomKind::Plain)));
        else
          result = table_.join(result, table_.of(Atom::object(atom.name(), facts->shape, facts->parameters)));
      }
    }
  }
  return result;
}

Value Inference::evaluate_typed(const ir::Event& event) {
  const Value value = get(operand(event, 0));
  const ValueNo type_number = operand(event, 1);
  const bool certain = (event.flags & ir::flag::Certain) != 0;
  if (type_number == kNoValue || (!guessing_ && !certain)) return value;
  if (certain && !guessing_ && expand_reading(value).nothing()) return value;  // not known yet
  Value type = full(type_number);
  const ir::Event* type_event = &event_at(type_number);
  if (type_event->op == Op::LoadItem) {  // Optional[Net], List[Net], Dict[str, Net]
    const ValueNo inner = operand(*type_event, 1);
    type = full(inner);
    if (inner != kNoValue && event_at(inner).op == Op::MakeTuple && event_at(inner).operand_count > 0) {
      type = full(operand(event_at(inner), event_at(inner).operand_count - 1u));
    }
  }
  if (type_event->op == Op::Binary)
    type = table_.join(full(operand(*type_event, 0)), full(operand(*type_event, 1)));  // Net | None
  if (type_event->op == Op::Const && (type_event->flags & ir::flag::kConstMask) == ir::flag::String) {
    type = read_global(name_of(type_event->name));
  }
  Value declared = instance_of(type);
  if (declared.nothing()) return value;
  // A declaration that the language makes sure of: numbers and text hold nothing else.
  if (certain && only_data(declared)) return only_data(expand_reading(value)) ? value : declared;
  // What is known beats what is declared, except that a declaration ends ignorance.
  const Value known = expand_reading(value);
  if (known.set.index != 0) return certain ? Value{value.set, value.params, false} : value;
  if (certain) return declared;
  return table_.join(Value{value.set, value.params, false}, declared);
}

}  // namespace deadgrad::engine
