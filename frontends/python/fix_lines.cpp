// The part of FixEditor that moves lines: into a `with`, and out of one.
#include <algorithm>

#include "frontends/python/fix_edits.h"

namespace deadgrad::python {

static constexpr std::string_view kJoins = " \t\f\\\r\n";  // blanks, and line ends behind a backslash

// Between statements on one line stands `;`, which becomes the start of another line.
std::optional<TextEdit> FixEditor::break_between(NodeId left, NodeId right, const std::string& lines) const {
  const ir::Span gap{tree_[left].end, tree_[right].begin};
  if (tree_.text(gap).find_first_not_of(std::string(kJoins) + ";") != std::string_view::npos) return std::nullopt;
  return TextEdit{gap, lines};
}

// A block that stands on the line of its header gets lines of its own.
std::optional<FixEditor::Opening> FixEditor::opening_of(const Run& run) const {
  const std::uint32_t begin = tree_[run.all[0]].begin;
  std::uint32_t colon = begin;
  while (colon > 0 && kJoins.find(tree_.text()[colon - 1]) != std::string_view::npos) --colon;
  NodeId owner;
  for (std::uint32_t i = 0; i < run.block.index; ++i)
    if (tree_[NodeId{i}].next > run.block.index) owner = NodeId{i};
  if (colon == 0 || tree_.text()[colon - 1] != ':' || !layout_.starts_line(tree_[owner].begin)) return std::nullopt;
  return Opening{{colon, begin}, std::string(layout_.indent_at(tree_[owner].begin)) + layout_.step_of(run.block)};
}

// The indentation of the line on which a run begins that has lines of its own.
std::optional<std::string> FixEditor::indent_of(const Run& run) const {
  std::size_t on_line = run.first;
  while (on_line > 0 && !layout_.starts_line(tree_[run.all[on_line]].begin)) --on_line;
  const std::uint32_t begin = tree_[run.all[on_line]].begin;
  if (!layout_.starts_line(begin)) return std::nullopt;
  return std::string(layout_.indent_at(begin));
}

std::optional<TextEdits> FixEditor::wrap(const Run& run, const std::string& header) const {
  const NodeId first = run.all[run.first], last = run.all[run.last];
  const std::uint32_t begin = tree_[first].begin;
  const bool starts_line = layout_.starts_line(begin);
  const bool in_line = tree_[run.block].kind == Kind::Block && !layout_.starts_line(tree_[run.all[0]].begin);
  const std::optional<Opening> opening = in_line ? opening_of(run) : std::nullopt;
  const std::optional<std::string> indent = opening ? opening->indent : indent_of(run);
  if (!indent || (in_line && !opening)) return std::nullopt;
  const std::string newline = layout_.newline_at(begin), step = layout_.step_of(run.block);
  const std::string line = newline + *indent, head = line + header + ":" + line + step;
  TextEdits edits;
  if (opening) edits.push_back({opening->gap, run.first == 0 ? head : line});
  if (starts_line) {
    edits.push_back({{begin, begin}, header + ":" + line + step});
  } else if (run.first > 0) {
    const auto cut = break_between(run.all[run.first - 1], first, head);
    if (!cut) return std::nullopt;
    edits.push_back(*cut);
  }
  const ir::Span lines{layout_.next_line(begin), tree_[last].end};
  if (!in_line && !shift_in(lines, *indent, step, edits)) return std::nullopt;
  if (run.last + 1 < run.all.size() && !layout_.starts_line(tree_[run.all[run.last + 1]].begin)) {
    const auto cut = break_between(last, run.all[run.last + 1], line);
    if (!cut) return std::nullopt;
    edits.push_back(*cut);
  }
  return edits;
}

// Every line that begins in `lines`, but those inside strings, stands one step further right.
bool FixEditor::shift_in(ir::Span lines, std::string_view indent, const std::string& step, TextEdits& edits) const {
  for (std::uint32_t line = layout_.line_begin(lines.begin); line < lines.end; line = layout_.next_line(line)) {
    if (layout_.in_string(line) || layout_.is_blank_line(line)) continue;
    const std::string_view own = layout_.indent_at(line);
    if (own.starts_with(indent)) {
      const auto at = static_cast<std::uint32_t>(line + indent.size());
      edits.push_back({{at, at}, step});
    } else if (!layout_.is_comment_line(line)) {
      if (std::ranges::binary_search(starts_, line + own.size())) return false;  // tabs here and spaces there
      edits.push_back({{line, line}, step});
    }
  }
  return true;
}

// The reverse: lines that begin with `from` begin with `to`.
bool FixEditor::shift_out(ir::Span lines, std::string_view from, std::string_view to, TextEdits& edits) const {
  if (!from.starts_with(to)) return false;
  for (std::uint32_t line = layout_.line_begin(lines.begin); line < lines.end; line = layout_.next_line(line)) {
    if (layout_.in_string(line) || layout_.is_blank_line(line)) continue;
    const std::string_view own = layout_.indent_at(line);
    if (own.starts_with(from)) {
      const auto at = static_cast<std::uint32_t>(line);
      edits.push_back({{at + static_cast<std::uint32_t>(to.size()), at + static_cast<std::uint32_t>(from.size())}, ""});
    } else if (!layout_.is_comment_line(line) && std::ranges::binary_search(starts_, line + own.size())) {
      return false;
    }
  }
  return true;
}

// The lines of `removed`, or, where a comment stands behind it, as much as leaves that on a line of its own.
ir::Span FixEditor::without_comment(ir::Span removed) const {
  const std::string_view rest = tree_.text({removed.end, layout_.line_end(removed.end)});
  const std::size_t first = rest.find_first_not_of(" \t\f");
  if (first == std::string_view::npos) return {layout_.line_begin(removed.begin), layout_.next_line(removed.end)};
  return {removed.begin, static_cast<std::uint32_t>(removed.end + first)};
}

}  // namespace deadgrad::python
