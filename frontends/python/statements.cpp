#include "frontends/python/lowering.h"

namespace deadgrad::python {

using ir::Span;

static bool is_statement(Kind kind) {
  switch (kind) {
    case Kind::AssertStatement:
    case Kind::Assignment:
    case Kind::Block:
    case Kind::BreakStatement:
    case Kind::ClassDefinition:
    case Kind::ContinueStatement:
    case Kind::DecoratedDefinition:
    case Kind::DeleteStatement:
    case Kind::Error:
    case Kind::ExecStatement:
    case Kind::ExpressionStatement:
    case Kind::ForStatement:
    case Kind::FunctionDefinition:
    case Kind::FutureImportStatement:
    case Kind::GlobalStatement:
    case Kind::IfStatement:
    case Kind::ImportFromStatement:
    case Kind::ImportStatement:
    case Kind::MatchStatement:
    case Kind::NonlocalStatement:
    case Kind::PassStatement:
    case Kind::PrintStatement:
    case Kind::RaiseStatement:
    case Kind::ReturnStatement:
    case Kind::TryStatement:
    case Kind::TypeAliasStatement:
    case Kind::WhileStatement:
    case Kind::WithStatement:
      return true;
    default:
      return false;
  }
}

void Lowering::block(NodeId block) {
  for (NodeId node : tree_.children(block)) {
    if (is_statement(kind(node))) {
      statement(node);
    } else if (!tree_.is_token(node) && kind(node) != Kind::Missing) {
      discard(expression(node), node);
    }
  }
}

void Lowering::statement(NodeId node) {
  const Nested nested(*this);
  if (nested.too_deep()) {
    flat(node);
    return;
  }
  const bool is_definition = kind(node) == Kind::FunctionDefinition || kind(node) == Kind::ClassDefinition;
  if (has_errors_ && !is_definition && kind(node) != Kind::Error && kind(node) != Kind::Block) broken_parts(node);
  switch (kind(node)) {
    case Kind::ExpressionStatement:
      return expression_statement(node);
    case Kind::Assignment:
      return assignment(node);
    case Kind::IfStatement:
      return if_statement(node);
    case Kind::ForStatement:
      return for_statement(node);
    case Kind::WhileStatement:
      return while_statement(node);
    case Kind::TryStatement:
      return try_statement(node);
    case Kind::WithStatement:
      return with_statement(node);
    case Kind::MatchStatement:
      return match_statement(node);
    case Kind::FunctionDefinition:
    case Kind::ClassDefinition:
    case Kind::DecoratedDefinition:
      return definition(node);
    case Kind::ReturnStatement:
      return return_statement(node);
    case Kind::RaiseStatement:
      return raise_statement(node);
    case Kind::ImportStatement:
      return import_statement(node);
    case Kind::ImportFromStatement:
    case Kind::FutureImportStatement:
      return import_from_statement(node);
    case Kind::BreakStatement:
      return jump(Op::Break, node);
    case Kind::ContinueStatement:
      return jump(Op::Continue, node);
    case Kind::PrintStatement:
      return print_statement(node);
    case Kind::ExecStatement:
      return exec_statement(node);
    case Kind::Error:
      return broken_code(node);
    case Kind::Block:
      return block(node);
    case Kind::PassStatement:
    case Kind::GlobalStatement:
    case Kind::NonlocalStatement:
      return;
    case Kind::AssertStatement:
      for (NodeId part : tree_.children(node)) {
        if (!tree_.is_token(part)) expression(part);
      }
      return;
    case Kind::DeleteStatement:
      if (const NodeId target = tree_.only_child(node); target.valid()) delete_target(target);
      return;
    case Kind::TypeAliasStatement: {
      const EventId value = optional_expression(child(node, Field::Right));
      NodeId name = child(node, Field::Left);
      while (name.valid() && kind(name) != Kind::Identifier) name = tree_.only_child(name);
      if (name.valid()) store_name(tree_[name].name, value, span(name));
      return;
    }
    default:
      discard(expression(node), node);
  }
}

// Marks a value that nobody reads. The value of `(x := f())` is read by the store.
void Lowering::discard(EventId value, NodeId node) {
  while (kind(node) == Kind::ParenthesizedExpression && tree_.only_child(node).valid()) node = tree_.only_child(node);
  if (kind(node) != Kind::NamedExpression) builder_.add_flags(value, ir::flag::Discarded);
}

void Lowering::expression_statement(NodeId node) {
  std::vector<NodeId> parts;
  bool is_tuple = false;
  for (NodeId part : tree_.children(node)) {
    is_tuple |= kind(part) == Kind::TokenComma;
    if (!tree_.is_token(part)) parts.push_back(part);
  }
  if (parts.empty()) return;
  if (parts.size() > 1 || is_tuple) {
    Events elements;
    for (NodeId part : parts) elements.push_back(element(part));
    builder_.add_flags(builder_.emit(Op::MakeTuple, elements, span(node)), ir::flag::Discarded);
  } else if (kind(parts[0]) == Kind::Assignment) {
    assignment(parts[0]);
  } else if (kind(parts[0]) == Kind::AugmentedAssignment) {
    augmented_assignment(parts[0]);
  } else if (kind(parts[0]) == Kind::Error) {
    broken_code(parts[0]);
  } else {
    discard(expression(parts[0]), parts[0]);
  }
}

void Lowering::empty_arm(std::uint32_t at) {
  builder_.close(builder_.open(Op::Arm, {}, {at, at}), at);
}

// Each `elif` is a branch in the second arm of the one before it.
void Lowering::if_statement(NodeId node) {
  const std::uint32_t end = tree_[node].end;
  std::vector<EventId> open;  // Branch, Arm, Branch, Arm, …: the second arms
  const auto test = [&](NodeId clause) {
    const EventId condition = optional_expression(child(clause, Field::Condition));
    open.push_back(builder_.open(Op::Branch, {condition}, {tree_[clause].begin, end}));
    const NodeId body = child(clause, Field::Consequence);
    const EventId arm = builder_.open(Op::Arm, {}, body.valid() ? span(body) : span(clause));
    if (body.valid()) block(body);
    builder_.close(arm, tree_[body.valid() ? body : clause].end);
  };
  test(node);
  bool has_else = false;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::ElifClause && !has_else) {
      open.push_back(builder_.open(Op::Arm, {}, {tree_[part].begin, end}));
      test(part);
    } else if (kind(part) == Kind::ElseClause && !has_else) {
      has_else = true;
      open.push_back(builder_.open(Op::Arm, {}, span(part)));
      if (const NodeId body = child(part, Field::Body); body.valid()) block(body);
    }
  }
  if (!has_else) empty_arm(end);
  for (; !open.empty(); open.pop_back()) builder_.close(open.back(), end);
}

