// Phase A: containers, their elements, and what loops and unpacking get of them.
#include <algorithm>
#include <charconv>
#include <utility>

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

using ir::Op;

static constexpr std::uint32_t kMostPositions = 16;

static std::optional<std::uint32_t> as_position(Atom atom, const Program& program) {
  if (atom.kind() != AtomKind::Number) return std::nullopt;
  const std::string_view text = program.text(atom.name());
  std::uint32_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size() || position_key(position) == 0) return std::nullopt;
  return position;
}

// 0 if the key is no constant.
static std::uint32_t key_of(Atom atom, const Program& program) {
  if (atom.kind() == AtomKind::Text) return name_key(atom.name());
  const auto position = as_position(atom, program);
  return position ? position_key(*position) : 0;
}

Value Inference::evaluate_container(const ir::Event& event, std::uint32_t i) {
  const bool dict = event.op == Op::MakeDict;
  const std::uint32_t number = program_.event_number(current_, i);
  std::uint32_t position = 0;
  bool exact = !dict, data_said = false;
  // Adds an element. False for tables of plain values, of which one cell says it all.
  auto add = [&](Value value) {
    const bool data = only_data(value);
    if (!data || !data_said) contribute({CellKind::Element, number, 0}, value);
    data_said |= data;
    return !data;
  };
  for (std::size_t k = 0; k < event.operand_count; ++k) {
    const ValueNo element = operand(event, k);
    if (element == kNoValue) continue;
    const Op op = event_at(element).op;
    if (op == Op::Star || op == Op::DoubleStar) {
      contribute({CellKind::Element, number, 0}, evaluate_iterate(full(element)));
      exact = false;
    } else if (dict && k + 1 < event.operand_count) {
      const Value value = full(operand(event, ++k));
      if (!add(value)) continue;
      for (Atom atom : table_.atoms(full(element).set)) {
        if (const std::uint32_t key = key_of(atom, program_)) contribute({CellKind::Element, number, key}, value);
      }
    } else {
      const Value value = full(element);
      if (add(value) && exact && position < kMostPositions)
        contribute({CellKind::Element, number, position_key(position)}, value);
      ++position;
    }
  }
  return table_.of(Atom::container(number, exact && position <= kMostPositions ? position : 0, dict));
}

Value Inference::evaluate_iterate(Value iterable) {
  Value result{SetId{0}, 0, iterable.unknown};
  for (Atom atom : table_.atoms(iterable.set)) {
    switch (atom.kind()) {
      case AtomKind::Container:
        result = table_.join(result, read({CellKind::Element, atom.a(), 0}));
        break;
      case AtomKind::Generator:
        result = table_.join(result, next_of(atom));
        break;
      case AtomKind::Tensor:
        result = table_.join(result, table_.of(atom));
        break;
      case AtomKind::Plain:
      case AtomKind::Text:
        result = table_.join(result, table_.of(Atom::make(AtomKind::Plain)));
        break;
      case AtomKind::Object:
        if (atom.object_shape() == model::Shape::Loader) {
          result = table_.join(result, table_.of(Atom::make(AtomKind::Plain)));
        } else if (atom.object_shape() == model::Shape::Module) {
          result = table_.join(result, table_.of(Atom::object(generic_module_, model::Shape::Module)));
        } else {
          result.unknown = true;
        }
        break;
      case AtomKind::Instance: {
        for (FuncId f : methods(atom.type(), name_iter_, atom.b() != 0)) {
          const Value iterator = result_of_method(f, atom);
          for (Atom made : table_.atoms(iterator.set)) result = table_.join(result, next_of(made));
        }
        result.unknown = true;
        break;
      }
      default:
        result.unknown = true;
    }
  }
  return result;
}

// One element of an iterator.
Value Inference::next_of(Atom iterator) {
  if (iterator.kind() == AtomKind::Generator) return read({CellKind::Yield, iterator.a(), 0});
  Value result;
  if (iterator.kind() != AtomKind::Instance) return result;
  for (FuncId f : methods(iterator.type(), name_next_, iterator.b() != 0))
    result = table_.join(result, result_of_method(f, iterator));
  return result;
}

// Of a call that no event stands for.
Value Inference::result_of_method(FuncId f, Atom receiver) {
  CallSite* outer = std::exchange(site_, nullptr);
  const Value result = call_function(f, TargetKind::Direct, receiver, {});
  site_ = outer;
  return result;
}

Value Inference::element_at(Atom container, Value index) {
  // Parameters keep constants then: what the index is will be known.
  if (!guessing_ && index.nothing() && program_.reach() == Reach::Everything) return {};
  Value result;
  bool keyed = !index.unknown && index.set.index != 0;
  for (Atom atom : table_.atoms(index.set)) {
    const std::uint32_t key = key_of(atom, program_);
    keyed &= key != 0;
    if (keyed) result = table_.join(result, keyed_element(container, key));
  }
  return keyed ? result : read({CellKind::Element, container.a(), 0});
}

