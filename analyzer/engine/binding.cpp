// Phase A: which parameters get which arguments.
#include <algorithm>
#include <unordered_set>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

using ir::Op;

static bool is_rest(const ir::Parameter& parameter) {
  return parameter.kind == ir::ParamKind::VarArgs || parameter.kind == ir::ParamKind::VarKeywords;
}

static std::optional<std::size_t> parameter_of(std::span<const ir::Parameter> parameters, ir::ParamKind kind) {
  const auto found = std::ranges::find(parameters, kind, &ir::Parameter::kind);
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

ValueNo Inference::argument_number(const Arguments& arguments, const model::ArgumentRef& ref) const {
  if (!ref.keyword.empty()) {
    for (const auto& [name, value] : arguments.named)
      if (program_.text(name) == ref.keyword) return value;
  }
  if (ref.position >= 0 && static_cast<std::size_t>(ref.position) < arguments.positional.size())
    return arguments.positional[static_cast<std::size_t>(ref.position)];
  return kNoValue;
}

Value Inference::argument(const Arguments& arguments, const model::ArgumentRef& ref) const {
  const ValueNo number = argument_number(arguments, ref);
  return number == kNoValue ? Value{} : get(number);
}

// Could this be called so? Of several callees that are possible by what flows where, those are meant that can.
bool Inference::fits(Atom callee, const Arguments& arguments) const {
  switch (callee.kind()) {
    case AtomKind::Function:
      return fits(callee.func(), 0, arguments);
    case AtomKind::Bound:
      return fits(callee.func(), 1, arguments);
    case AtomKind::Partial:
      return fits(callee.func(), callee.b(), arguments);
    case AtomKind::Class: {
      const std::vector<FuncId> found = constructors(callee.type());
      return found.empty() || std::ranges::any_of(found, [&](FuncId f) { return fits(f, 1, arguments); });
    }
    default:
      return true;
  }
}

bool Inference::fits(FuncId f, std::size_t bound, const Arguments& arguments) const {
  const ir::Module& module = program_.module_of(f);
  const auto parameters = module.parameters_of(program_.function(f));
  if (arguments.has_star()) return true;
  const std::size_t given = bound + arguments.positional.size();
  auto is_named = [&](const ir::Parameter& parameter) {
    const NameId name = program_.name(program_.functions[f].module, parameter.name);
    return std::ranges::any_of(arguments.named, [&](const auto& argument) { return argument.first == name; });
  };
  std::size_t positional = 0, named = 0;
  for (const ir::Parameter& parameter : parameters) {
    if (is_rest(parameter)) continue;
    const bool by_position = parameter.kind == ir::ParamKind::Positional && positional++ < given;
    const bool by_name = is_named(parameter);
    named += by_name;
    if (!by_position && !by_name && !parameter.has_default) return false;
  }
  return (given <= positional || parameter_of(parameters, ir::ParamKind::VarArgs)) &&
         (named == arguments.named.size() || parameter_of(parameters, ir::ParamKind::VarKeywords));
}

bool Inference::has_other_bases(TypeId type, TypeId owner) {
  if (hierarchy_stale_) {
    rebuild_hierarchy();
    other_bases_.clear();
  }
  auto [it, added] = other_bases_.emplace(static_cast<std::uint64_t>(type.index) << 32 | owner.index, false);
  if (!added) return it->second;
  bool other = descendants(owner).size() > kMostDescendants;
  if (!other) {
    std::unordered_set<std::uint32_t> related;
    for (TypeId above : ancestry(owner)) related.insert(above.index);
    for (TypeId below : descendants(owner)) related.insert(below.index);
    for (TypeId ancestor : ancestry(type)) other |= !related.contains(ancestor.index);
  }
  return other_bases_[static_cast<std::uint64_t>(type.index) << 32 | owner.index] = other;
}

// An argument that no parameter but `*args` or `**kwargs` takes. The container is one for all calls.
void Inference::keep_rest(FuncId target, std::size_t parameter, std::uint32_t key, Value value) {
  if (value.nothing()) return;
  const ir::Module& module = program_.module_of(target);
  const ir::Function& function = program_.function(target);
  std::uint32_t i = 0;
  while (i < function.event_count) {
    const ir::Event& event = module.events[function.first_event.index + i];
    if (event.op == Op::Param && event.target == parameter) break;
    ++i;
  }
  const Atom container = Atom::container(program_.event_number(target, i), 0, true);
  contribute({CellKind::Element, container.a(), key}, value);
  contribute({CellKind::Element, container.a(), 0}, value);
  contribute({CellKind::Param, target.index, static_cast<std::uint32_t>(parameter)}, table_.of(container));
}

// `f(*a, **b)`: what lies under the parameters' positions, from `position` on, and names. What `*args` and `**kwargs`
// stand for is handed on whole.
void Inference::spread(FuncId target, std::size_t position, const Arguments& arguments) {
  const ir::Module& module = program_.module_of(target);
  const auto parameters = module.parameters_of(program_.function(target));
  auto give = [&](std::size_t parameter, Value value) {
    contribute({CellKind::Param, target.index, static_cast<std::uint32_t>(parameter)}, value);
  };
  auto element = [&](Atom container, std::uint32_t key) { return read({CellKind::Element, container.a(), key}); };
  for (Atom atom : table_.atoms(arguments.star == kNoValue ? SetId{0} : full(arguments.star).set)) {
    if (atom.kind() != AtomKind::Container) continue;
    std::size_t p = position;
    for (; p < parameters.size() && parameters[p].kind == ir::ParamKind::Positional; ++p)
      give(p, element(atom, position_key(p - position)));
    const auto rest = parameter_of(parameters, ir::ParamKind::VarArgs);
    if (rest && *rest == position)
      give(*rest, table_.of(atom));
    else if (rest)
      keep_rest(target, *rest, kAnyKey, element(atom, 0));
  }
  for (ValueNo number : arguments.double_stars) {
    for (Atom atom : table_.atoms(full(number).set)) {
      if (atom.kind() != AtomKind::Container) continue;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        const NameId name = program_.name(program_.functions[target].module, parameters[p].name);
        if (parameters[p].kind == ir::ParamKind::VarKeywords)
          give(p, table_.of(atom));
        else if (parameters[p].kind != ir::ParamKind::VarArgs)
          give(p, element(atom, name_key(name)));
      }
    }
  }
}

