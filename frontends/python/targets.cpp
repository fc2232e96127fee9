#include <algorithm>

#include "frontends/python/lowering.h"

namespace deadgrad::python {

using ir::Span;

StrId Lowering::place_name(StrId name, const Scopes::Place& place) {
  if (!place.scope.valid() || scopes_[place.scope].kind != ScopeKind::Comprehension) return name;
  return builder_.intern(std::string(module_.text(name)) + "~" + std::to_string(scopes_[place.scope].ordinal));
}

std::uint8_t Lowering::place_flags(const Scopes::Place& place) const {
  if (!place.scope.valid()) return ir::flag::Global;
  return place.captured || context_.from_inside ? ir::flag::Captured : ir::flag::Local;
}

ir::EventId Lowering::load_name(StrId name, Span span) {
  const Scopes::Place place = scopes_.resolve(name, context_.scope);
  return builder_.emit(Op::Load, {}, span, place_name(name, place), place_flags(place));
}

void Lowering::store_name(StrId name, EventId value, Span span) {
  if (name.valid()) emit_place(Op::Store, name, {value}, span);  // a syntax error may have left none
}

void Lowering::emit_place(Op op, StrId name, std::initializer_list<EventId> operands, Span span) {
  const Scopes::Place place = scopes_.resolve(name, context_.scope);
  builder_.emit(op, operands, span, place_name(name, place), place_flags(place));
}

// The literal elements of `a, b` if there are `count` of them and none is starred.
static bool matches_elements(const Tree& tree, NodeId value, std::size_t count, std::vector<NodeId>& elements) {
  const Kind kind = tree[value].kind;
  if (kind != Kind::ExpressionList && kind != Kind::Tuple && kind != Kind::PatternList) return false;
  for (NodeId element : tree.children(value)) {
    const Kind what = tree[element].kind;
    if (what == Kind::ListSplat || what == Kind::ListSplatPattern || what == Kind::Error) return false;
    if (!tree.is_token(element)) elements.push_back(element);
  }
  return elements.size() == count;
}

static bool is_list_of_targets(Kind kind) {
  return kind == Kind::PatternList || kind == Kind::TuplePattern || kind == Kind::ListPattern || kind == Kind::Tuple ||
         kind == Kind::List || kind == Kind::ExpressionList;
}

// `a = b = value` is a = (b = value) in the tree. The value comes first, then the targets from left to right.
void Lowering::assignment(NodeId node) {
  std::vector<NodeId> targets;
  NodeId value, type;
  while (true) {
    if (const NodeId left = child(node, Field::Left); left.valid()) targets.push_back(left);
    type = child(node, Field::Type);
    value = child(node, Field::Right);
    if (!value.valid() || kind(value) != Kind::Assignment) break;
    node = value;
  }
  if (!value.valid()) return declaration(targets, type, node);
  if (kind(value) == Kind::AugmentedAssignment) return augmented_assignment(value);

  std::vector<NodeId> parts, elements;
  if (targets.size() == 1 && is_list_of_targets(kind(targets[0]))) {
    bool is_plain = true;
    for (NodeId target : tree_.children(targets[0])) {
      if (tree_.is_token(target)) continue;
      is_plain &= kind(target) != Kind::ListSplatPattern && kind(target) != Kind::ListSplat;
      parts.push_back(target);
    }
    if (is_plain && matches_elements(tree_, value, parts.size(), elements)) {
      Events values;
      for (NodeId element : elements) values.push_back(expression(element));
      for (std::size_t i = 0; i < parts.size(); ++i) store_target(parts[i], values[i]);
      return;
    }
  }

  EventId result = expression(value);
  if (type.valid()) result = builder_.emit(Op::Typed, {result, expression(type)}, span(node));
  for (NodeId target : targets) store_target(target, result);
}

// `name: type` gives no value, but in a class it declares an attribute, which a dataclass's constructor fills.
void Lowering::declaration(std::span<const NodeId> targets, NodeId type, NodeId node) {
  if (current_function().kind != ir::FunctionKind::ClassBody || !type.valid()) return;
  if (targets.size() != 1 || kind(targets[0]) != Kind::Identifier) return;
  const EventId value = unknown("declared", node);
  store_target(targets[0], builder_.emit(Op::Typed, {value, expression(type)}, span(node)));
}

void Lowering::augmented_assignment(NodeId node) {
  const NodeId left = child(node, Field::Left);
  if (!left.valid()) return;
  const NodeId op = tree_.first_child(node, Kind::Operator);
  const Place target = place(left);
  const EventId before = load_place(target);
  const EventId operand = optional_expression(child(node, Field::Right));
  const EventId after = builder_.emit(Op::Binary, {before, operand}, span(node), name_of(op), ir::flag::InPlace);
  store_place(target, after);
}

// Evaluates what leads to a target, once.
Lowering::Place Lowering::place(NodeId target) {
  while (kind(target) == Kind::ParenthesizedExpression || kind(target) == Kind::AsPatternTarget ||
         kind(target) == Kind::Type) {
    const NodeId inner = tree_.only_child(target);
    if (!inner.valid()) break;
    target = inner;
  }
  Place place{Place::Kind::Other, target, {}, {}};
  if (kind(target) == Kind::Identifier) {
    place.kind = Place::Kind::Name;
  } else if (kind(target) == Kind::Attribute && child(target, Field::Object).valid() &&
             name_of(child(target, Field::Attribute)) != name_of({})) {
    place.kind = Place::Kind::Attribute;
    place.object = expression(child(target, Field::Object));
  } else if (kind(target) == Kind::Subscript && child(target, Field::Value).valid()) {
    place.kind = Place::Kind::Item;
    place.object = expression(child(target, Field::Value));
    place.index = subscript_index(target);
  }
  return place;
}

ir::EventId Lowering::load_place(const Place& place) {
  const NodeId node = place.node;
  switch (place.kind) {
    case Place::Kind::Name:
      return load_name(tree_[node].name, span(node));
    case Place::Kind::Attribute:
      return builder_.emit(Op::LoadAttribute, {place.object}, span(node), tree_[child(node, Field::Attribute)].name);
    case Place::Kind::Item:
      return builder_.emit(Op::LoadItem, {place.object, place.index}, span(node));
    case Place::Kind::Other:
      break;
  }
  return expression(node);
}

void Lowering::store_place(const Place& place, EventId value) {
  const NodeId node = place.node;
  switch (place.kind) {
    case Place::Kind::Name:
      store_name(tree_[node].name, value, span(node));
      return;
    case Place::Kind::Attribute:
      builder_.emit(Op::StoreAttribute, {place.object, value}, span(node), tree_[child(node, Field::Attribute)].name);
      return;
    case Place::Kind::Item:
      builder_.emit(Op::StoreItem, {place.object, place.index, value}, span(node));
      return;
    case Place::Kind::Other:
      break;
  }
  if (is_list_of_targets(kind(node))) {
    unpack(node, value);
  } else if (kind(node) == Kind::ListSplatPattern || kind(node) == Kind::ListSplat) {
    if (const NodeId inner = tree_.only_child(node); inner.valid()) store_target(inner, value);
  } else {
    builder_.emit(Op::Unknown, {value, expression(node)}, span(node), builder_.intern("assignment target"));
  }
}

void Lowering::store_target(NodeId target, EventId value) {
  const Nested nested(*this);
  if (nested.too_deep()) {
    flat(target);
    return;
  }
  store_place(place(target), value);
}

void Lowering::unpack(NodeId targets, EventId value) {
  std::vector<NodeId> parts;
  std::vector<char> starred;
  for (NodeId target : tree_.children(targets)) {
    if (tree_.is_token(target)) continue;
    parts.push_back(target);
    starred.push_back(kind(target) == Kind::ListSplatPattern || kind(target) == Kind::ListSplat);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) store_target(parts[i], unpack_part(value, starred, i, span(parts[i])));
}

// Target `i` of a list of targets, one of which may be starred.
ir::EventId Lowering::unpack_part(EventId value, std::span<const char> starred, std::size_t i, Span span) {
  const auto star = static_cast<std::size_t>(std::ranges::find(starred, 1) - starred.begin());
  const std::uint8_t flags = i < star ? 0 : i == star ? ir::flag::Starred : ir::flag::FromEnd;
  const std::size_t number = i <= star ? i : starred.size() - 1 - i;
  return builder_.emit(Op::Unpack, {value}, span, {}, flags, static_cast<std::uint32_t>(number));
}

}  // namespace deadgrad::python
