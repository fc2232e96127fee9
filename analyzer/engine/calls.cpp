// Phase A: what a call runs and what it returns.
#include <algorithm>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

using ir::Op;

static bool module_shaped(Atom atom) {
  return atom.kind() == AtomKind::Object && atom.object_shape() == model::Shape::Module;
}

bool Inference::is_module_atom(Atom atom) const {
  return module_shaped(atom) || (atom.kind() == AtomKind::Instance && is_module_class(atom.type()));
}

bool Inference::is_instance(Value value) const {
  for (Atom atom : table_.atoms(value.set))
    if (atom.kind() == AtomKind::Instance) return true;
  return false;
}

bool Inference::is_class(Value value) const {
  for (Atom atom : table_.atoms(value.set))
    if (atom.kind() == AtomKind::Class) return true;
  return false;
}

bool Inference::may_be_module(Value value) const {
  for (Atom atom : table_.atoms(value.set))
    if (is_module_atom(atom)) return true;
  return false;
}

bool Inference::only_data(Value value) const {
  if (value.params || value.unknown || value.set.index == 0) return false;
  const auto atoms = table_.atoms(value.set);
  return std::all_of(atoms.begin(), atoms.end(), [](Atom atom) { return is_data(atom.kind()); });
}

bool Inference::is_tensor(FuncId f, ValueNo value) const {
  const auto atoms = table_.atoms(expand(value_of(f, value), f).set);
  return std::ranges::any_of(atoms, [](Atom atom) { return atom.kind() == AtomKind::Tensor; });
}

const model::Effect* Inference::any_effect(NameId name) {
  auto [it, added] = any_effects_.emplace(name, nullptr);
  if (!added) return it->second;
  for (const model::Effect* effect : program_.api().find_any(program_.text(name))) {
    bool fits = effect->only_if_imported.empty();
    for (const std::string& root : effect->only_if_imported) fits |= program_.imports_root(current_info_->module, root);
    if (fits) {
      it->second = effect;
      break;
    }
  }
  return it->second;
}

void Inference::note_call(CallTarget target) {
  if (!guessing_ || site_ == nullptr) return;
  if (std::find(site_->targets.begin(), site_->targets.end(), target) == site_->targets.end())
    site_->targets.push_back(target);
}

