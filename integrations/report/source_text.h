// Positions and lines of one source file, for people and for protocols: byte offsets become lines and columns in
// characters or UTF-16 units. Works on any bytes: a byte that is not UTF-8 counts as one character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::report {

// 1-based.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};
struct Range {
  Position begin, end;  // the end is exclusive
};
enum class Columns : std::uint8_t { Characters, Utf16 };

class SourceText {
 public:
  // `text` must outlive this.
  explicit SourceText(std::string_view text);

  Range range(ir::Span span, Columns columns) const;
  // The same, cut at the end of the first line: editors and code scanning mark one line.
  Range first_line_range(ir::Span span, Columns columns) const;
  std::size_t line_of(std::size_t offset) const;  // 1-based
  std::size_t line_count() const { return starts_.size(); }
  // Without its line break and without a byte order mark.
  std::string_view line(std::size_t number) const;
  // Offset of `line(number)`'s first byte.
  std::size_t line_begin(std::size_t number) const;

 private:
  Position position(std::size_t offset, Columns columns) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;  // of each line
};

// One character of `text` at `at`; `bytes` is 1 and `valid` false for a byte that starts no UTF-8 character.
struct Character {
  char32_t code = 0xfffd;
  std::size_t bytes = 1;
  bool valid = false;
};
Character decode(std::string_view text, std::size_t at);

// Terminal cells: 0 for combining marks, 2 for East Asian wide characters and emoji.
int width(char32_t code);

// Text that is safe to print: control characters (C0, C1, DEL) and those that reorder text become escapes such as \x1b
// or
// \u202e, bytes that are not UTF-8 become U+FFFD. Tabs and line breaks count as control characters.
std::string printable(std::string_view text);

// The same bytes with every byte that is not UTF-8 replaced by U+FFFD: what JSON can hold.
std::string valid_utf8(std::string_view text);

}  // namespace deadgrad::report
