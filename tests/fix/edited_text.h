// What tests of edits ask of a text.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"

namespace deadgrad {

inline ir::Span span_of(std::string_view source, std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(source.find(text));
  return {begin, begin + static_cast<std::uint32_t>(text.size())};
}

// `edits` are in order and do not overlap.
inline std::string edited(std::string_view source, const TextEdits& edits) {
  std::string result;
  std::size_t copied = 0;
  for (const TextEdit& edit : edits) {
    result += source.substr(copied, edit.span.begin - copied);
    result += edit.text;
    copied = edit.span.end;
  }
  return result += source.substr(copied);
}

}  // namespace deadgrad
