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
  emit_place(Op::Store, name, {value}, span);
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
  if (!value.valid()) return;  // a declaration
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

void Lowering::augmented_assignment(NodeId node) {
  const NodeId left = child(node, Field::Left);
  if (!left.valid()) return;
  const NodeId op = tree_.first_child(node, Kind::Operator);
  const Place target = place(left);
  const EventId before = load_place(target);
  const EventId operand = optional_expression(child(node, Field::Right));
  const EventId after = builder_.emit(Op::Binary, {before, operand}, span(node), name_of(op),
                                      ir::flag::InPlace);
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
  std::uint32_t number = 0;
  for (NodeId target : tree_.children(targets)) {
    if (tree_.is_token(target)) continue;
    const bool starred = kind(target) == Kind::ListSplatPattern || kind(target) == Kind::ListSplat;
    const std::uint8_t flags = starred ? ir::flag::Starred : 0;
    store_target(target, builder_.emit(Op::Unpack, {value}, span(target), {}, flags, number++));
  }
}

// ---- match patterns: what a case captures comes from the subject; what it compares with is lowered for its effects.

void Lowering::match_pattern(NodeId pattern, EventId subject) {
  const Nested nested(*this);
  if (nested.too_deep()) {
    flat(pattern);
    return;
  }
  switch (kind(pattern)) {
    case Kind::CasePattern:
      // `case a, b:` has two of them in the clause; within one there is a single pattern, maybe after a minus sign.
      if (const NodeId inner = tree_.only_child(pattern); inner.valid()) match_pattern(inner, subject);
      return;
    case Kind::DottedName: {
      const NodeId name = tree_.first_child(pattern, Kind::Identifier);
      if (!name.valid()) return;
      if (tree_[pattern].next == name.index + 1) {
        store_name(tree_[name].name, subject, span(name));
        return;
      }
      const EventId value = dotted_value(pattern);
      builder_.emit(Op::Compare, {subject, value}, span(pattern), builder_.intern("=="));
      return;
    }
    case Kind::AsPattern:
      for (NodeId part : tree_.children(pattern)) {
        if (kind(part) == Kind::Identifier) {
          store_name(tree_[part].name, subject, span(part));
        } else if (!tree_.is_token(part)) {
          match_pattern(part, subject);
        }
      }
      return;
    case Kind::UnionPattern:
      for (NodeId part : tree_.children(pattern)) {
        if (!tree_.is_token(part)) match_pattern(part, subject);
      }
      return;
    case Kind::ListPattern: case Kind::TuplePattern: case Kind::ClassPattern: case Kind::DictPattern:
      match_parts(pattern, subject);
      return;
    case Kind::SplatPattern:
      if (const NodeId name = tree_.first_child(pattern, Kind::Identifier); name.valid()) {
        store_name(tree_[name].name, subject, span(name));
      }
      return;
    default:
      if (tree_.is_token(pattern)) return;
      builder_.emit(Op::Compare, {subject, expression(pattern)}, span(pattern), builder_.intern("=="));
      return;
  }
}

static NodeId inner_pattern(const Tree& tree, NodeId pattern) {
  const NodeId inner = tree[pattern].kind == Kind::CasePattern ? tree.only_child(pattern) : NodeId{};
  return inner.valid() ? inner : pattern;
}

// Element `number` of a sequence pattern.
void Lowering::match_element(NodeId pattern, EventId subject, std::uint32_t number) {
  const bool is_starred = kind(inner_pattern(tree_, pattern)) == Kind::SplatPattern;
  const std::uint8_t flags = is_starred ? ir::flag::Starred : 0;
  match_pattern(pattern, builder_.emit(Op::Unpack, {subject}, span(pattern), {}, flags, number));
}