void Lowering::loop_body(NodeId node) {
  ++context_.loops;
  if (const NodeId body = child(node, Field::Body); body.valid()) block(body);
  --context_.loops;
}

void Lowering::for_statement(NodeId node) {
  const NodeId left = child(node, Field::Left);
  const NodeId right = child(node, Field::Right);
  const NodeId body = child(node, Field::Body);
  const EventId source = optional_expression(right);
  const std::uint8_t async = tree_.has(node, Kind::TokenAsync) ? ir::flag::Async : 0;
  const std::uint32_t end = tree_[body.valid() ? body : node].end;
  const EventId loop = builder_.open(Op::Loop, {}, {tree_[node].begin, end}, ir::flag::For | async);
  const EventId item = builder_.emit(Op::Iterate, {source}, span(right.valid() ? right : node));
  if (left.valid()) store_target(left, item);
  loop_body(node);
  builder_.close(loop, end);
  loop_else(node);
}

void Lowering::while_statement(NodeId node) {
  const NodeId body = child(node, Field::Body);
  const std::uint32_t end = tree_[body.valid() ? body : node].end;
  const EventId loop = builder_.open(Op::Loop, {}, {tree_[node].begin, end}, ir::flag::While);
  optional_expression(child(node, Field::Condition));
  loop_body(node);
  builder_.close(loop, end);
  loop_else(node);
}