Value Inference::evaluate_call(const ir::Event& event, std::uint32_t i) {
  Arguments& arguments = arguments_;
  arguments.positional.clear();
  arguments.named.clear();
  arguments.star = kNoValue;
  arguments.double_stars.clear();
  for (std::size_t k = 1; k < event.operand_count; ++k) {
    const ValueNo number = operand(event, k);
    if (number == kNoValue) continue;
    const ir::Event& wrapper = event_at(number);
    if (wrapper.op == Op::Keyword)
      arguments.named.emplace_back(name_of(wrapper.name), number);
    else if (wrapper.op == Op::DoubleStar)
      arguments.double_stars.push_back(number);
    else if (wrapper.op == Op::Star && arguments.star == kNoValue)
      arguments.star = number;
    else if (arguments.star == kNoValue)
      arguments.positional.push_back(number);
  }
  CallSite site;
  site.event = i;
  CallSite* outer = site_;
  site_ = &site;
  const ValueNo callee_number = operand(event, 0);
  const Value callee = full(callee_number);
  if (!guessing_ && callee.nothing()) {
    site_ = outer;
    return {};  // not known yet
  }
  site.maybe_other = callee.unknown;
  Value result;
  bool resolved = false;
  const std::span<const Atom> callees = table_.atoms(callee.set);
  const bool some_fit =
      callees.size() > 1 && std::ranges::any_of(callees, [&](Atom atom) { return fits(atom, arguments); });
  for (Atom atom : callees) {
    if (some_fit && !fits(atom, arguments)) continue;
    result = table_.join(result, call_atom(atom, arguments, i));
    resolved = true;
  }
  const ir::Event* callee_event =
      callee_number != kNoValue && callee_number < now_->ssa.event_count ? &event_at(callee_number) : nullptr;
  const bool method = callee_event != nullptr && callee_event->op == Op::LoadAttribute;
  if (!resolved || (callee.unknown && site.targets.empty() && site.effects.empty() &&
                    site.runs_module == Evidence::None && !site.constructs && !site.data_only)) {
    // Nothing is known of the callee but its name.
    if (const model::Effect* effect = method ? any_effect(name_of(callee_event->name)) : nullptr) {
      const Value receiver = full(operand(*callee_event, 0));
      if (effect->module_evidence && !may_be_module(receiver)) note_module(operand(*callee_event, 0));
      result = table_.join(result, apply_effect(*effect, receiver, arguments, i, may_be_module(receiver), NameId{}));
    } else {
      site.unresolved = true;
      result.unknown = true;
      const Value receiver = method ? full(operand(*callee_event, 0)) : Value{};
      // None has no methods: something else comes here yet.
      const bool is_none = receiver == table_.of(Atom::make(AtomKind::None));
      if (method && (event.flags & ir::flag::Discarded) == 0 && only_data(receiver) && !is_none)
        result = table_.of(Atom::make(AtomKind::Plain));
      for (ValueNo argument : arguments.positional) hand_over(full(argument), TargetKind::Callback);
      for (const auto& [name, argument] : arguments.named) hand_over(full(argument), TargetKind::Callback);
      if (site.runs_module == Evidence::None && callee_event != nullptr) {
        auto named_like_a_model = [&](const ir::Event& named) {
          return (named.op == Op::Load || named.op == Op::LoadAttribute) &&
                 program_.api().is_model_name(module_->text(named.name));
        };
        const ValueNo object = method ? operand(*callee_event, 0) : kNoValue;
        // `self.net(x)`, `net(x)`; not a method of an array that happens to be called `clip`.
        const bool of_self = method && object != kNoValue &&
                             (full(object).set.index != 0 ? is_instance(full(object)) : (get(object).params & 1) != 0);
        if (named_like_a_model(*callee_event) && (!method || of_self)) site.runs_module = Evidence::Name;
        // `model.denoise(x, t)`: a method that no library row knows, on something named like a model.
        if (object != kNoValue && object < now_->ssa.event_count && named_like_a_model(event_at(object))) {
          site.runs_module = Evidence::Name;
          site.named_method = true;
        }
      }
    }
  } else if (callee.unknown) {
    site.unresolved |= site.runs_module == Evidence::None && site.targets.empty();
  }
  site_ = outer;
  if (guessing_) {  // calls are noted in the second fixpoint only: the first finds less
    note_site(std::move(site));
  }
  return result;
}

Value Inference::call_atom(Atom callee, const Arguments& arguments, std::uint32_t i) {
  const Value unknown{SetId{0}, 0, true};
  switch (callee.kind()) {
    case AtomKind::Function:
      return call_function(callee.func(), TargetKind::Direct, std::nullopt, arguments);
    case AtomKind::Partial:
      return call_function(callee.func(), TargetKind::Direct, std::nullopt, arguments, callee.b());
    case AtomKind::Bound: {
      const Atom receiver = table_.numbered(callee.b());
      if (is_module_atom(receiver)) {
        if (program_.functions[callee.func()].name == name_forward_ ||
            program_.functions[callee.func()].name == name_call_) {
          site_->runs_module = Evidence::Proven;
          return call_function(callee.func(), TargetKind::Forward, receiver, arguments);
        }
        site_->module_method = true;
      }
      return call_function(callee.func(), TargetKind::Direct, receiver, arguments);
    }
    case AtomKind::Class:
      return call_class(callee.type(), arguments);
    case AtomKind::Instance: {
      if (bodies_only_) read({CellKind::AnyAttribute, callee.a(), 2});
      if (is_module_class(callee.type())) return call_module(callee, arguments, i);
      const auto found = call_operators(callee.type(), callee.b() != 0);
      Value result;
      for (FuncId f : found) result = table_.join(result, call_function(f, TargetKind::Direct, callee, arguments));
      if (found.empty()) {
        site_->unresolved = true;
        result.unknown = true;
      }
      return result;
    }
    case AtomKind::Object:
      return callee.object_shape() == model::Shape::Module ? call_module(callee, arguments, i)
                                                           : call_api(callee, arguments, i);
    case AtomKind::Api:
      return named_result(callee.name(), call_api(callee, arguments, i));
    case AtomKind::ApiMethod:
      return call_api(callee, arguments, i);
    case AtomKind::Guard: {
      // `no_grad()(f)`: the function, guarded from now on.
      if (arguments.positional.empty()) return unknown;
      for (Atom atom : table_.atoms(full(arguments.positional[0]).set)) {
        if (atom.kind() == AtomKind::Function || atom.kind() == AtomKind::Bound)
          guard_function(atom.func(), callee.guard(), callee.guard_kind(), callee.a());
      }
      return get(arguments.positional[0]);
    }
    case AtomKind::Plain:
      site_->maybe_other = true;
      return unknown;
    default:
      site_->unresolved = true;
      return unknown;
  }
}

