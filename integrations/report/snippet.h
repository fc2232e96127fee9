// Quoted source lines with carets below, for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"
#include "integrations/report/source_text.h"

namespace deadgrad::report {

struct Style {
  const char *red, *yellow, *cyan, *blue, *bold, *reset;
};
inline constexpr Style kPlain = {"", "", "", "", "", ""};
inline constexpr Style kColors = {"\033[1;31m", "\033[1;33m", "\033[1;36m", "\033[1;34m", "\033[1m", "\033[0m"};

struct Mark {
  std::size_t line;
  std::size_t begin, end;  // bytes within the line
  bool primary;
  std::string label;
};
Mark mark_of(const SourceText& source, ir::Span span, bool primary, std::string label);

// The marked lines of one file with their line numbers, carets and labels.
void append_snippet(std::string& out, const SourceText& source, std::vector<Mark> marks, const char* primary_color,
                    const Style& style);

}  // namespace deadgrad::report
