// Phase A: what attributes, globals and imports mean, and the class hierarchy.
#include <algorithm>
#include <unordered_set>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

using ir::Op;

// A class before its bases, these from left to right, one that several share after all of them: Python's method
// resolution order but for hierarchies that are odd enough to need its whole definition.
std::vector<TypeId> Inference::resolution_order(TypeId type) const {
  // Below one base, in the order of that.
  const auto is_class = [](Atom base) { return base.kind() == AtomKind::Class; };
  const std::vector<Atom>& bases = bases_[type.index];
  if (const auto base = std::ranges::find_if(bases, is_class);
      std::ranges::count_if(bases, is_class) == 1 && base->type().index < type.index) {
    std::vector<TypeId> order = hierarchy_[base->type().index].ancestry;
    if (std::ranges::find(order, type) == order.end()) {
      order.insert(order.begin(), type);
      return order;
    }
  }
  struct Step {
    TypeId type;
    bool left;  // its bases are done
  };
  std::vector<TypeId> order;
  std::vector<Step> stack{{type, false}};
  std::unordered_set<std::uint32_t> seen;
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    if (step.left) {
      order.push_back(step.type);
      continue;
    }
    if (!seen.insert(step.type.index).second) continue;
    stack.push_back({step.type, true});
    for (Atom base : bases_[step.type.index]) {
      if (base.kind() == AtomKind::Class) stack.push_back({base.type(), false});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void Inference::rebuild_hierarchy() const {
  hierarchy_stale_ = false;
  const std::size_t count = program_.classes.size();
  hierarchy_.assign(count, {});
  const model::ApiModel& api = program_.api();
  for (std::uint32_t c = 0; c < count; ++c) {
    Hierarchy& own = hierarchy_[c];
    own.ancestry = resolution_order(TypeId{c});
    std::vector<NameId> direct;
    for (TypeId type : own.ancestry) {
      for (Atom base : bases_[type.index]) {
        if (base.kind() == AtomKind::Api && std::ranges::find(direct, base.name()) == direct.end())
          direct.push_back(base.name());
      }
    }
    own.api_bases = direct;
    for (NameId symbol : direct) {
      const model::ClassFacts* facts = api.find_class(program_.text(symbol));
      if (facts != nullptr && facts->shape == model::Shape::Module) own.module = true;
    }
  }
  for (std::uint32_t c = 0; c < count; ++c) {
    for (TypeId ancestor : hierarchy_[c].ancestry) {
      if (ancestor.index != c) hierarchy_[ancestor.index].descendants.push_back(TypeId{c});
    }
  }
}

bool Inference::is_module_class(TypeId type) const {
  if (hierarchy_stale_) rebuild_hierarchy();
  return hierarchy_[type.index].module;
}

bool Inference::derives_from_layer(TypeId type) const {
  for (NameId base : api_bases(type)) {
    const model::ClassFacts* facts = program_.api().find_class(program_.text(base));
    if (facts != nullptr && !facts->is_bare && facts->shape == model::Shape::Module && facts->has_parameters)
      return true;
  }
  return false;
}

const std::vector<NameId>& Inference::api_bases(TypeId type) const {
  if (hierarchy_stale_) rebuild_hierarchy();
  return hierarchy_[type.index].api_bases;
}

const std::vector<TypeId>& Inference::ancestry(TypeId type) const {
  if (hierarchy_stale_) rebuild_hierarchy();
  return hierarchy_[type.index].ancestry;
}

const std::vector<TypeId>& Inference::descendants(TypeId type) const {
  if (hierarchy_stale_) rebuild_hierarchy();
  return hierarchy_[type.index].descendants;
}

bool Inference::is_local_class(TypeId type) const {
  return program_.function(program_.classes[type].scope).kind != ir::FunctionKind::ModuleBody;
}

bool Inference::defines_in_body(TypeId type, NameId name) const {
  return class_names_[type.index].contains(name);
}

std::vector<FuncId> Inference::methods(TypeId type, NameId name, bool maybe_subclass) const {
  std::vector<FuncId> found;
  auto collect = [&](TypeId in) {
    const Value* cell = this->cell({CellKind::Attribute, in.index, name.index});
    if (cell == nullptr) return;
    for (Atom atom : table_.atoms(cell->set)) {
      if (atom.kind() == AtomKind::Function && std::find(found.begin(), found.end(), atom.func()) == found.end())
        found.push_back(atom.func());
    }
  };
  for (TypeId ancestor : ancestry(type)) {
    collect(ancestor);
    if (defines_in_body(ancestor, name)) break;
  }
  if (maybe_subclass && descendants(type).size() <= kMostDescendants) {
    for (TypeId descendant : descendants(type)) {
      if (defines_in_body(descendant, name)) collect(descendant);
    }
  }
  return found;
}

std::vector<FuncId> Inference::constructors(TypeId type) const {
  for (TypeId ancestor : ancestry(type)) {
    if (!constructors_[ancestor.index].empty()) return constructors_[ancestor.index];
  }
  return {};
}

std::vector<FuncId> Inference::call_operators(TypeId type, bool maybe_subclass) const {
  std::vector<FuncId> found = methods(type, name_call_, maybe_subclass);
  for (FuncId f : methods(type, name_call_operator_, maybe_subclass)) found.push_back(f);
  return found;
}

bool Inference::is_in_body(TypeId type, NameId name) const {
  return std::ranges::any_of(ancestry(type), [&](TypeId base) { return defines_in_body(base, name); });
}

std::vector<FuncId> Inference::iterators(Atom object) const {
  std::vector<FuncId> found = methods(object.type(), name_iter_, object.b() != 0);
  auto add_next = [&](Atom iterator) {
    if (iterator.kind() != AtomKind::Instance) return;
    for (FuncId next : methods(iterator.type(), name_next_, iterator.b() != 0)) {
      if (std::find(found.begin(), found.end(), next) == found.end()) found.push_back(next);
    }
  };
  for (std::size_t k = 0, direct = found.size(); k < direct; ++k) {
    const Value* returned = cell({CellKind::Return, found[k].index, 0});
    if (returned == nullptr) continue;
    for (Atom atom : table_.atoms(returned->set)) add_next(atom);
    if (returned->params & 1) add_next(object);
  }
  return found;
}

// The ancestors whose stores in `name` an instance may see, nearest first. Of a long line of ancestors only those that
// have any, put into `some`: the others' cells would be the square of its length.
const std::vector<TypeId>& Inference::holders(TypeId type, NameId name, std::vector<TypeId>& some) {
  constexpr std::size_t kLong = 16;
  const std::vector<TypeId>& up = ancestry(type);
  if (up.size() <= kLong) return up;
  read({CellKind::AnyAttribute, name.index, 1});  // wakes this function when there is another
  const auto owners = attribute_owners_.find(name);
  if (owners == attribute_owners_.end()) return some;
  if (owners->second.size() > kLong) {
    for (TypeId ancestor : up) {
      if (cell({CellKind::Attribute, ancestor.index, name.index}) != nullptr) some.push_back(ancestor);
      if (defines_in_body(ancestor, name)) break;
    }
    return some;
  }
  std::vector<std::vector<TypeId>::const_iterator> places;
  for (TypeId owner : owners->second)
    if (const auto place = std::ranges::find(up, owner); place != up.end()) places.push_back(place);
  std::ranges::sort(places);
  for (const auto place : places) some.push_back(*place);
  return some;
}

// Attributes of an instance: the class bodies' and instances' stores joined, nearest class body last looked at.
Value Inference::class_attribute(TypeId type, NameId name, bool maybe_subclass) {
  Value result;
  if (bodies_only_ || is_local_class(type)) read({CellKind::AnyAttribute, type.index, 2});
  std::vector<TypeId> some;
  for (TypeId ancestor : holders(type, name, some)) {
    result = table_.join(result, read({CellKind::Attribute, ancestor.index, name.index}));
    if (defines_in_body(ancestor, name)) break;
  }
  if (maybe_subclass && descendants(type).size() <= kMostDescendants) {
    const auto& below = descendants(type);
    if (!below.empty()) read({CellKind::AnyAttribute, name.index, 1});
    if (auto owners = attribute_owners_.find(name); !below.empty() && owners != attribute_owners_.end()) {
      for (TypeId owner : owners->second) {
        if (std::binary_search(below.begin(), below.end(), owner))
          result = table_.join(result, read({CellKind::Attribute, owner.index, name.index}));
      }
    }
  }
  return result;
}

// Functions found on a class become bound methods; properties are run.
Value Inference::bind(Value member, NameId name, Atom receiver, bool through_class, std::uint32_t i) {
  Value result{SetId{0}, 0, member.unknown};
  for (Atom atom : table_.atoms(member.set)) {
    if (atom.kind() != AtomKind::Function) {
      result = table_.join(result, table_.of(atom));
      continue;
    }
    const ir::Function& function = program_.function(atom.func());
    // A function that was put on the object itself gets no receiver.
    const bool is_method = program_.functions[atom.func()].owner.valid();
    if (!is_method && (through_class || !is_in_body(receiver.type(), name))) {
      result = table_.join(result, table_.of(atom));
    } else if (function.is_static) {
      result = table_.join(result, table_.of(atom));
    } else if (function.is_property && !through_class) {
      scratch_ = CallSite{};
      CallSite* outer = site_;
      site_ = &scratch_;
      result = table_.join(result, call_function(atom.func(), TargetKind::Direct, receiver, {}));
      site_ = outer;
      if (guessing_ && !scratch_.targets.empty()) {
        scratch_.event = i;
        note_site(scratch_);
      }
    } else if (through_class && !function.is_class_method) {
      result = table_.join(result, table_.of(atom));
    } else {
      // A class method called on an object is given the object's class.
      const bool give_class = function.is_class_method && receiver.kind() == AtomKind::Instance;
      const Atom given = give_class ? Atom::make(AtomKind::Class, receiver.a()) : receiver;
      result = table_.join(result, table_.of(Atom::make(AtomKind::Bound, atom.a(), table_.number(given))));
    }
  }
  return result;
}

Value Inference::module_attribute(ModuleId module, NameId name, int depth) {
  Value result;
  auto [own, added] = global_cells_.emplace(static_cast<std::uint64_t>(module.index) << 32 | name.index, ~0u);
  if (added && program_.defines_global(module, name))
    own->second = cell_number({CellKind::Global, module.index, name.index});
  const bool defined = own->second != ~0u;
  if (defined) {
    result = read(cells_[own->second]);
    if (!result.nothing()) return result;
  }
  // A submodule of a package, whether or not the package imports it.
  if (const Value sub = submodule(module, name); !sub.nothing()) return table_.join(result, sub);
  if (defined) return result;
  if (depth < 4) {
    read({CellKind::Global, module.index, ~0u});  // wakes this function when nothing else would
    for (Atom source : star_sources_[module.index]) {
      if (source.kind() == AtomKind::Module && source.a() != module.index) {
        if (!program_.exports(ModuleId{source.a()}, name)) continue;
        result = table_.join(result, module_attribute(ModuleId{source.a()}, name, depth + 1));
      } else if (source.kind() == AtomKind::Api) {
        const std::string symbol = std::string(program_.text(source.name())) + "." + std::string(program_.text(name));
        const model::Effect* effect = program_.api().find(symbol);
        const model::ClassFacts* facts = program_.api().find_class(symbol);
        if ((effect != nullptr && effect->symbol == symbol) || (facts != nullptr && facts->symbol == symbol)) {
          result = table_.join(result, table_.of(Atom::make(AtomKind::Api, program_.names.intern(symbol).index)));
        }
      }
      if (!result.nothing()) return result;
    }
  }
  return result;
}

// A folder without `__init__` goes by its dotted name.
Value Inference::submodule(ModuleId module, NameId name) {
  const std::uint64_t key = static_cast<std::uint64_t>(module.index) << 32 | name.index;
  auto [it, added] = submodules_.emplace(key, Value{});
  if (!added) return it->second;
  const std::string dotted = program_.module(module).name + "." + std::string(program_.text(name));
  if (const ModuleId sub = program_.find_module(dotted, module, true); sub.valid())
    it->second = table_.of(Atom::make(AtomKind::Module, sub.index));
  else if (program_.module(module).is_package && program_.is_folder(dotted))
    it->second = table_.of(Atom::make(AtomKind::Api, program_.names.intern(dotted).index));
  return it->second;
}

Value Inference::read_global(NameId name) {
  const ModuleId module = current_info_->module;
  Value result = module_attribute(module, name, 0);
  if (!result.nothing() || program_.defines_global(module, name)) {
    result.unknown |= guessing_ && result.nothing();
    return result;
  }
  if (const ModuleId owner = program_.module_of_global(name, module); owner.valid()) {
    Value value = read({CellKind::Global, owner.index, name.index});
    value.unknown |= guessing_ && value.nothing();
    return value;
  }
  auto [it, added] = builtins_.emplace(name, Value{SetId{0}, 0, true});
  if (added) {
    const std::string builtin = "builtins." + std::string(program_.text(name));
    if (program_.reach() == Reach::Everything || program_.api().find(builtin) != nullptr ||
        program_.api().find_class(builtin) != nullptr) {
      it->second = table_.of(Atom::make(AtomKind::Api, program_.names.intern(builtin).index));
    }
  }
  return it->second;
}

Value Inference::import_module(std::string_view dotted, bool top, bool exact) {
  const ModuleId from = current_info_->module;
  const ModuleId whole = program_.find_module(dotted, from, exact);
  const std::string_view root = dotted.substr(0, dotted.find('.'));
  if (top) {
    if (ModuleId package = program_.find_module(root, from, exact); package.valid()) {
      return table_.of(Atom::make(AtomKind::Module, package.index));
    }
    // `import a.b.c` of a project without `a/__init__`: the name `a` then stands for the package by its dotted name.
    return table_.of(Atom::make(AtomKind::Api, program_.names.intern(root).index));
  }
  if (whole.valid()) return table_.of(Atom::make(AtomKind::Module, whole.index));
  return table_.of(Atom::make(AtomKind::Api, program_.names.intern(dotted).index));
}

FuncId Inference::captured_owner(FuncId f, NameId name) const {
  const std::uint64_t key = static_cast<std::uint64_t>(f.index) << 32 | name.index;
  if (auto found = captured_owners_.find(key); found != captured_owners_.end()) return found->second;
  return captured_owners_[key] = find_captured_owner(f, name);
}

FuncId Inference::find_captured_owner(FuncId f, NameId name) const {
  for (FuncId at = program_.functions[f].parent; at.valid(); at = program_.functions[at].parent) {
    const ir::FunctionKind kind = program_.function(at).kind;
    if (kind == ir::FunctionKind::ClassBody) continue;
    if (kind == ir::FunctionKind::ModuleBody) return {};
    const ir::Module& module = program_.module_of(at);
    const ir::Function& function = program_.function(at);
    for (std::uint32_t i = 0; i < function.event_count; ++i) {
      const ir::Event& event = module.events[function.first_event.index + i];
      if (event.op == Op::Store && (event.flags & ir::flag::kPlaceMask) == ir::flag::Local &&
          program_.name(program_.functions[at].module, event.name) == name) {
        return at;
      }
    }
  }
  return {};
}

NameId Inference::lookup_symbol(Atom object) const {
  return object.name() == generic_module_ ? torch_module_ : object.name();
}

std::vector<CellKey> Inference::attribute_cells(Value object, NameId name) const {
  std::vector<CellKey> keys;
  for (Atom atom : table_.atoms(object.set)) {
    switch (atom.kind()) {
      case AtomKind::Instance:
      case AtomKind::Class:
        keys.push_back({CellKind::Attribute, atom.a(), name.index});
        break;
      case AtomKind::Module:
        keys.push_back({CellKind::Global, atom.a(), name.index});
        break;
      default:
        break;
    }
  }
  if (keys.empty()) keys.push_back({CellKind::AnyAttribute, name.index, 0});
  return keys;
}

Value Inference::read_attribute(Value object, NameId name, std::uint32_t i) {
  Value result;
  bool found_any = false;
  for (Atom atom : table_.atoms(object.set)) {
    Value value;
    switch (atom.kind()) {
      case AtomKind::Instance: {
        value = bind(class_attribute(atom.type(), name, atom.b() != 0), name, atom, false, i);
        if (value.nothing()) {
          for (NameId base : api_bases(atom.type())) {
            const model::Effect* effect = member_of(base, name);
            if (effect == nullptr) continue;
            if (effect->attribute && !effect->results.empty()) {
              value = table_.join(value, result_value(effect->results[0], table_.of(atom), {}, base, i));
            } else {
              value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
            }
            break;
          }
          // Of a base that the API model does not know.
          if (value.nothing() && guessing_ && program_.reach() == Reach::Everything && !api_bases(atom.type()).empty())
            value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
          value.unknown |= guessing_ && value.nothing();
        }
        break;
      }
      case AtomKind::Object: {
        const NameId symbol = lookup_symbol(atom);
        const model::Effect* effect = member_of(symbol, name);
        if (effect != nullptr && effect->attribute && !effect->results.empty()) {
          value = result_value(effect->results[0], table_.of(atom), {}, symbol, i);
        } else {
          value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
        }
        break;
      }
      case AtomKind::Class: {
        value = bind(class_attribute(atom.type(), name, false), name, atom, true, i);
        if (!value.nothing()) break;
        for (NameId base : api_bases(atom.type())) {
          if (member_of(base, name) == nullptr) continue;
          value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
          break;
        }
        value.unknown |= guessing_ && value.nothing();
        break;
      }
      case AtomKind::Super: {
        const Atom receiver = table_.numbered(atom.b());
        std::vector<TypeId> some;
        for (TypeId base : holders(atom.type(), name, some)) {
          if (base == atom.type()) continue;
          value =
              table_.join(value, bind(read({CellKind::Attribute, base.index, name.index}), name, receiver, false, i));
          if (defines_in_body(base, name)) break;
        }
        if (value.nothing()) value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(receiver)));
        break;
      }
      case AtomKind::Module: {
        value = module_attribute(ModuleId{atom.a()}, name, 0);
        value.unknown |= guessing_ && value.nothing();
        break;
      }
      case AtomKind::Api: {
        auto [it, added] = api_attributes_.emplace(static_cast<std::uint64_t>(atom.a()) << 32 | name.index, Value{});
        if (added) {
          const std::string symbol = std::string(program_.text(atom.name())) + "." + std::string(program_.text(name));
          // `import a.b` where only part of `a` is the project's: the rest of the path may still be.
          if (ModuleId module = program_.find_module(symbol, current_info_->module, true); module.valid()) {
            it->second = table_.of(Atom::make(AtomKind::Module, module.index));
          } else {
            it->second = table_.of(Atom::make(AtomKind::Api, program_.names.intern(symbol).index));
          }
        }
        value = it->second;
        break;
      }
      case AtomKind::Plain:
      case AtomKind::Text:
      case AtomKind::Number:
        value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
        break;
      case AtomKind::Function:
      case AtomKind::Bound:
      case AtomKind::Bool:
        value.unknown = true;
        break;
      case AtomKind::None:
        // Nothing of None is ever read: what is read is of the others.
        value.unknown = table_.atoms(object.set).size() == 1 && !object.unknown;
        break;
      default:
        value = table_.of(Atom::make(AtomKind::ApiMethod, name.index, table_.number(atom)));
    }
    found_any |= !value.nothing();
    result = table_.join(result, value);
  }
  if (!found_any) {
    if (!guessing_ && object.nothing()) return {};  // not known yet
    result = table_.join(result, read({CellKind::AnyAttribute, name.index, 0}));
    result.unknown |= guessing_ || object.unknown;
  }
  result.unknown |= object.unknown;
  return result;
}

}  // namespace deadgrad::engine