// What a library makes, if nothing else is known of it: an object that is named by what made it.
Value Inference::named_result(NameId symbol, Value result) {
  if (program_.reach() == Reach::Torch || program_.text(symbol).starts_with("builtins.")) return result;
  for (Atom atom : table_.atoms(result.set)) {
    if (!is_data(atom.kind())) return result;
  }
  return table_.join(result, table_.of(Atom::object(symbol, model::Shape::Unknown)));
}

Value Inference::call_class(TypeId type, const Arguments& arguments) {
  site_->constructs = true;
  const Atom instance = Atom::instance(type, false);
  for (FuncId f : constructors(type)) call_function(f, TargetKind::Constructor, instance, arguments);
  return table_.of(instance);
}

// Running a module: the project's forward, or a library's.
Value Inference::call_module(Atom module, const Arguments& arguments, std::uint32_t i) {
  Value result;
  if (module.kind() == AtomKind::Object) {
    const NameId symbol = lookup_symbol(module);
    const bool generic = module.name() == generic_module_;
    site_->runs_module = std::max(site_->runs_module, generic ? Evidence::Duck : Evidence::Proven);
    site_->library_module = true;
    const model::ClassFacts* facts = class_of(symbol);
    if (facts != nullptr && !facts->has_parameters) site_->without_parameters = true;
    if (module.object_parameters() == model::Parameters::Frozen) site_->frozen = true;
    if (const model::Effect* effect = member_of(symbol, name_call_)) {
      if (effect->forward == model::Forward::Guarded) site_->guarded_inside = true;
      if (!effect->results.empty()) return apply_effect(*effect, table_.of(module), arguments, i, true, symbol);
    }
    for (ValueNo number : arguments.positional) hand_over(full(number), TargetKind::Callback);
    return table_.of(Atom::make(AtomKind::Tensor));
  }
  site_->runs_module = Evidence::Proven;
  const bool maybe_subclass = module.b() != 0;
  std::vector<FuncId> found = call_operators(module.type(), maybe_subclass);
  for (FuncId f : methods(module.type(), name_forward_, maybe_subclass)) found.push_back(f);
  for (FuncId f : found) result = table_.join(result, call_function(f, TargetKind::Forward, module, arguments));
  if (found.empty()) {
    site_->library_module = true;
    for (NameId base : api_bases(module.type())) {
      const model::Effect* effect = member_of(base, name_call_);
      if (effect != nullptr && effect->forward == model::Forward::Guarded) site_->guarded_inside = true;
    }
    result = table_.of(Atom::make(AtomKind::Tensor));
  }
  return result;
}