Value Inference::call_function(FuncId target, TargetKind kind, std::optional<Atom> receiver, const Arguments& arguments,
                               std::size_t already_bound) {
  const ir::Module& module = program_.module_of(target);
  const ir::Function& function = program_.function(target);
  const auto parameters = module.parameters_of(function);
  const std::size_t shift = (receiver ? 1 : 0) + already_bound;
  note_call({target, kind, static_cast<std::uint8_t>(std::min<std::size_t>(shift, 255)), receiver.has_value()});
  std::vector<Value>& bound = bound_;
  std::vector<char>& is_bound = is_bound_;
  bound.assign(parameters.size(), Value{});
  is_bound.assign(parameters.size(), 0);
  if (receiver && !parameters.empty() && parameters[0].kind == ir::ParamKind::Positional) {
    bound[0] = table_.of(*receiver);
    is_bound[0] = 1;
  }
  const auto rest = parameter_of(parameters, ir::ParamKind::VarArgs);
  std::size_t position = shift;
  for (ValueNo number : arguments.positional) {
    const std::size_t p = position++;
    if (p < parameters.size() && parameters[p].kind == ir::ParamKind::Positional) {
      bound[p] = get(number);
      is_bound[p] = 1;
    } else if (rest && p >= *rest) {
      keep_rest(target, *rest, position_key(p - *rest), full(number));
    }
  }
  for (const auto& [name, number] : arguments.named) {
    bool found = false;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (is_rest(parameters[p]) || program_.name(program_.functions[target].module, parameters[p].name) != name)
        continue;
      bound[p] = get(number);
      is_bound[p] = found = true;
    }
    const auto rest_of_named = found ? std::nullopt : parameter_of(parameters, ir::ParamKind::VarKeywords);
    if (rest_of_named) keep_rest(target, *rest_of_named, name_key(name), full(number));
  }
  if (arguments.has_star()) spread(target, position, arguments);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (is_bound[p]) {
      // A method's own `self` stands for its class and all subclasses already: another receiver says more only if it
      // has bases beside them (mix-ins).
      const TypeId owner = program_.functions[target].owner;
      if (p == 0 && receiver && receiver->kind() == AtomKind::Instance && owner.valid() &&
          !has_other_bases(receiver->type(), owner))
        continue;
      Value value = expand_reading(bound[p]);
      contribute({CellKind::Param, target.index, static_cast<std::uint32_t>(p)}, value);
    } else if (arguments.has_star() && parameters[p].kind == ir::ParamKind::Positional) {
      contribute({CellKind::Param, target.index, static_cast<std::uint32_t>(p)}, Value{SetId{0}, 0, true});
    }
  }
  if (function.is_generator) return table_.of(Atom::make(AtomKind::Generator, target.index));
  const Value returned = read({CellKind::Return, target.index, 0});
  Value result{returned.set, 0, returned.unknown};
  for (std::uint32_t p = 0; returned.params >> p; ++p) {
    if (!(returned.params >> p & 1) || p >= parameters.size()) continue;
    if (is_bound[p]) {
      result = table_.join(result, bound[p]);
    } else {
      Value value = read({CellKind::Param, target.index, p});
      value.params = 0;
      result = table_.join(result, value);
    }
  }
  return result;
}

}  // namespace deadgrad::engine