// Any element, where nothing was put under this key in particular.
Value Inference::keyed_element(Atom container, std::uint32_t key) {
  Value exact = read({CellKind::Element, container.a(), key});
  if (container.any_key()) exact = table_.join(exact, read({CellKind::Element, container.a(), kAnyKey}));
  return exact.nothing() && guessing_ ? read({CellKind::Element, container.a(), 0}) : exact;
}

// `list[1:3]`: the positions are known where those of the list and the bounds are.
Value Inference::evaluate_slice(Atom container, const ir::Event& slice, std::uint32_t i) {
  auto bound = [&](std::size_t k, std::uint32_t absent) -> std::optional<std::uint32_t> {
    const auto atoms = table_.atoms(full(operand(slice, k)).set);
    if (atoms.size() != 1) return std::nullopt;
    return atoms[0].kind() == AtomKind::None ? absent : as_position(atoms[0], program_);
  };
  const std::uint32_t size = container.container_size();
  const auto first = bound(0, 0), last = bound(1, size), step = bound(2, 1);
  if (!first || !last || step != 1u) return copy_elements(container, 0, 0, i);
  return copy_elements(container, *first, std::min(*last, size), i);
}

// The container that event `i` makes: of the elements from `first` to before `last`, of all if that is no range.
Value Inference::copy_elements(Atom container, std::uint32_t first, std::uint32_t last, std::uint32_t i) {
  const Atom made = Atom::container(program_.event_number(current_, i), 0, true);
  auto copy = [&](std::uint32_t from, std::uint32_t to) {
    const Value value = read({CellKind::Element, container.a(), from});
    contribute({CellKind::Element, made.a(), to}, value);
    contribute({CellKind::Element, made.a(), 0}, value);
  };
  for (std::uint32_t k = first; k < last; ++k) copy(position_key(k), position_key(k - first));
  copy(first < last ? kAnyKey : 0, kAnyKey);
  return table_.of(made);
}

Value Inference::evaluate_item(const ir::Event& event, std::uint32_t i) {
  const Value base = full(operand(event, 0));
  const Value index = full(operand(event, 1));
  const bool slice = operand(event, 1) != kNoValue && event_at(operand(event, 1)).op == Op::MakeSlice;
  Value result{SetId{0}, 0, base.unknown};
  for (Atom atom : table_.atoms(base.set)) {
    switch (atom.kind()) {
      case AtomKind::Container:
        result =
            table_.join(result, slice ? evaluate_slice(atom, event_at(operand(event, 1)), i) : element_at(atom, index));
        break;
      case AtomKind::Class:
      case AtomKind::Api:
      case AtomKind::Tensor:
      case AtomKind::Plain:
        result = table_.join(result, table_.of(atom));  // `List[int]`, `x[0]`
        break;
      case AtomKind::Object:
        if (atom.object_shape() == model::Shape::Module) {
          result = table_.join(result, table_.of(Atom::object(generic_module_, model::Shape::Module)));
        } else {
          result.unknown = true;
        }
        break;
      case AtomKind::Instance: {
        const auto found = methods(atom.type(), program_.names.intern("__getitem__"), atom.b() != 0);
        for (FuncId f : found) result = table_.join(result, Value{read({CellKind::Return, f.index, 0}).set, 0, true});
        result.unknown |= found.empty();
        break;
      }
      default:
        result.unknown = true;
    }
  }
  return result;
}

void Inference::store_item(Value object, ValueNo index, Value value) {
  const Value key = index == kNoValue ? Value{SetId{0}, 0, true} : full(index);
  for (Atom atom : table_.atoms(object.set)) {
    if (atom.kind() != AtomKind::Container) continue;
    bool keyed = !key.unknown && key.set.index != 0;
    for (Atom constant : table_.atoms(key.set)) {
      const std::uint32_t number = key_of(constant, program_);
      keyed &= number != 0;
      if (number != 0) contribute({CellKind::Element, atom.a(), number}, value);
    }
    if (!keyed && (atom.any_key() || atom.container_size() > 0))
      contribute({CellKind::Element, atom.a(), kAnyKey}, value);
    contribute({CellKind::Element, atom.a(), 0}, value);
  }
}

Value Inference::evaluate_unpack(const ir::Event& event, std::uint32_t i) {
  const Value source = full(operand(event, 0));
  Value result{SetId{0}, 0, source.unknown};
  for (Atom atom : table_.atoms(source.set)) {
    switch (atom.kind()) {
      case AtomKind::Container:
        result = table_.join(result, unpacked(atom, event, i));
        break;
      case AtomKind::Generator:
        result = table_.join(result, read({CellKind::Yield, atom.a(), 0}));
        break;
      default:
        result = table_.join(result, table_.of(atom));  // an element of zip, enumerate or items
    }
  }
  return result;
}

// What a target gets of a container: one element, or behind a star a container of several.
Value Inference::unpacked(Atom container, const ir::Event& event, std::uint32_t i) {
  const std::uint32_t size = container.container_size();
  if (event.flags & ir::flag::Starred) return copy_elements(container, event.target, size, i);
  std::uint32_t position = event.target;
  if (event.flags & ir::flag::FromEnd) {
    if (position >= size) return read({CellKind::Element, container.a(), 0});
    position = size - 1 - position;
  }
  return keyed_element(container, position_key(position));
}

}  // namespace deadgrad::engine