Value Inference::call_api(Atom callee, const Arguments& arguments, std::uint32_t i) {
  const model::ApiModel& api = program_.api();
  if (callee.kind() == AtomKind::ApiMethod) {
    const Atom receiver = table_.numbered(callee.b());
    const model::Effect* effect = nullptr;
    const bool is_module = is_module_atom(receiver);
    if (receiver.kind() == AtomKind::Object) {
      effect = member_of(lookup_symbol(receiver), callee.name());
    } else if (receiver.kind() == AtomKind::Instance || receiver.kind() == AtomKind::Class) {
      for (NameId base : api_bases(receiver.type())) {
        if ((effect = member_of(base, callee.name()))) break;
      }
    }
    if (effect == nullptr) effect = any_effect(callee.name());
    if (is_module && program_.text(callee.name()) == "forward") return call_module(receiver, arguments, i);
    if (effect != nullptr) return apply_effect(*effect, table_.of(receiver), arguments, i, is_module, NameId{});
    if (receiver.kind() == AtomKind::Plain || receiver.kind() == AtomKind::Text ||
        receiver.kind() == AtomKind::Number) {
      return table_.of(Atom::make(AtomKind::Plain));
    }
    site_->unresolved = true;
    if (is_module && site_->runs_module == Evidence::None && !program_.text(callee.name()).starts_with("__")) {
      // A method or a layer of a module whose class is not in view.
      const std::string_view name = program_.text(callee.name());
      site_->runs_module = Evidence::Duck;
      site_->named_method = !name.starts_with("forward") && !api.is_model_name(name);
    }
    for (ValueNo number : arguments.positional) hand_over(full(number), TargetKind::Callback);
    for (const auto& [name, number] : arguments.named) hand_over(full(number), TargetKind::Callback);
    return Value{SetId{0}, 0, true};
  }
  const NameId symbol = callee.name();
  const std::string_view text = program_.text(symbol);
  const model::Effect* effect = effect_of(symbol);
  const model::ClassFacts* facts = class_of(symbol);
  if (facts != nullptr && (effect == nullptr || effect->symbol.find('*') != std::string::npos)) {
    site_->constructs = true;
    for (ValueNo number : arguments.positional) hand_over(full(number), TargetKind::Callback);
    if (facts->shape == model::Shape::Tensor) return table_.of(Atom::make(AtomKind::Tensor));
    if (facts->shape == model::Shape::Plain) return table_.of(Atom::make(AtomKind::Plain));
    Value result = table_.of(Atom::object(symbol, facts->shape, facts->parameters));
    // A module made of modules is also a container of them.
    Value parts;
    for (ValueNo number : arguments.positional) {
      const Value value = full(number);
      if (may_be_module(value)) parts = table_.join(parts, value);
      for (Atom atom : table_.atoms(value.set)) {
        if (atom.kind() == AtomKind::Container) parts = table_.join(parts, read({CellKind::Element, atom.a(), 0}));
      }
    }
    if (facts->shape == model::Shape::Module && may_be_module(parts)) {
      const std::uint32_t number = program_.event_number(current_, i);
      contribute({CellKind::Element, number, 0}, Value{parts.set, 0, parts.unknown});
      result = table_.join(result, table_.of(Atom::container(number, 0, false)));
    }
    return result;
  }
  if (effect != nullptr) return apply_effect(*effect, Value{}, arguments, i, false, symbol);
  for (ValueNo number : arguments.positional) hand_over(full(number), TargetKind::Callback);
  for (const auto& [name, number] : arguments.named) hand_over(full(number), TargetKind::Callback);
  if (api.is_data_only(text.substr(0, text.find('.')))) {
    site_->data_only = true;
    return table_.of(Atom::make(AtomKind::Plain));
  }
  site_->unresolved = true;
  return Value{SetId{0}, 0, true};
}