// True for `(p)`, which is p itself and no sequence of one.
static bool is_parenthesized(const Tree& tree, NodeId pattern) {
  const NodeId inner = tree.only_child(pattern);
  if (!inner.valid() || tree[inner].next != tree[pattern].next) return false;
  const ir::Span after{tree[inner].end, tree[pattern].end};
  return tree.text(after).find(',') == std::string_view::npos;
}

void Lowering::match_parts(NodeId pattern, EventId subject) {
  if (kind(pattern) == Kind::DictPattern) return match_dictionary(pattern, subject);
  if (kind(pattern) == Kind::ClassPattern) return match_class(pattern, subject);
  if (kind(pattern) == Kind::TuplePattern && is_parenthesized(tree_, pattern)) {
    return match_pattern(tree_.only_child(pattern), subject);
  }
  std::uint32_t number = 0;
  for (NodeId part : tree_.children(pattern)) {
    if (!tree_.is_token(part)) match_element(part, subject, number++);
  }
}

void Lowering::match_dictionary(NodeId pattern, EventId subject) {
  EventId key;
  for (NodeId part : tree_.children(pattern)) {
    if (tree_.is_token(part)) continue;
    if (tree_[part].field == Field::Key) {
      key = kind(part) == Kind::DottedName ? dotted_value(part) : expression(part);
    } else if (tree_[part].field == Field::Value) {
      const EventId index = key.valid() ? key : optional_expression({});
      match_pattern(part, builder_.emit(Op::LoadItem, {subject, index}, span(part)));
    } else {
      match_pattern(part, subject);
    }
  }
}

// Which attributes the positional parts of a class pattern read, only the class knows.
void Lowering::match_class(NodeId pattern, EventId subject) {
  bool is_first = true;
  for (NodeId part : tree_.children(pattern)) {
    if (tree_.is_token(part)) continue;
    const NodeId inner = inner_pattern(tree_, part);
    const NodeId name = tree_.first_child(inner, Kind::Identifier);
    if (is_first && kind(part) == Kind::DottedName) {
      builder_.emit(Op::Compare, {subject, dotted_value(part)}, span(part), builder_.intern("isinstance"));
    } else if (kind(inner) == Kind::KeywordPattern && name.valid()) {
      NodeId value;
      for (NodeId piece : tree_.children(inner)) value = piece;
      const EventId read = builder_.emit(Op::LoadAttribute, {subject}, span(inner), tree_[name].name);
      if (value != name) match_pattern(value, read);
    } else {
      match_pattern(part, builder_.emit(Op::Unknown, {subject}, span(part), builder_.intern("pattern")));
    }
    is_first = false;
  }
}

// `a.b.c` in a pattern.
ir::EventId Lowering::dotted_value(NodeId node) {
  EventId value;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) != Kind::Identifier) continue;
    const Span whole{tree_[node].begin, tree_[part].end};
    value = value.valid() ? builder_.emit(Op::LoadAttribute, {value}, whole, tree_[part].name)
                          : load_name(tree_[part].name, span(part));
  }
  return value.valid() ? value : optional_expression({});
}

// True if the pattern matches every subject: `_`, a capture, and what only wraps these.
bool Lowering::is_irrefutable(NodeId pattern) const {
  for (int depth = 0; depth < kMostNesting; ++depth) {
    NodeId inner;
    switch (kind(pattern)) {
      case Kind::TokenUnderscore:
        return true;
      case Kind::DottedName:
        return tree_[pattern].next == pattern.index + 2;
      case Kind::UnionPattern:
        for (NodeId part : tree_.children(pattern)) inner = part;  // only the last alternative may match everything
        break;
      case Kind::TuplePattern:
        if (!is_parenthesized(tree_, pattern)) return false;
        [[fallthrough]];
      case Kind::CasePattern: case Kind::AsPattern:
        for (NodeId part : tree_.children(pattern)) {
          inner = part;
          break;
        }
        break;
      default:
        return false;
    }
    if (!inner.valid()) return false;
    pattern = inner;
  }
  return false;
}

}  // namespace deadgrad::python