// Runs unless a `break` left the loop, which the IR cannot say: a branch on an unknown condition.
void Lowering::loop_else(NodeId node) {
  const NodeId clause = tree_.first_child(node, Kind::ElseClause);
  if (!clause.valid()) return;
  const std::uint32_t end = tree_[clause].end;
  const EventId condition = builder_.emit(Op::Unknown, {}, span(clause), builder_.intern("loop else"));
  const EventId branch = builder_.open(Op::Branch, {condition}, span(clause));
  const EventId arm = builder_.open(Op::Arm, {}, span(clause));
  if (const NodeId body = child(clause, Field::Body); body.valid()) block(body);
  builder_.close(arm, end);
  empty_arm(end);
  builder_.close(branch, end);
}

void Lowering::jump(Op op, NodeId node) {
  if (context_.loops > 0) {
    builder_.emit(op, {}, span(node));
  } else {
    builder_.emit(Op::Unknown, {}, span(node), builder_.intern("jump outside of a loop"));
  }
}

// The caught types stand before the Try, because its parts may only follow one another.
void Lowering::try_statement(NodeId node) {
  struct Caught {
    NodeId clause, alias;
    EventId type;
  };
  std::vector<Caught> handlers;
  NodeId finally_clause;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::ExceptClause) {
      NodeId alias;
      const EventId type = caught_type(part, alias);
      handlers.push_back({part, alias, type});
    } else if (kind(part) == Kind::FinallyClause && !finally_clause.valid()) {
      finally_clause = part;
    }
  }

  const EventId bracket = builder_.open(Op::Try, {}, span(node));
  const NodeId body = child(node, Field::Body);
  const EventId arm = builder_.open(Op::Arm, {}, span(body.valid() ? body : node));
  std::uint32_t end = tree_[body.valid() ? body : node].end;
  if (body.valid()) block(body);
  for (NodeId part : tree_.children(node)) {
    if (kind(part) != Kind::ElseClause) continue;
    if (const NodeId inner = child(part, Field::Body); inner.valid()) block(inner);
    end = tree_[part].end;
  }
  builder_.close(arm, end);
  for (const Caught& handler : handlers) {
    const Span where = span(handler.clause);
    const EventId open = handler.type.valid() ? builder_.open(Op::Handler, {handler.type}, where)
                                              : builder_.open(Op::Handler, {}, where);
    if (handler.alias.valid()) store_target(handler.alias, open);
    if (const NodeId inner = tree_.first_child(handler.clause, Kind::Block); inner.valid()) block(inner);
    builder_.close(open, where.end);
  }
  if (finally_clause.valid()) {
    const EventId open = builder_.open(Op::Finally, {}, span(finally_clause));
    if (const NodeId inner = tree_.first_child(finally_clause, Kind::Block); inner.valid()) block(inner);
    builder_.close(open, tree_[finally_clause].end);
  }
  builder_.close(bracket, tree_[node].end);
}

// The value of the type in `except type as alias`; invalid for a bare `except:`.
ir::EventId Lowering::caught_type(NodeId clause, NodeId& alias) {
  alias = child(clause, Field::Alias);
  if (!alias.valid()) alias = python2_alias(tree_, clause);
  std::vector<NodeId> types;
  for (NodeId part : tree_.children(clause)) {
    if (tree_[part].field != Field::Value || tree_.is_token(part) || part == alias) continue;
    if (kind(part) == Kind::AsPattern) {
      alias = child(part, Field::Alias);
      part = tree_.only_child(part);
    }
    if (part.valid()) types.push_back(part);
  }
  return types.empty() ? EventId{} : expressions(types, {tree_[types.front()].begin, tree_[types.back()].end});
}