Value Inference::result_value(const model::ResultFacts& facts, Value receiver, const Arguments& arguments,
                              NameId symbol, std::uint32_t i) {
  switch (facts.shape) {
    case model::Shape::Module:
    case model::Shape::Object:
    case model::Shape::Optimizer:
    case model::Shape::Loader: {
      if (facts.of_receiver_class) {
        Value made;
        for (Atom atom : table_.atoms(expand_reading(receiver).set)) {
          if (atom.kind() == AtomKind::Class) made = table_.join(made, table_.of(Atom::instance(atom.type(), false)));
        }
        if (!made.nothing()) return made;
      }
      NameId name = facts.class_symbol.empty() ? symbol : program_.names.intern(facts.class_symbol);
      if (!name.valid() || (facts.class_symbol.empty() && facts.shape == model::Shape::Module)) name = torch_module_;
      return table_.of(Atom::object(name, facts.shape, facts.parameters));
    }
    case model::Shape::Tensor:
      return table_.of(Atom::make(AtomKind::Tensor));
    case model::Shape::Plain:
      return table_.of(Atom::make(AtomKind::Plain));
    case model::Shape::Argument:
      return argument(arguments, facts.same_as);
    case model::Shape::Receiver:
      return receiver;
    case model::Shape::Class:
      return Value{SetId{0}, 0, true};
    case model::Shape::Container: {
      // A new container: of the arguments' elements (zip, list, sorted) or of the receiver's (items, values).
      const std::uint32_t number = program_.event_number(current_, i);
      Value elements;
      auto add = [&](Value value) {
        for (Atom atom : table_.atoms(value.set)) {
          if (atom.kind() == AtomKind::Container || atom.kind() == AtomKind::Generator) {
            elements = table_.join(elements, evaluate_iterate(table_.of(atom)));
          } else if (atom.kind() == AtomKind::Object || atom.kind() == AtomKind::Tensor) {
            elements = table_.join(elements, evaluate_iterate(table_.of(atom)));
          }
        }
      };
      add(expand_reading(receiver));
      for (ValueNo value : arguments.positional) add(full(value));
      if (!elements.nothing()) contribute({CellKind::Element, number, 0}, Value{elements.set, 0, elements.unknown});
      return table_.of(Atom::container(number, 0, false));
    }
    case model::Shape::Elements:
      return elements_of(expand_reading(receiver), i);
    case model::Shape::Element: {
      // `next(iterator, default)`, `table.get(key, default)`
      const auto& given = arguments.positional;
      const Value first = given.empty() ? Value{SetId{0}, 0, true} : full(given[0]);
      Value element = symbol.valid() ? evaluate_iterate(first) : picked_element(expand_reading(receiver), first);
      if (given.size() > 1) element = table_.join(element, full(given[1]));
      element.unknown |= element.nothing();
      return element;
    }
    case model::Shape::Unknown:
      break;
  }
  return Value{SetId{0}, 0, true};
}

// What `items()` of a container gives; another object's method of this name may do anything.
Value Inference::elements_of(Value receiver, std::uint32_t i) {
  Value result{SetId{0}, 0, receiver.unknown};
  for (Atom atom : table_.atoms(receiver.set)) {
    const bool container = atom.kind() == AtomKind::Container;
    // A registry of more than a set can hold: what it still lists are some of its elements.
    if (container && table_.atoms(read({CellKind::Element, atom.a(), 0}).set).size() < kMostAtoms)
      result = table_.join(result, copy_elements(atom, 0, 0, i));
    else
      result.unknown = true;
  }
  result.unknown |= result.nothing();
  return result;
}

Value Inference::picked_element(Value receiver, Value key) {
  Value result{SetId{0}, 0, receiver.unknown};
  for (Atom atom : table_.atoms(receiver.set)) {
    if (atom.kind() == AtomKind::Container)
      result = table_.join(result, element_at(atom, key));
    else
      result.unknown = true;
  }
  return result;
}

