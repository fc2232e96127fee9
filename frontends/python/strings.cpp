#include "frontends/python/lowering.h"
#include "frontends/python/utf8.h"

namespace deadgrad::python {

// Long texts are cut: they are documentation or data, and no name is that long.
static constexpr std::size_t kMostText = 200;

StrId Lowering::intern_text(std::string_view text) {
  if (text.size() > kMostText) {
    std::size_t end = kMostText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  if (tree_.is_utf8()) return builder_.intern(text);
  std::string storage;
  return builder_.intern(valid_utf8(text, storage));
}

// The text between the quotes, escape sequences as written.
std::string_view Lowering::string_text(NodeId node) const {
  ir::Span inside = span(node);
  for (NodeId part : tree_.children(node)) {
    if (kind(part) == Kind::StringStart) inside.begin = tree_[part].end;
    if (kind(part) == Kind::StringEnd) inside.end = tree_[part].begin;
  }
  if (inside.end < inside.begin) inside.end = inside.begin;
  return tree_.text(inside);
}

bool Lowering::is_bytes(NodeId node) const {
  const NodeId start = tree_.first_child(node, Kind::StringStart);
  return start.valid() && tree_.text(start).find_first_of("bB") != std::string_view::npos;
}

void Lowering::interpolations(NodeId node, Events& operands) {
  for (NodeId part : tree_.children(node)) {
    switch (kind(part)) {
      case Kind::Interpolation:
      case Kind::FormatExpression:
        if (const NodeId value = child(part, Field::Expression); value.valid()) operands.push_back(expression(value));
        [[fallthrough]];
      case Kind::FormatSpecifier: {
        const Nested nested(*this);
        if (!nested.too_deep()) interpolations(part, operands);
        break;
      }
      case Kind::Error:
        operands.push_back(expression(part));
        break;
      default:
        break;
    }
  }
}

ir::EventId Lowering::string(NodeId node) {
  if (!tree_.has(node, Kind::Interpolation)) {
    const std::uint8_t what = is_bytes(node) ? ir::flag::Bytes : ir::flag::String;
    return builder_.emit(Op::Const, {}, span(node), intern_text(string_text(node)), what);
  }
  Events operands;
  interpolations(node, operands);
  return builder_.emit(Op::Format, operands, span(node));
}

ir::EventId Lowering::concatenated_string(NodeId node) {
  std::string text;
  Events operands;
  bool is_format = false;
  bool all_bytes = true;
  for (NodeId part : tree_.children(node)) {
    if (kind(part) != Kind::String) continue;
    is_format |= tree_.has(part, Kind::Interpolation);
    all_bytes &= is_bytes(part);
    if (text.size() <= kMostText) text += string_text(part);
    interpolations(part, operands);
  }
  if (is_format) return builder_.emit(Op::Format, operands, span(node));
  const std::uint8_t what = all_bytes ? ir::flag::Bytes : ir::flag::String;
  return builder_.emit(Op::Const, {}, span(node), intern_text(text), what);
}

}  // namespace deadgrad::python
