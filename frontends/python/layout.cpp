#include "frontends/python/layout.h"

#include <algorithm>

namespace deadgrad::python {

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

Layout::Layout(const Tree& tree, std::string_view original)
    : tree_(tree), text_(tree.text()), original_(original), owners_(tree.size()) {
  if (text_.starts_with("\xEF\xBB\xBF")) first_ = 3;
  std::string step;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const NodeId id{i};
    for (NodeId child : tree.children(id)) owners_[child.index] = id;
    if (tree[id].kind == Kind::String && (strings_.empty() || tree[id].begin >= strings_.back().end))
      strings_.push_back(tree.span(id));
    if (tree[id].kind == Kind::Block && step.empty()) step = step_inside(id, owners_[i]);
  }
  if (!step.empty()) step_ = step;
}

std::uint32_t Layout::line_begin(std::uint32_t offset) const {
  while (offset > first_ && text_[offset - 1] != '\n') --offset;
  return offset;
}

std::uint32_t Layout::line_end(std::uint32_t offset) const {
  auto end = static_cast<std::uint32_t>(std::min(text_.find('\n', offset), text_.size()));
  return end > offset && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
}

std::uint32_t Layout::next_line(std::uint32_t offset) const {
  const std::size_t end = text_.find('\n', offset);
  return static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end + 1);
}

bool Layout::starts_line(std::uint32_t offset) const {
  const std::uint32_t begin = line_begin(offset);
  if (!std::ranges::all_of(text_.substr(begin, offset - begin), is_blank)) return false;
  if (begin == first_) return true;
  const std::uint32_t before = line_begin(begin - 1);
  return line_end(before) == before || text_[line_end(before) - 1] != '\\' || is_comment_line(before);
}

std::string_view Layout::indent_at(std::uint32_t offset) const {
  const std::uint32_t begin = line_begin(offset);
  std::uint32_t end = begin;
  while (end < text_.size() && is_blank(text_[end])) ++end;
  return text_.substr(begin, end - begin);
}

bool Layout::is_blank_line(std::uint32_t offset) const {
  return line_begin(offset) + indent_at(offset).size() == line_end(line_begin(offset));
}

bool Layout::is_comment_line(std::uint32_t offset) const {
  const std::size_t first = line_begin(offset) + indent_at(offset).size();
  return first < text_.size() && text_[first] == '#';
}

bool Layout::in_string(std::uint32_t offset) const {
  auto after = std::ranges::upper_bound(strings_, offset, {}, &ir::Span::begin);
  return after != strings_.begin() && std::prev(after)->begin < offset && offset < std::prev(after)->end;
}

std::string Layout::newline_at(std::uint32_t offset) const {
  std::size_t at = text_.find('\n', offset);
  if (at == std::string_view::npos) at = text_.rfind('\n', offset);
  if (at == std::string_view::npos) return "\n";
  if (original_[at] == '\r') return "\r";
  return at > 0 && text_[at - 1] == '\r' ? "\r\n" : "\n";
}

std::string Layout::step_inside(NodeId block, NodeId owner) const {
  if (!owner.valid()) return {};
  const std::uint32_t begin = tree_[block].begin, header = tree_[owner].begin;
  if (!starts_line(begin) || !starts_line(header)) return {};
  const std::string_view inner = indent_at(begin), outer = indent_at(header);
  if (!inner.starts_with(outer)) return {};
  return std::string(inner.substr(outer.size()));
}

std::string Layout::step_of(NodeId block) const {
  if (tree_[block].kind != Kind::Block) return step_;
  const std::string own = step_inside(block, owners_[block.index]);
  return own.empty() ? step_ : own;
}

}  // namespace deadgrad::python
