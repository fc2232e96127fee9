// Phase A: what attributes, globals and imports mean, and the class hierarchy.
#include <algorithm>
#include <unordered_set>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

using ir::Op;

void Inference::rebuild_hierarchy() const {
  hierarchy_stale_ = false;
  const std::size_t count = program_.classes.size();
  hierarchy_.assign(count, {});
  const model::ApiModel& api = program_.api();
  for (std::uint32_t c = 0; c < count; ++c) {
    // Depth-first, left to right, each class once: near enough to a method resolution order.
    Hierarchy& own = hierarchy_[c];
    std::vector<TypeId> stack{TypeId{c}};
    std::vector<NameId> direct;
    std::unordered_set<std::uint32_t> seen, seen_names;
    while (!stack.empty()) {
      const TypeId type = stack.back();
      stack.pop_back();
      if (!seen.insert(type.index).second) continue;
      own.ancestry.push_back(type);
      const auto& bases = bases_[type.index];
      for (std::size_t k = bases.size(); k-- > 0;) {
        if (bases[k].kind() == AtomKind::Class) stack.push_back(bases[k].type());
      }
      for (Atom base : bases) {
        if (base.kind() == AtomKind::Api && seen_names.insert(base.a()).second) direct.push_back(base.name());
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

// Attributes of an instance: the class bodies' and instances' stores joined, nearest class body last looked at.
Value Inference::class_attribute(TypeId type, NameId name, bool maybe_subclass) {
  Value result;
  if (bodies_only_ || is_local_class(type)) read({CellKind::AnyAttribute, type.index, 2});
  for (TypeId ancestor : ancestry(type)) {
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
Value Inference::bind(Value member, Atom receiver, bool through_class, std::uint32_t i) {
  Value result{SetId{0}, 0, member.unknown};
  for (Atom atom : table_.atoms(member.set)) {
    if (atom.kind() != AtomKind::Function) {
      result = table_.join(result, table_.of(atom));
      continue;
    }
    const ir::Function& function = program_.function(atom.func());
    const bool is_method = program_.functions[atom.func()].owner.valid();
    if (!is_method && through_class) {
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
  if (ModuleId sub = submodule(module, name); sub.valid()) {
    return table_.join(result, table_.of(Atom::make(AtomKind::Module, sub.index)));
  }
  if (defined) return result;
  if (depth < 4) {
    read({CellKind::Global, module.index, ~0u});  // wakes this function when nothing else would
    for (Atom source : star_sources_[module.index]) {
      if (source.kind() == AtomKind::Module && source.a() != module.index) {
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

ModuleId Inference::submodule(ModuleId module, NameId name) {
  const std::uint64_t key = static_cast<std::uint64_t>(module.index) << 32 | name.index;
  auto [it, added] = submodules_.emplace(key, ModuleId{});
  if (added)
    it->second =
        program_.find_module(program_.module(module).name + "." + std::string(program_.text(name)), module, true);
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
    if (program_.api().find(builtin) != nullptr || program_.api().find_class(builtin) != nullptr) {
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
        value = bind(class_attribute(atom.type(), name, atom.b() != 0), atom, false, i);
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
        value = bind(class_attribute(atom.type(), name, false), atom, true, i);
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
        for (TypeId base : ancestry(atom.type())) {
          if (base == atom.type()) continue;
          value = table_.join(value, bind(read({CellKind::Attribute, base.index, name.index}), receiver, false, i));
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
      case AtomKind::None:
        value.unknown = true;
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