// One Scope per item, each inside the one before it.
void Lowering::with_statement(NodeId node) {
  std::vector<NodeId> items;
  if (const NodeId clause = tree_.first_child(node, Kind::WithClause); clause.valid()) {
    for (NodeId item : tree_.children(clause)) {
      NodeId value = kind(item) == Kind::WithItem ? child(item, Field::Value) : item;
      while (value.valid() && kind(value) == Kind::ParenthesizedExpression) value = tree_.only_child(value);
      if (value.valid() && !tree_.is_token(value)) items.push_back(value);
    }
    // `with (a, b):` enters both.
    if (items.size() == 1 && kind(items[0]) == Kind::Tuple) {
      const NodeId tuple = items[0];
      items.clear();
      for (NodeId item : tree_.children(tuple)) {
        if (!tree_.is_token(item)) items.push_back(item);
      }
    }
  }
  const std::uint8_t async = tree_.has(node, Kind::TokenAsync) ? ir::flag::Async : 0;
  std::vector<EventId> open;
  for (NodeId item : items) {
    NodeId alias;
    if (kind(item) == Kind::AsPattern) {
      alias = child(item, Field::Alias);
      item = tree_.only_child(item);
    }
    const EventId object = optional_expression(item);
    open.push_back(builder_.open(Op::Scope, {object}, span(node), async));
    if (alias.valid()) store_target(alias, open.back());
  }
  if (const NodeId body = child(node, Field::Body); body.valid()) block(body);
  for (; !open.empty(); open.pop_back()) builder_.close(open.back(), tree_[node].end);
}

void Lowering::return_statement(NodeId node) {
  if (const NodeId value = tree_.only_child(node); value.valid()) {
    builder_.emit(Op::Return, {expression(value)}, span(node));
  } else {
    builder_.emit(Op::Return, {}, span(node));
  }
}

void Lowering::raise_statement(NodeId node) {
  Events operands;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::ExpressionList) {
      for (NodeId operand : tree_.children(part)) {
        if (!tree_.is_token(operand)) operands.push_back(expression(operand));
      }
    } else if (!tree_.is_token(part)) {
      operands.push_back(expression(part));
    }
  }
  builder_.emit(Op::Raise, operands, span(node));
}

// Python 2: a call of the function that Python 3 made of it.
void Lowering::print_statement(NodeId node) {
  const std::uint32_t begin = tree_[node].begin;
  Events operands{builder_.emit(Op::Load, {}, {begin, begin + 5}, builder_.intern("print"), ir::flag::Global)};
  EventId file;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::Chevron) {
      const EventId value = optional_expression(tree_.only_child(part));
      file = builder_.emit(Op::Keyword, {value}, span(part), builder_.intern("file"));
    } else if (!tree_.is_token(part)) {
      operands.push_back(element(part));
    }
  }
  if (file.valid()) operands.push_back(file);
  builder_.emit(Op::Call, operands, span(node), {}, ir::flag::Discarded);
}

void Lowering::exec_statement(NodeId node) {
  const std::uint32_t begin = tree_[node].begin;
  Events operands{builder_.emit(Op::Load, {}, {begin, begin + 4}, builder_.intern("exec"), ir::flag::Global)};
  for (NodeId part : tree_.children(node)) {
    if (!tree_.is_token(part)) operands.push_back(element(part));
  }
  builder_.emit(Op::Call, operands, span(node), {}, ir::flag::Discarded);
}

void Lowering::delete_target(NodeId target) {
  const Nested nested(*this);
  if (nested.too_deep()) {
    flat(target);
    return;
  }
  switch (kind(target)) {
    case Kind::ExpressionList:
    case Kind::Tuple:
    case Kind::List:
    case Kind::ParenthesizedExpression:
      for (NodeId part : tree_.children(target)) {
        if (!tree_.is_token(part)) delete_target(part);
      }
      return;
    default:
      break;
  }
  const Place where = place(target);
  switch (where.kind) {
    case Place::Kind::Name:
      return emit_place(Op::Delete, tree_[target].name, {}, span(target));
    case Place::Kind::Attribute:
      builder_.emit(Op::DeleteAttribute, {where.object}, span(target), name_of(child(target, Field::Attribute)));
      return;
    case Place::Kind::Item:
      builder_.emit(Op::DeleteItem, {where.object, where.index}, span(target));
      return;
    case Place::Kind::Other:
      expression(target);
      return;
  }
}

}  // namespace deadgrad::python