Value Inference::apply_effect(const model::Effect& effect, Value receiver, const Arguments& arguments, std::uint32_t i,
                              bool receiver_is_module, NameId symbol) {
  if (guessing_) {
    EffectUse use{&effect, receiver_is_module};
    if (std::find(site_->effects.begin(), site_->effects.end(), use) == site_->effects.end())
      site_->effects.push_back(use);
    if (effect.forward == model::Forward::Guarded) site_->guarded_inside = true;
    if (effect.forward == model::Forward::Runs) {
      site_->runs_module = std::max(site_->runs_module, receiver_is_module ? Evidence::Proven : Evidence::Duck);
      site_->library_module = true;
    }
  }
  if (effect.guard != model::Guard::None) {
    model::Guard guard = effect.guard;
    if (guard == model::Guard::Argument || guard == model::Guard::InverseArgument) {
      const ValueNo number = argument_number(arguments, effect.guard_argument);
      std::optional<bool> flag;
      if (number == kNoValue) {
        flag = effect.guard_default;
      } else {
        const Value value = full(number);
        if (!value.unknown && table_.atoms(value.set).size() == 1 &&
            table_.atoms(value.set)[0].kind() == AtomKind::Bool) {
          flag = table_.atoms(value.set)[0].a() != 0;
        }
      }
      if (flag) guard = *flag == (effect.guard == model::Guard::Argument) ? model::Guard::On : model::Guard::Off;
    }
    const std::uint32_t kinds = static_cast<std::uint32_t>(guard) | static_cast<std::uint32_t>(effect.guard_kind) << 4;
    // `no_grad(f)`: the function, guarded (newer versions); the plain result is the guard.
    return table_.of(Atom::make(AtomKind::Guard, program_.event_number(current_, i), kinds));
  }
  if (effect.makes_super) {
    FuncId at = current_;
    while (at.valid() && !program_.functions[at].owner.valid()) at = program_.functions[at].parent;
    if (!at.valid()) return Value{SetId{0}, 0, true};
    const TypeId type = program_.functions[at].owner;
    return table_.of(Atom::make(AtomKind::Super, type.index, table_.number(Atom::instance(type, true))));
  }
  if (effect.reads_attribute || effect.imports_module) {
    const std::size_t where = effect.reads_attribute ? 1 : 0;
    Value result{SetId{0}, 0, true};
    if (arguments.positional.size() > where) {
      for (Atom atom : table_.atoms(full(arguments.positional[where]).set)) {
        if (atom.kind() != AtomKind::Text) continue;
        result = effect.reads_attribute ? read_attribute(full(arguments.positional[0]), atom.name(), i)
                                        : import_module(program_.text(atom.name()), false, false);
      }
    }
    return result;
  }
  if (effect.module_evidence && !receiver_is_module) {
    const ir::Event& callee = event_at(operand(event_at(i), 0));
    if (callee.op == Op::LoadAttribute) note_module(operand(callee, 0));
  }
  if (effect.stores_argument) {
    Value stored;
    for (ValueNo number : arguments.positional) stored = table_.join(stored, full(number));
    for (Atom atom : table_.atoms(stored.set)) {
      if (atom.kind() == AtomKind::Container) stored = table_.join(stored, evaluate_iterate(table_.of(atom)));
    }
    if (!stored.nothing()) store_item(expand_reading(receiver), kNoValue, Value{stored.set, 0, stored.unknown});
  }
  const bool runs_callee = effect.calls_callee || effect.spawns || effect.callee.valid();
  if (effect.partial) {
    if (arguments.positional.empty()) return Value{SetId{0}, 0, true};
    Value result{SetId{0}, 0, false};
    for (Atom atom : table_.atoms(full(arguments.positional[0]).set)) {
      if (atom.kind() == AtomKind::Function) {
        Arguments rest = arguments;
        rest.positional.erase(rest.positional.begin());
        call_function(atom.func(), TargetKind::Callback, std::nullopt, rest);
        result = table_.join(result, table_.of(Atom::make(AtomKind::Partial, atom.a(),
                                                          static_cast<std::uint32_t>(rest.positional.size()))));
      } else {
        result = table_.join(result, table_.of(atom));
      }
    }
    result.unknown |= result.nothing();
    return result;
  }
  if (runs_callee) {
    const TargetKind kind =
        effect.spawns ? (effect.spawn_inherits ? TargetKind::SpawnInherit : TargetKind::Spawn) : TargetKind::Callback;
    const Value callable = expand_reading(argument(arguments, effect.callee));
    for (Atom atom : table_.atoms(callable.set)) {
      if (is_module_atom(atom) && effect.entry == model::Entry::None) {
        Arguments rest = arguments;
        if (!rest.positional.empty()) rest.positional.erase(rest.positional.begin());
        call_module(atom, rest, i);
      }
    }
    if (effect.entry != model::Entry::None) {
      for (Atom atom : table_.atoms(callable.set)) {
        if (atom.kind() == AtomKind::Function || atom.kind() == AtomKind::Bound) facts_[atom.a()].entry = effect.entry;
      }
    } else {
      hand_over(callable, kind);
    }
  }
  if (effect.results.empty() && !effect.identity_wrapper) {
    // What it does with functions it is given is not told: it may call them.
    for (ValueNo number : arguments.positional) hand_over(full(number), TargetKind::Callback, 1);
    for (const auto& [name, number] : arguments.named) hand_over(full(number), TargetKind::Callback, 1);
  }
  if (effect.iterates_parameters) {
    const std::uint32_t number = program_.event_number(current_, i);
    contribute({CellKind::Element, number, 0}, table_.of(Atom::make(AtomKind::Tensor)));
    return table_.of(Atom::container(number, 0, false));
  }
  if (effect.identity_wrapper && !arguments.positional.empty()) return get(arguments.positional[0]);
  if (effect.results.empty()) return Value{SetId{0}, 0, true};
  if (effect.results.size() == 1) {
    const Value result = result_value(effect.results[0], receiver, arguments, symbol, i);
    if (effect.calls_callee && effect.results[0].shape == model::Shape::Container) {
      // `map(f, x)`: what f returns is among the elements.
      const Value made = returned_by(expand_reading(argument(arguments, effect.callee)));
      contribute({CellKind::Element, program_.event_number(current_, i), 0}, made);
    }
    return result;
  }
  // Several results: a tuple with one element a position. `model, opt = prepare(model, opt)` with one argument is that
  // argument.
  const std::uint32_t number = program_.event_number(current_, i);
  const bool positions = effect.results[0].shape == model::Shape::Argument;
  if (positions && arguments.positional.size() == 1) return get(arguments.positional[0]);
  for (std::size_t k = 0; k < effect.results.size(); ++k) {
    if (positions && k >= arguments.positional.size()) break;
    Value value = expand_reading(result_value(effect.results[k], receiver, arguments, NameId{}, i));
    contribute({CellKind::Element, number, static_cast<std::uint32_t>(k + 1)}, value);
    contribute({CellKind::Element, number, 0}, value);
  }
  return table_.of(Atom::container(number, 0, false));
}

