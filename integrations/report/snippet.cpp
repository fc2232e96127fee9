#include "integrations/report/snippet.h"

#include <algorithm>
#include <utility>

namespace deadgrad::report {

static constexpr std::size_t kMaxLineCells = 120;  // of quoted source
static constexpr std::size_t kTabCells = 4;

// A source line as shown: printable, tabs expanded, with the cell at which each of its bytes starts.
struct ShownLine {
  std::string text;
  std::vector<std::size_t> cell_of_byte;  // one more than there are bytes
};

static ShownLine show_line(std::string_view line) {
  ShownLine shown;
  shown.cell_of_byte.reserve(line.size() + 1);
  std::size_t cell = 0;
  for (std::size_t at = 0; at < line.size();) {
    Character c = decode(line, at);
    shown.cell_of_byte.insert(shown.cell_of_byte.end(), c.bytes, cell);
    if (c.valid && c.code == '\t') {
      std::size_t spaces = kTabCells - cell % kTabCells;
      shown.text.append(spaces, ' ');
      cell += spaces;
    } else {
      std::string safe = printable(line.substr(at, c.bytes));
      // An escape is ASCII and as wide as it is long.
      cell += safe.size() > 1 && safe[0] == '\\' ? safe.size() : static_cast<std::size_t>(c.valid ? width(c.code) : 1);
      shown.text += safe;
    }
    at += c.bytes;
  }
  shown.cell_of_byte.push_back(cell);
  return shown;
}

// The cells [from, from + count) of a printable line.
static std::string cut_cells(std::string_view text, std::size_t from, std::size_t count) {
  std::string out;
  std::size_t cell = 0;
  for (std::size_t at = 0; at < text.size() && cell < from + count;) {
    Character c = decode(text, at);
    if (cell >= from) out += text.substr(at, c.bytes);
    cell += static_cast<std::size_t>(width(c.code));
    at += c.bytes;
  }
  return out;
}

void append_snippet(std::string& out, const SourceText& source, std::vector<Mark> marks, const char* primary_color,
                    const Style& style) {
  std::ranges::stable_sort(marks, {}, &Mark::line);
  const std::size_t gutter = std::to_string(marks.back().line).size();
  auto margin = [&](const std::string& number) {
    return std::string(style.blue) + std::string(gutter - number.size(), ' ') + number + " |" + style.reset;
  };
  out += " " + margin("") + "\n";
  std::size_t previous = 0;
  for (std::size_t i = 0; i < marks.size();) {
    const std::size_t number = marks[i].line;
    if (previous != 0 && number > previous + 2) out += std::string(style.blue) + " ..." + style.reset + "\n";
    if (previous != 0 && number == previous + 2)
      out += " " + margin(std::to_string(number - 1)) + " " +
             cut_cells(show_line(source.line(number - 1)).text, 0, kMaxLineCells) + "\n";
    ShownLine shown = show_line(source.line(number));
    const std::size_t total = shown.cell_of_byte.back();
    auto cell = [&](std::size_t byte) { return shown.cell_of_byte[std::min(byte, shown.cell_of_byte.size() - 1)]; };
    std::size_t shift = 0;
    if (total > kMaxLineCells && cell(marks[i].end) > kMaxLineCells)
      shift = cell(marks[i].begin) > kMaxLineCells / 3 ? cell(marks[i].begin) - kMaxLineCells / 3 : 0;
    std::string visible = cut_cells(shown.text, shift, kMaxLineCells);
    if (shift > 0) visible = "..." + visible;
    if (shift + kMaxLineCells < total) visible += "...";
    out += " " + margin(std::to_string(number)) + " " + visible + "\n";
    for (; i < marks.size() && marks[i].line == number; ++i) {
      const Mark& mark = marks[i];
      std::size_t begin = std::max(cell(mark.begin), shift) - shift;
      std::size_t end = std::min(std::max(cell(mark.end), shift) - shift, kMaxLineCells);
      if (begin > kMaxLineCells) continue;
      std::string line(begin + (shift > 0 ? 3 : 0), ' ');
      line += mark.primary ? primary_color : style.blue;
      line += std::string(end > begin ? end - begin : 1, mark.primary ? '^' : '-');
      if (!mark.label.empty()) line += " " + printable(mark.label);
      out += " " + margin("") + " " + line + style.reset + "\n";
    }
    previous = number;
  }
}

Mark mark_of(const SourceText& source, ir::Span span, bool primary, std::string label) {
  Mark mark{source.line_of(span.begin), 0, 0, primary, std::move(label)};
  std::size_t begin = source.line_begin(mark.line);
  mark.begin = span.begin < begin ? 0 : span.begin - begin;
  mark.end = std::min<std::size_t>(span.end < begin ? 0 : span.end - begin, source.line(mark.line).size());
  return mark;
}

}  // namespace deadgrad::report
