// `match`: what a case captures comes from the subject; what it compares with is lowered for its effects.
#include "frontends/python/lowering.h"

namespace deadgrad::python {

using ir::Span;

void Lowering::match_statement(NodeId node) {
  std::vector<NodeId> subjects;
  bool is_tuple = false;
  for (NodeId part : tree_.children(node)) {
    is_tuple |= kind(part) == Kind::TokenComma;
    if (tree_[part].field == Field::Subject && !tree_.is_token(part)) subjects.push_back(part);
  }
  if (subjects.empty()) return;
  const Span where{tree_[subjects.front()].begin, tree_[subjects.back()].end};
  EventId subject = expressions(subjects, where);
  if (is_tuple && subjects.size() == 1) subject = builder_.emit(Op::MakeTuple, {subject}, where);

  const std::uint32_t end = tree_[node].end;
  const EventId branch = builder_.open(Op::Branch, {subject}, span(node), ir::flag::Match);
  bool is_exhausted = false;
  if (const NodeId body = child(node, Field::Body); body.valid()) {
    for (NodeId clause : tree_.children(body)) {
      if (kind(clause) != Kind::CaseClause) continue;
      case_clause(clause, subject);
      int patterns = 0;
      bool matches_all = false;
      for (NodeId part : tree_.children(clause)) {
        if (kind(part) == Kind::TokenComma) ++patterns;
        if (kind(part) == Kind::CasePattern) matches_all = ++patterns == 1 && is_irrefutable(part);
      }
      is_exhausted |= patterns == 1 && matches_all && !child(clause, Field::Guard).valid();
    }
  }
  if (!is_exhausted) empty_arm(end);
  builder_.close(branch, end);
}

void Lowering::case_clause(NodeId clause, EventId subject) {
  const EventId arm = builder_.open(Op::Arm, {}, span(clause));
  std::vector<NodeId> patterns;
  bool is_sequence = false;
  for (NodeId part : tree_.children(clause)) {
    is_sequence |= kind(part) == Kind::TokenComma;
    if (kind(part) == Kind::CasePattern) patterns.push_back(part);
  }
  if (patterns.size() == 1 && !is_sequence) {
    match_pattern(patterns[0], subject);
  } else {
    match_sequence(patterns, subject);
  }
  if (const NodeId guard = child(clause, Field::Guard); guard.valid()) {
    optional_expression(tree_.only_child(guard));
  }
  if (const NodeId body = child(clause, Field::Consequence); body.valid()) block(body);
  builder_.close(arm, tree_[clause].end);
}

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
    case Kind::ListPattern:
    case Kind::TuplePattern:
    case Kind::ClassPattern:
    case Kind::DictPattern:
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

void Lowering::match_sequence(std::span<const NodeId> parts, EventId subject) {
  std::vector<char> starred;
  for (NodeId part : parts) starred.push_back(kind(inner_pattern(tree_, part)) == Kind::SplatPattern);
  for (std::size_t i = 0; i < parts.size(); ++i)
    match_pattern(parts[i], unpack_part(subject, starred, i, span(parts[i])));
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
  std::vector<NodeId> parts;
  for (NodeId part : tree_.children(pattern))
    if (!tree_.is_token(part)) parts.push_back(part);
  match_sequence(parts, subject);
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
      case Kind::CasePattern:
      case Kind::AsPattern:
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
