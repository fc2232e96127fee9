#include "integrations/report/source_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace deadgrad::report {

static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
static constexpr std::string_view kReplacement = "\xef\xbf\xbd";

Character decode(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t count = first >= 0xf0 && first <= 0xf4  ? 4
                      : first >= 0xe0 && first < 0xf0 ? 3
                      : first >= 0xc2 && first < 0xe0 ? 2
                                                      : 0;
  if (count == 0) return {};
  char32_t code = first & (0x7fu >> count);
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  bool overlong = (count == 3 && code < 0x800) || (count == 4 && code < 0x10000);
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {code, count, true};
}

int width(char32_t code) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 7> kNone = {{{0x300, 0x36f},
                                                                          {0x483, 0x489},
                                                                          {0x591, 0x5bd},
                                                                          {0x200b, 0x200f},
                                                                          {0x20d0, 0x20f0},
                                                                          {0xfe00, 0xfe0f},
                                                                          {0xfe20, 0xfe2f}}};
  static constexpr std::array<std::pair<char32_t, char32_t>, 9> kWide = {{{0x1100, 0x115f},
                                                                          {0x2e80, 0x303e},
                                                                          {0x3041, 0xa4cf},
                                                                          {0xac00, 0xd7a3},
                                                                          {0xf900, 0xfaff},
                                                                          {0xfe30, 0xfe6f},
                                                                          {0xff00, 0xff60},
                                                                          {0x1f300, 0x1faff},
                                                                          {0x20000, 0x3fffd}}};
  auto in = [code](const auto& ranges) {
    return std::ranges::any_of(ranges,
                               [code](const auto& range) { return code >= range.first && code <= range.second; });
  };
  return code < 0x300 ? 1 : in(kNone) ? 0 : in(kWide) ? 2 : 1;
}

static bool reorders_text(char32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f ||
         code == 0x61c || code == 0x2028 || code == 0x2029;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char escape[12];
  for (std::size_t at = 0; at < text.size();) {
    Character c = decode(text, at);
    if (!c.valid) {
      out += kReplacement;
    } else if (c.code == '\t' || c.code == '\n' || c.code == '\r') {
      out += c.code == '\t' ? "\\t" : c.code == '\n' ? "\\n" : "\\r";
    } else if (c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0)) {
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(c.code));
      out += escape;
    } else if (reorders_text(c.code)) {
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c.code));
      out += escape;
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    Character c = decode(text, at);
    out += c.valid ? text.substr(at, c.bytes) : kReplacement;
    at += c.bytes;
  }
  return out;
}

SourceText::SourceText(std::string_view text) : text_(text) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) starts_.push_back(i + 1);
}

std::size_t SourceText::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin());
}

std::size_t SourceText::line_begin(std::size_t number) const {
  std::size_t begin = starts_[number - 1];
  return begin == 0 && text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : begin;
}

std::string_view SourceText::line(std::size_t number) const {
  std::size_t begin = line_begin(number);
  std::size_t end = number < starts_.size() ? starts_[number] : text_.size();
  std::string_view line = text_.substr(begin, end - begin);
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Position SourceText::position(std::size_t offset, Columns columns) const {
  offset = std::min(offset, text_.size());
  Position position{line_of(offset), 1};
  for (std::size_t at = line_begin(position.line); at < offset;) {
    Character c = decode(text_, at);
    position.column += columns == Columns::Utf16 && c.valid && c.code > 0xffff ? 2 : 1;
    at += c.bytes;
  }
  return position;
}

Range SourceText::range(ir::Span span, Columns columns) const {
  return {position(span.begin, columns), position(std::max(span.begin, span.end), columns)};
}

Range SourceText::first_line_range(ir::Span span, Columns columns) const {
  std::size_t number = line_of(std::min<std::size_t>(span.begin, text_.size()));
  std::size_t line_end = line_begin(number) + line(number).size();
  ir::Span cut = span;
  cut.end = static_cast<std::uint32_t>(std::max<std::size_t>(span.begin, std::min<std::size_t>(span.end, line_end)));
  return range(cut, columns);
}

}  // namespace deadgrad::report
