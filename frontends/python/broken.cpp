// What the parser or the lowering cannot follow: text that fits nowhere and code that is nested too deep.
#include "frontends/python/lowering.h"

namespace deadgrad::python {

// What is nested too deep to be followed: the names in it, each loaded once per mention, and nothing of their
// structure.
ir::EventId Lowering::flat(NodeId node) {
  if (!too_deep_noticed_) {
    module_.notices.push_back({span(node), "the code is nested too deep here; its structure is not analysed"});
    too_deep_noticed_ = true;
  }
  Events operands;
  for (std::uint32_t i = node.index; i < tree_[node].next; ++i) {
    const Node& part = tree_[NodeId{i}];
    if (part.kind != Kind::Identifier || part.field == Field::Attribute || part.field == Field::Name) continue;
    operands.push_back(load_name(part.name, {part.begin, part.end}));
  }
  return builder_.emit(Op::Unknown, operands, span(node), builder_.intern("nested too deep"));
}

// What stands in a statement or one of its clauses where the grammar has no place for it goes before the statement.
void Lowering::broken_parts(NodeId node) {
  if (kind(node) == Kind::ExpressionStatement) return;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::Error) {
      broken_code(part);
    } else if (kind(part) == Kind::ElifClause || kind(part) == Kind::ElseClause || kind(part) == Kind::ExceptClause ||
               kind(part) == Kind::FinallyClause) {
      for (NodeId piece : tree_.children(part)) {
        if (kind(piece) == Kind::Error) broken_code(piece);
      }
    }
  }
}

// What the parser could read inside of text that fits nowhere.
void Lowering::broken_code(NodeId error) {
  const Nested nested(*this);
  if (nested.too_deep()) {
    flat(error);
    return;
  }
  block(error);
}

}  // namespace deadgrad::python
