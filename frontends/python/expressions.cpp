#include "frontends/python/lowering.h"

namespace deadgrad::python {

using ir::Span;

// Operators in a row (`a.b().c()`, `1 + 1 + …`, `not not x`, `x if c else y if d else z`) form a chain in which each
// holds the next as the operand that is evaluated first (for `**` and conditionals: last). The chain is walked down,
// its links are kept on links_, the innermost operand is lowered, and the links are applied on the way back: no
// recursion per link.
ir::EventId Lowering::expression(NodeId node) {
  const Nested nested(*this);
  if (nested.too_deep()) return flat(node);
  const std::size_t base = links_.size();
  while (true) {
    const NodeId next = descend(node);
    if (!next.valid()) break;
    node = next;
  }
  EventId value = leaf(node);
  while (links_.size() > base) {
    const Link link = links_.back();
    links_.pop_back();
    value = combine(link, value, base);
  }
  return value;
}

// Takes one step down the chain; invalid if `node` is no operator or an incomplete one.
NodeId Lowering::descend(NodeId node) {
  NodeId next;
  Link link{node, {}, {}};
  switch (kind(node)) {
    case Kind::ParenthesizedExpression:
    case Kind::Type:
    case Kind::AsPatternTarget:
      return tree_.only_child(node);
    case Kind::Call:
      next = child(node, Field::Function);
      break;
    case Kind::Attribute:
      next = child(node, Field::Object);
      break;
    case Kind::Subscript:
    case Kind::NamedExpression:
      next = child(node, Field::Value);
      break;
    case Kind::UnaryOperator:
    case Kind::NotOperator:
      next = child(node, Field::Argument);
      break;
    case Kind::BinaryOperator: {
      const NodeId op = tree_.first_child(node, Kind::Operator);
      next = child(node, Field::Left);
      if (!next.valid() || !op.valid() || module_.text(tree_[op].name) != "**") break;
      link.first = expression(next);
      next = child(node, Field::Right);
      if (!next.valid()) next = op;
      break;
    }
    case Kind::BooleanOperator:
      next = child(node, Field::Left);
      break;
    case Kind::Await:
    case Kind::ComparisonOperator:
    case Kind::GenericType:
    case Kind::UnionType:
    case Kind::MemberType:
      next = tree_.only_child(node);
      break;
    case Kind::ConditionalExpression: {
      NodeId parts[3];
      int count = 0;
      for (NodeId part : tree_.children(node)) {
        if (!tree_.is_token(part) && count < 3) parts[count++] = part;
      }
      if (count < 3) return {};
      link.first = expression(parts[1]);
      link.second = expression(parts[0]);
      next = parts[2];
      break;
    }
    default:
      return {};
  }
  if (next.valid()) links_.push_back(link);
  return next;
}

ir::EventId Lowering::combine(const Link& link, EventId value, std::size_t base) {
  const NodeId node = link.node;
  switch (kind(node)) {
    case Kind::Call:
      return call(node, value);
    case Kind::Attribute: {
      const NodeId name = child(node, Field::Attribute);
      if (!name.valid() || !tree_[name].name.valid()) return builder_.emit(Op::Unknown, {value}, span(node));
      return builder_.emit(Op::LoadAttribute, {value}, span(node), tree_[name].name);
    }
    case Kind::Subscript:
      return builder_.emit(Op::LoadItem, {value, subscript_index(node)}, span(node));
    case Kind::NamedExpression:
      if (const NodeId name = child(node, Field::Name); name.valid()) store_name(tree_[name].name, value, span(name));
      return value;
    case Kind::NotOperator:
      return builder_.emit(Op::Unary, {value}, span(node), builder_.intern("not"));
    case Kind::UnaryOperator: {
      const NodeId op = tree_.first_child(node, Kind::Operator);
      return builder_.emit(Op::Unary, {value}, span(node), name_of(op));
    }
    case Kind::BinaryOperator: {
      const NodeId op = tree_.first_child(node, Kind::Operator);
      const StrId name = name_of(op);
      if (link.first.valid()) return builder_.emit(Op::Binary, {link.first, value}, span(node), name);
      const EventId right = optional_expression(child(node, Field::Right));
      return builder_.emit(Op::Binary, {value, right.valid() ? right : value}, span(node), name);
    }
    case Kind::BooleanOperator:
      return boolean(link, value, base);
    case Kind::ComparisonOperator:
      return comparison(node, value);
    case Kind::Await:
      return builder_.emit(Op::Await, {value}, span(node));
    case Kind::ConditionalExpression:
      return builder_.emit(Op::Select, {link.first, link.second, value}, span(node));
    default:
      return generic_type(node, value);
  }
}

// `a and b and c` is ((a and b) and c) in the tree and one Bool here: takes the links of the same operator off the
// chain.
ir::EventId Lowering::boolean(const Link& link, EventId value, std::size_t base) {
  Events operands{value};
  NodeId node = link.node;
  const NodeId op = tree_.first_child(node, Kind::Operator);
  const StrId name = name_of(op);
  while (true) {
    if (const NodeId right = child(node, Field::Right); right.valid()) operands.push_back(expression(right));
    if (links_.size() == base || kind(links_.back().node) != Kind::BooleanOperator) break;
    const NodeId outer = links_.back().node;
    const NodeId outer_op = tree_.first_child(outer, Kind::Operator);
    // In `(a and b) and c` parentheses stand between the two, which makes no difference to the value.
    if (!outer_op.valid() || tree_[outer_op].name != name) break;
    links_.pop_back();
    node = outer;
  }
  return builder_.emit(Op::Bool, operands, span(node), name);
}

ir::EventId Lowering::comparison(NodeId node, EventId first) {
  Events operands{first};
  StrId name;
  bool is_first = true;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::Operator) {
      if (!name.valid()) name = tree_[part].name;
    } else if (!tree_.is_token(part)) {
      if (!is_first) operands.push_back(expression(part));
      is_first = false;
    }
  }
  if (operands.size() < 2) return first;
  return builder_.emit(Op::Compare, operands, span(node), name.valid() ? name : name_of({}));
}

