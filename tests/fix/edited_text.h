// Where a text stands in a source.
#pragma once

#include <string_view>

#include "analyzer/findings/edited.h"

namespace deadgrad {

inline ir::Span span_of(std::string_view source, std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(source.find(text));
  return {begin, begin + static_cast<std::uint32_t>(text.size())};
}

}  // namespace deadgrad
