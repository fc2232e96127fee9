#include "frontends/python/lowering.h"

namespace deadgrad::python {

// Lowered in place: the container, a loop per `for`, a branch per `if`, and one Append in the middle. The targets are
// local names of the enclosing function that no source can spell ("x~1").
ir::EventId Lowering::comprehension(NodeId node) {
  using namespace ir;
  const Kind what = kind(node);
  const Op make = what == Kind::SetComprehension          ? Op::MakeSet
                  : what == Kind::DictionaryComprehension ? Op::MakeDict
                                                          : Op::MakeList;
  const EventId container = builder_.emit(make, {}, span(node));
  const std::uint8_t lazy = what == Kind::GeneratorExpression ? flag::Lazy : 0;
  const ScopeId outside = context_.scope;
  const ScopeId inside = scopes_.of(node);

  std::vector<EventId> open;  // Loop, Branch and Arm brackets, outermost first
  for (NodeId clause : tree_.children(node)) {
    if (kind(clause) == Kind::ForInClause) {
      const EventId source = iterated(clause);  // the first one from outside
      if (inside.valid()) context_.scope = inside;
      const std::uint8_t async = tree_.has(clause, Kind::TokenAsync) ? flag::Async : 0;
      const std::uint8_t flags = flag::Comprehension | lazy | async;
      open.push_back(builder_.open(Op::Loop, {}, span(clause), flags));
      const EventId element = builder_.emit(Op::Iterate, {source}, span(clause));
      if (const NodeId left = child(clause, Field::Left); left.valid()) store_target(left, element);
    } else if (kind(clause) == Kind::IfClause) {
      const EventId condition = optional_expression(tree_.only_child(clause));
      open.push_back(builder_.open(Op::Branch, {condition}, span(clause)));
      open.push_back(builder_.open(Op::Arm, {}, span(clause)));
    }
  }

  const std::uint32_t end = tree_[node].end;
  if (const NodeId body = child(node, Field::Body); body.valid() && kind(body) == Kind::Pair) {
    const EventId key = optional_expression(child(body, Field::Key));
    const EventId value = optional_expression(child(body, Field::Value));
    builder_.emit(Op::StoreItem, {container, key, value}, span(body));
  } else if (body.valid()) {
    builder_.emit(Op::Append, {container, expression(body)}, span(body));
  }
  while (!open.empty()) {
    const EventId bracket = open.back();
    open.pop_back();
    const bool was_arm = builder_.op_of(bracket) == Op::Arm;
    builder_.close(bracket, end);
    if (was_arm) empty_arm(end);
  }
  context_.scope = outside;
  return container;
}

ir::EventId Lowering::iterated(NodeId clause) {
  std::vector<NodeId> right;
  for (NodeId part : tree_.children(clause)) {
    if (tree_[part].field == Field::Right && !tree_.is_token(part)) right.push_back(part);
  }
  return right.empty() ? optional_expression({}) : expressions(right, span(clause));
}

}  // namespace deadgrad::python