ir::EventId Lowering::leaf(NodeId node) {
  using namespace ir;
  switch (kind(node)) {
    case Kind::Identifier:
      return load_name(tree_[node].name, span(node));
    case Kind::String:
      return string(node);
    case Kind::ConcatenatedString:
      return concatenated_string(node);
    case Kind::Integer: {
      const char last = tree_.text(node).back();
      return constant(last == 'j' || last == 'J' ? flag::Float : flag::Int, node);
    }
    case Kind::Float:
      return constant(flag::Float, node);
    case Kind::True:
      return constant(flag::True, node);
    case Kind::False:
      return constant(flag::False, node);
    case Kind::None:
      return constant(flag::None, node);
    case Kind::Ellipsis:
      return constant(flag::Ellipsis, node);
    case Kind::List:
    case Kind::ListPattern:
      return display(Op::MakeList, node);
    case Kind::Tuple:
    case Kind::ExpressionList:
    case Kind::PatternList:
    case Kind::TuplePattern:
      return display(Op::MakeTuple, node);
    case Kind::Set:
      return display(Op::MakeSet, node);
    case Kind::Dictionary:
      return dictionary(node);
    case Kind::ListComprehension:
    case Kind::SetComprehension:
    case Kind::DictionaryComprehension:
    case Kind::GeneratorExpression:
      return comprehension(node);
    case Kind::Lambda:
      return lambda(node);
    case Kind::Yield:
      return yield(node);
    case Kind::Slice:
      return slice(node);
    case Kind::AsPattern: {
      // Only a `with` item or an `except` clause may hold one; elsewhere the tree comes from a syntax error.
      const EventId value = optional_expression(tree_.only_child(node));
      if (const NodeId alias = child(node, Field::Alias); alias.valid()) store_target(alias, value);
      return value;
    }
    case Kind::Assignment:
      assignment(node);
      return unknown("assignment", node);
    case Kind::TypeCall: {
      const std::uint32_t begin = tree_[node].begin;
      Events operands{load_name(builder_.intern("type"), {begin, begin + 4})};
      for (NodeId part : tree_.children(node)) argument(part, operands);
      return builder_.emit(Op::Call, operands, span(node));
    }
    case Kind::Missing:
      return builder_.emit(Op::Unknown, {}, span(node), builder_.intern("missing"));
    case Kind::Error:
      return unknown("syntax error", node);
    default:
      return unknown("expression", node);
  }
}

