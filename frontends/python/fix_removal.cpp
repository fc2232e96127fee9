// The part of FixEditor that takes guards away.
#include <algorithm>

#include "frontends/python/fix_edits.h"

namespace deadgrad::python {

// A guard of torch's own does nothing else; what the project made may.
bool FixEditor::is_torch_guard(NodeId expression) const {
  if (!expression.valid()) return false;
  NodeId callee = expression;
  if (tree_[expression].kind == Kind::ExpressionStatement) return is_torch_guard(tree_.only_child(expression));
  if (tree_[expression].kind == Kind::Call) callee = tree_.child(expression, Field::Function);
  if (!callee.valid()) return false;
  if (tree_[callee].kind == Kind::Identifier) return names_.is_guard(tree_.text(callee));
  const NodeId name = tree_.child(callee, Field::Attribute);
  return name.valid() && TorchNames::is_guard_of_torch(tree_.text(name));
}

TextEdits FixEditor::remove_guard(const FixRequest& fix) const {
  NodeId with, clause, decorator;
  for (std::uint32_t i = 0; i < tree_.size() && tree_[NodeId{i}].begin <= fix.where.span.begin; ++i) {
    const NodeId id{i};
    const bool is_asked = tree_.span(id) == fix.where.span;
    switch (tree_[id].kind) {
      case Kind::WithStatement:
        with = id;
        break;
      case Kind::WithClause:
        clause = id;
        break;
      case Kind::Decorator:
        decorator = id;
        break;
      case Kind::WithItem:
        if (is_asked) return remove_item(with, clause, id);
        break;
      default:
        break;
    }
    if (!is_asked) continue;
    // The node of a decorator reaches to the next line.
    if (decorator.valid() && (id == decorator || id == tree_.only_child(decorator))) {
      const NodeId guard = tree_.only_child(decorator);
      return is_torch_guard(guard) ? remove_lines({tree_[decorator].begin, tree_[guard].end}) : TextEdits{};
    }
    if (tree_[id].kind == Kind::ExpressionStatement && is_torch_guard(id)) return remove_statement(id);
  }
  // All of a `with` that enters nothing else.
  if (with.valid() && tree_.span(with) == fix.where.span) {
    const NodeId item = tree_.first_child(tree_.first_child(with, Kind::WithClause), Kind::WithItem);
    if (item.valid()) return remove_item(with, tree_.first_child(with, Kind::WithClause), item);
  }
  return {};
}

TextEdits FixEditor::remove_item(NodeId with, NodeId clause, NodeId item) const {
  if (tree_.has(with, Kind::TokenAsync)) return {};
  // What the guard is bound to may be read.
  const NodeId value = tree_.only_child(item);
  if (!is_torch_guard(value) || tree_[value].kind == Kind::AsPattern) return {};
  NodeId before, after;
  std::size_t items = 0;
  for (NodeId other : tree_.children(clause)) {
    if (tree_[other].kind != Kind::WithItem) continue;
    ++items;
    if (other < item) before = other;
    if (other > item && !after.valid()) after = other;
  }
  if (items == 1) return remove_header(with);
  if (after.valid()) return {{{tree_[item].begin, tree_[after].begin}, ""}};
  return {{{tree_[before].end, tree_[item].end}, ""}};
}

// The body of the `with` stands where the `with` stood.
TextEdits FixEditor::remove_header(NodeId with) const {
  const NodeId body = tree_.child(with, Field::Body);
  if (!body.valid() || !layout_.starts_line(tree_[with].begin)) return {};
  const Run run = run_in(body);
  const std::uint32_t begin = tree_[with].begin, first = tree_[run.all[0]].begin;
  if (!layout_.starts_line(first)) return {{{begin, first}, ""}};
  std::uint32_t colon = tree_[tree_.first_child(with, Kind::WithClause)].end;
  while (tree_.text()[colon] != ':') ++colon;
  TextEdits edits{{without_comment({begin, colon + 1}), ""}};
  const ir::Span lines{layout_.next_line(colon), tree_[body].end};
  if (!shift_out(lines, layout_.indent_at(first), layout_.indent_at(begin), edits)) return {};
  return edits;
}

TextEdits FixEditor::remove_lines(ir::Span span) const {
  const std::string_view rest = tree_.text({span.end, layout_.line_end(span.end)});
  const std::size_t next = rest.find_first_not_of(" \t\f");
  const bool is_alone = next == std::string_view::npos || rest[next] == '#';
  if (!is_alone || !layout_.starts_line(span.begin)) return {};
  return {{without_comment(span), ""}};
}

TextEdits FixEditor::remove_statement(NodeId statement) const {
  const std::optional<Run> run = run_around(tree_.span(statement));
  if (!run) return {};
  if (run->all.size() == 1) return {{tree_.span(statement), "pass"}};
  if (run->first + 1 < run->all.size() && !layout_.starts_line(tree_[run->all[run->first + 1]].begin))
    return {{{tree_[statement].begin, tree_[run->all[run->first + 1]].begin}, ""}};
  if (!layout_.starts_line(tree_[statement].begin)) {
    if (run->first == 0) return {};
    return {{{tree_[run->all[run->first - 1]].end, tree_[statement].end}, ""}};
  }
  return remove_lines(tree_.span(statement));
}

}  // namespace deadgrad::python