Value Inference::returned_by(Value callable) {
  Value result;
  for (Atom atom : table_.atoms(callable.set)) {
    if (atom.kind() != AtomKind::Function && atom.kind() != AtomKind::Bound) continue;
    const Value returned = read({CellKind::Return, atom.a(), 0});
    result = table_.join(result, Value{returned.set, 0, returned.unknown || returned.params != 0});
  }
  return result;
}

void Inference::guard_function(FuncId f, model::Guard guard, model::GuardKind kind, std::uint32_t event) {
  FunctionFacts& facts = facts_[f.index];
  facts.decorator_guard = guard;
  facts.decorator_kind = kind;
  facts.decorator_event = event;
}

// A decorator of the project that hands its function to a guard (`return no_grad()(fn)`), itself or in the function it
// returns. Its own parameter says so, so that it holds for every function it decorates.
void Inference::apply_guarding_decorator(FuncId decorator, FuncId decorated, int depth) {
  if (depth > 2 || facts_[decorator.index].values.empty()) return;
  const ir::Module& module = program_.module_of(decorator);
  const ir::Function& function = program_.function(decorator);
  const FunctionFacts& facts = facts_[decorator.index];
  for (std::uint32_t i = 0; i < function.event_count; ++i) {
    const ir::Event& event = module.events[function.first_event.index + i];
    if (event.op != Op::Call || event.operand_count < 2) continue;
    auto value = [&](std::size_t k) {
      const ir::EventId id = module.operands[event.first_operand + k];
      return facts.values[id.index - function.first_event.index];
    };
    if (!(value(1).params & 1)) continue;
    for (Atom atom : table_.atoms(value(0).set)) {
      if (atom.kind() == AtomKind::Guard) guard_function(decorated, atom.guard(), atom.guard_kind(), atom.a());
    }
  }
}