// An Unknown with the values of the pieces as operands.
ir::EventId Lowering::unknown(std::string_view what, NodeId node) {
  Events operands;
  if (kind(node) != Kind::Assignment) {
    for (NodeId part : tree_.children(node)) {
      if (!tree_.is_token(part)) operands.push_back(expression(part));
    }
  }
  return builder_.emit(Op::Unknown, operands, span(node), builder_.intern(what));
}

ir::EventId Lowering::optional_expression(NodeId node) {
  return node.valid() ? expression(node) : builder_.emit(Op::Unknown, {}, Span{}, builder_.intern("missing"));
}

ir::EventId Lowering::expressions(std::span<const NodeId> nodes, Span span) {
  if (nodes.size() == 1) return expression(nodes[0]);
  Events elements;
  for (NodeId node : nodes) elements.push_back(element(node));
  return builder_.emit(Op::MakeTuple, elements, span);
}

ir::EventId Lowering::constant(std::uint8_t what, NodeId node) {
  return builder_.emit(Op::Const, {}, span(node), intern_text(tree_.text(node)), what);
}

ir::EventId Lowering::call(NodeId node, EventId callee) {
  Events operands{callee};
  const NodeId arguments = child(node, Field::Arguments);
  if (arguments.valid() && kind(arguments) == Kind::ArgumentList) {
    for (NodeId part : tree_.children(arguments)) argument(part, operands);
  } else if (arguments.valid()) {
    operands.push_back(expression(arguments));
  }
  return builder_.emit(Op::Call, operands, span(node));
}

void Lowering::argument(NodeId node, Events& operands) {
  if (tree_.is_token(node)) return;
  if (kind(node) != Kind::KeywordArgument) {
    const bool is_double_star = kind(node) == Kind::DictionarySplat || kind(node) == Kind::DictionarySplatPattern;
    operands.push_back(is_double_star ? wrapped(Op::DoubleStar, node) : element(node));
    return;
  }
  const NodeId name = child(node, Field::Name);
  const EventId value = optional_expression(child(node, Field::Value));
  operands.push_back(builder_.emit(Op::Keyword, {value}, span(node), name_of(name)));
}

// A value in a list of values, where a star may stand before it.
ir::EventId Lowering::element(NodeId node) {
  const bool is_star = kind(node) == Kind::ListSplat || kind(node) == Kind::ListSplatPattern;
  return is_star ? wrapped(Op::Star, node) : expression(node);
}

ir::EventId Lowering::wrapped(Op wrapper, NodeId node) {
  return builder_.emit(wrapper, {optional_expression(tree_.only_child(node))}, span(node));
}

// The index of `a[i]`, `a[i, j]` or `a[i:j]`.
ir::EventId Lowering::subscript_index(NodeId node) {
  std::vector<NodeId> indices;
  bool is_tuple = false;
  bool is_first = true;
  for (NodeId part : tree_.children(node)) {
    is_tuple |= kind(part) == Kind::TokenComma;
    if (!tree_.is_token(part)) {
      if (!is_first) indices.push_back(part);
      is_first = false;
    }
  }
  if (indices.empty()) return optional_expression({});
  is_tuple |= kind(indices[0]) == Kind::ListSplat || kind(indices[0]) == Kind::ListSplatPattern;
  if (indices.size() == 1 && !is_tuple) return expression(indices[0]);
  Events elements;
  for (NodeId index : indices) elements.push_back(element(index));
  return builder_.emit(Op::MakeTuple, elements, {tree_[indices.front()].begin, tree_[indices.back()].end});
}

