// What the frontends' wordings of fixes have in common: quoting, and the lines and words of the source that a fix is
// about.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace deadgrad {

inline std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

inline std::size_t line_of(std::string_view source, std::size_t offset) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(offset, source.size()); ++i) {
    const bool is_crlf = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if ((source[i] == '\n' || source[i] == '\r') && !is_crlf) ++line;
  }
  return line;
}

// "line 3" or "lines 3-5"; nothing without the source.
inline std::string lines_of(std::string_view source, ir::Span span) {
  if (span.begin >= source.size()) return {};
  const std::size_t first = line_of(source, span.begin);
  const std::size_t last = line_of(source, std::max(span.begin + 1, span.end) - 1);
  if (first == last) return "line " + std::to_string(first);
  return "lines " + std::to_string(first) + "-" + std::to_string(last);
}

// The user's text if it can stand in a sentence, else nothing.
inline std::string_view words_of(std::string_view source, ir::Span span) {
  constexpr std::size_t kMost = 60;
  if (span.begin >= span.end || span.end > source.size() || span.end - span.begin > kMost) return {};
  const std::string_view words = source.substr(span.begin, span.end - span.begin);
  return words.find_first_of("\r\n`") == std::string_view::npos ? words : std::string_view();
}

}  // namespace deadgrad