// A callable given to code that is not in view: it may be called from here.
void Inference::hand_over(Value callable, TargetKind kind, std::size_t depth) {
  for (Atom atom : table_.atoms(callable.set)) {
    FuncId f;
    bool receiver = false;
    if (atom.kind() == AtomKind::Function || atom.kind() == AtomKind::Partial) f = atom.func();
    if (atom.kind() == AtomKind::Bound) {
      f = atom.func();
      receiver = true;
      contribute({CellKind::Param, f.index, 0}, table_.of(table_.numbered(atom.b())));
    }
    if (!f.valid()) continue;
    // Already there with a definite kind: depth 1 is the sweep over all arguments of a known effect.
    if (depth == 1 && site_ != nullptr) {
      bool known = false;
      for (const CallTarget& target : site_->targets) known |= target.function == f;
      if (known) continue;
    }
    note_call({f, kind, static_cast<std::uint8_t>(receiver ? 1 : 0), receiver});
  }
}

// What was found earlier about the same event stays: targets only grow.
void Inference::note_site(CallSite site) {
  auto& calls = now_->calls;
  auto at = std::lower_bound(calls.begin(), calls.end(), site.event,
                             [](const CallSite& one, std::uint32_t event) { return one.event < event; });
  if (at == calls.end() || at->event != site.event) {
    calls.insert(at, std::move(site));
    return;
  }
  for (CallTarget target : at->targets) {
    if (std::find(site.targets.begin(), site.targets.end(), target) == site.targets.end())
      site.targets.push_back(target);
  }
  *at = std::move(site);
}

// Adds to what an event of this function may be, after it was evaluated: the function is due for another pass.
void Inference::learn(ValueNo value, Value news) {
  const Value joined = table_.join(now_->values[value], news);
  if (joined == now_->values[value]) return;
  learned_ = true;
  changed_[value] = pass_;
  now_->values[value] = joined;
}

// `value` was used as only modules are: what it was loaded from holds some module.
void Inference::note_module(ValueNo value, std::size_t depth) {
  if (value == kNoValue || depth > 8 || !guessing_) return;
  const Value some_module = table_.of(Atom::object(generic_module_, model::Shape::Module));
  const Ssa& ssa = now_->ssa;
  if (ssa.is_phi(value)) {
    const Phi& phi = ssa.phi(value);
    for (std::uint32_t o = 0; o < phi.count && o < 4; ++o) note_module(ssa.phi_operands[phi.first + o], depth + 1);
    return;
  }
  if (may_be_module(full(value))) return;
  const ir::Event& event = event_at(value);
  switch (event.op) {
    case Op::Param:
      contribute({CellKind::Param, current_.index, event.target}, some_module);
      break;
    case Op::Load: {
      const ValueNo definition = ssa.definition[value];
      if (definition != kNoValue) {
        note_module(definition, depth + 1);
      } else if ((event.flags & ir::flag::kPlaceMask) == ir::flag::Global) {
        if (program_.defines_global(current_info_->module, name_of(event.name))) {
          contribute({CellKind::Global, current_info_->module.index, name_of(event.name).index}, some_module);
        }
      } else if (FuncId owner = captured_owner(current_, name_of(event.name)); owner.valid()) {
        contribute({CellKind::Captured, owner.index, name_of(event.name).index}, some_module);
      }
      break;
    }
    case Op::Store:
    case Op::Typed:
      note_module(operand(event, 0), depth + 1);
      break;
    case Op::LoadAttribute: {
      const Value object = full(operand(event, 0));
      for (const CellKey& key : attribute_cells(object, name_of(event.name))) {
        if (key.kind == CellKind::Attribute) contribute(key, some_module);
      }
      learn(value, some_module);
      break;
    }
    case Op::Call:
    case Op::LoadItem:
    case Op::Unpack:
    case Op::Iterate:
    case Op::Select:
      learn(value, some_module);
      break;
    default:
      break;
  }
}

}  // namespace deadgrad::engine