ir::EventId Lowering::slice(NodeId node) {
  NodeId parts[3];
  std::size_t at = 0;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::TokenColon) {
      if (at < 2) ++at;
    } else if (!tree_.is_token(part)) {
      parts[at] = part;
    }
  }
  Events operands;
  for (NodeId part : parts) {
    if (part.valid()) {
      operands.push_back(expression(part));
    } else {
      operands.push_back(builder_.emit(Op::Const, {}, span(node), builder_.intern("None"), ir::flag::None));
    }
  }
  return builder_.emit(Op::MakeSlice, operands, span(node));
}

ir::EventId Lowering::display(Op op, NodeId node) {
  Events elements;
  for (NodeId part : tree_.children(node)) {
    if (!tree_.is_token(part)) elements.push_back(element(part));
  }
  return builder_.emit(op, elements, span(node));
}

ir::EventId Lowering::dictionary(NodeId node) {
  Events operands;
  for (NodeId part : tree_.children(node)) {
    if (tree_.is_token(part)) continue;
    if (kind(part) == Kind::Pair) {
      operands.push_back(optional_expression(child(part, Field::Key)));
      operands.push_back(optional_expression(child(part, Field::Value)));
    } else if (kind(part) == Kind::DictionarySplat) {
      operands.push_back(wrapped(Op::DoubleStar, part));
    } else {
      const EventId odd = expression(part);
      operands.insert(operands.end(), {odd, odd});
    }
  }
  return builder_.emit(Op::MakeDict, operands, span(node));
}

ir::EventId Lowering::yield(NodeId node) {
  current_function().is_generator = true;
  const NodeId value = tree_.only_child(node);
  const std::uint8_t flags = tree_.has(node, Kind::TokenFrom) ? ir::flag::From : 0;
  if (!value.valid()) return builder_.emit(Op::Yield, {}, span(node), {}, flags);
  return builder_.emit(Op::Yield, {expression(value)}, span(node), {}, flags);
}

// `list[int]`, `A | B` and `a.B` as the grammar reads them where only a type may stand.
ir::EventId Lowering::generic_type(NodeId node, EventId first) {
  if (kind(node) == Kind::MemberType) {
    const NodeId name = tree_.first_child(node, Kind::Identifier);
    return builder_.emit(Op::LoadAttribute, {first}, span(node), name_of(name));
  }
  Events rest;
  bool is_first = true;
  for (NodeId part : tree_.children(node)) {
    if (is_first || tree_.is_token(part)) {
      is_first = false;
      continue;
    }
    if (kind(part) == Kind::TypeParameter) {
      for (NodeId argument : tree_.children(part)) {
        if (!tree_.is_token(argument)) rest.push_back(expression(argument));
      }
    } else {
      rest.push_back(expression(part));
    }
  }
  if (rest.empty()) return first;
  const EventId second = rest.size() == 1 ? rest[0] : builder_.emit(Op::MakeTuple, rest, span(node));
  if (kind(node) == Kind::UnionType)
    return builder_.emit(Op::Binary, {first, second}, span(node), builder_.intern("|"));
  return builder_.emit(Op::LoadItem, {first, second}, span(node));
}

// The type is evaluated where the function is defined, but its events stand in the function, next to the parameter.
ir::EventId Lowering::annotation(NodeId type) {
  const Context inside = context_;
  context_.scope = scopes_.parent(context_.scope);
  context_.from_inside = true;
  if (!context_.scope.valid()) context_.scope = Scopes::kModule;
  const EventId value = expression(type);
  context_ = inside;
  return value;
}

}  // namespace deadgrad::python
