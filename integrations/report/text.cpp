#include <algorithm>
#include <string>
#include <vector>

#include "integrations/report/report.h"
#include "integrations/report/source_text.h"
#include "integrations/report/sources.h"

namespace deadgrad::report {

static constexpr std::size_t kMaxLineCells = 120;  // of quoted source
static constexpr std::size_t kTabCells = 4;
static constexpr std::size_t kMaxSnippetGap = 25;  // related lines further from the finding get a note of their own
static constexpr std::size_t kMaxSites = 5;
static constexpr std::size_t kMaxSteps = 12;

struct Style {
  const char *red, *yellow, *cyan, *blue, *bold, *reset;
};
static constexpr Style kPlain = {"", "", "", "", "", ""};
static constexpr Style kColors = {"\033[1;31m", "\033[1;33m", "\033[1;36m", "\033[1;34m", "\033[1m", "\033[0m"};

static const char* color_of(Severity severity, const Style& style) {
  return severity == Severity::Error ? style.red : severity == Severity::Warning ? style.yellow : style.cyan;
}

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

struct Mark {
  std::size_t line;
  std::size_t begin, end;  // bytes within the line
  bool primary;
  std::string label;
};

// The marked lines of one file with their line numbers, carets and labels.
static void append_snippet(std::string& out, const SourceText& source, std::vector<Mark> marks,
                           const char* primary_color, const Style& style) {
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

static Mark mark_of(const SourceText& source, ir::Span span, bool primary, std::string label) {
  Mark mark{source.line_of(span.begin), 0, 0, primary, std::move(label)};
  std::size_t begin = source.line_begin(mark.line);
  mark.begin = span.begin < begin ? 0 : span.begin - begin;
  mark.end = std::min<std::size_t>(span.end < begin ? 0 : span.end - begin, source.line(mark.line).size());
  return mark;
}

static void append_finding(std::string& out, const Finding& finding, Sources& sources, const Style& style) {
  const rules::Rule* rule = rules::find_rule(finding.rule);
  const char* color = color_of(finding.severity, style);
  out += style.bold + sources.place(finding.where) + ":" + style.reset + " " + color +
         std::string(name_of(finding.severity)) + " " + finding.rule + style.reset;
  if (rule != nullptr) out += " [" + std::string(rule->name) + "]";
  out += " " + printable(finding.message) + "\n";

  std::vector<const RelatedLocation*> sites, notes;
  if (const SourceText* source = sources.find(finding.where.path)) {
    std::vector<Mark> marks = {mark_of(*source, finding.where.span, true, "")};
    const std::size_t line = marks[0].line;
    for (const RelatedLocation& related : finding.related) {
      if (related.role == Role::Entry && finding.path.size() > 1) continue;  // the path below starts there
      std::size_t other = related.where.path == finding.where.path ? source->line_of(related.where.span.begin) : 0;
      bool near = other != 0 && std::max(line, other) - std::min(line, other) <= kMaxSnippetGap;
      if (related.role == Role::Site) {
        sites.push_back(&related);
      } else if (near) {
        marks.push_back(mark_of(*source, related.where.span, false, related.text));
      } else {
        notes.push_back(&related);
      }
    }
    append_snippet(out, *source, std::move(marks), color, style);
  } else {
    for (const RelatedLocation& related : finding.related)
      (related.role == Role::Site ? sites : notes).push_back(&related);
  }

  auto line = [&](std::string_view label, const std::string& text) {
    out += std::string("  ") + style.blue + "= " + style.reset + style.bold + std::string(label) + ":" + style.reset +
           " " + text + "\n";
  };
  if (!finding.why.empty()) line("why", printable(finding.why));
  for (const RelatedLocation* note : notes)
    line(name_of(note->role), sources.place(note->where) + ": " + printable(note->text));
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (i == kMaxSites) {
      line("also", std::to_string(sites.size() - i) + " more");
      break;
    }
    line("also", sources.place(sites[i]->where) + (sites[i]->text.empty() ? "" : ": " + printable(sites[i]->text)));
  }
  if (finding.path.size() > 1) {
    line("path", "from the entry point");
    for (std::size_t i = 0; i < finding.path.size(); ++i) {
      if (finding.path.size() > kMaxSteps && i == kMaxSteps / 2) {
        std::size_t skipped = finding.path.size() - kMaxSteps;
        out += "      ... " + std::to_string(skipped) + " more calls\n";
        i += skipped;
      }
      out += "      " + sources.place(finding.path[i].where) + ": " + printable(finding.path[i].text) + "\n";
    }
  }
  if (finding.fix)
    line("fix", printable(fix_sentence(*finding.fix, sources.text_of(finding.fix->where.path))) + " (" +
                    sources.place(finding.fix->where) + ")");
}

static std::string plural(std::size_t count, std::string_view word) {
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

static void append_notices(std::string& out, const std::vector<driver::FileNotice>& notices, const Style& style) {
  std::vector<std::string> partial;
  for (const driver::FileNotice& notice : notices) {
    std::string path = printable(notice.path);
    if (!notice.where) {
      out += style.bold + path + ":" + style.reset + " " + printable(notice.text) + "\n";
    } else if (partial.empty() || partial.back() != path) {
      partial.push_back(path);
    }
  }
  if (partial.empty()) return;
  constexpr std::size_t kShown = 3;
  out += plural(partial.size(), "file") + " could be read only in part: ";
  for (std::size_t i = 0; i < std::min(partial.size(), kShown); ++i) out += (i > 0 ? ", " : "") + partial[i];
  out += partial.size() > kShown ? ", and " + std::to_string(partial.size() - kShown) + " more\n" : "\n";
}

static void append_statistics(std::string& out, const driver::CheckResult& result) {
  const AnalysisStatistics& s = result.statistics;
  auto row = [&](std::string_view name, std::size_t value) {
    out += "  " + std::string(name) + std::string(20 - name.size(), ' ') + std::to_string(value) + "\n";
  };
  auto time = [&](std::string_view name, double seconds) { row(name, static_cast<std::size_t>(seconds * 1000 + 0.5)); };
  out += "Statistics:\n";
  row("modules", s.modules);
  row("functions", s.functions);
  row("events", s.events);
  row("relevant functions", s.relevant_functions);
  row("contexts", s.contexts);
  row("forward sites", s.forward_sites);
  row("unknown sites", s.unknown_sites);
  row("C++ files parsed", result.cpp.parsed);
  time("read and lower, ms", result.timings.lower);
  time("analyse, ms", result.timings.analyze);
  time("rules, ms", result.timings.rules);
}

// How far the C++ files could be read: a file with errors, or in which no torch call was seen, is not a clean file.
static void append_cpp_summary(std::string& out, const driver::CppSummary& cpp) {
  if (cpp.units > 0) {
    const std::size_t stubs = cpp.units - cpp.with_real_headers;
    out += "C++ was read with ";
    out += stubs == 0 ? "LibTorch's own headers" : "stub headers of LibTorch";
    if (stubs > 0 && cpp.with_real_headers > 0) out += ", " + plural(cpp.with_real_headers, "file") + " with its own";
    out += ".\n";
  }
  const driver::CppUnitReport* first = nullptr;
  std::size_t with_errors = 0, names_no_torch = 0;
  for (const driver::CppUnitReport& report : cpp.reports) {
    if (report.errors > 0 && first == nullptr) first = &report;
    with_errors += report.errors > 0;
    names_no_torch += report.names_no_torch;
  }
  if (first != nullptr)
    out += plural(with_errors, "C++ file") +
           " analysed in spite of compiler errors, the first: " + printable(first->first_error) + "\n";
  if (names_no_torch > 0) out += "In " + plural(names_no_torch, "C++ file") + " no use of LibTorch was seen.\n";
  if (cpp.without_torch > 0)
    out += plural(cpp.without_torch, "C++ file") + " without torch in " + (cpp.without_torch == 1 ? "it" : "them") +
           " or in what is included left out.\n";
}

std::string render_text(const driver::CheckResult& result, TextOptions options) {
  const Style& style = options.color ? kColors : kPlain;
  Sources sources(result);
  std::string out;
  for (const Finding& finding : result.findings) {
    append_finding(out, finding, sources, style);
    out += "\n";
  }
  append_notices(out, result.notices, style);
  Counts counts = count(result.findings);
  std::string found;
  auto add = [&](std::size_t number, std::string_view word) {
    if (number > 0) found += (found.empty() ? "" : ", ") + plural(number, word);
  };
  add(counts.errors, "error");
  add(counts.warnings, "warning");
  add(counts.notes, "note");
  std::string read;
  if (result.python_files > 0 || result.cpp.units == 0) read = plural(result.python_files, "Python file");
  if (result.cpp.units > 0) read += (read.empty() ? "" : " and ") + plural(result.cpp.units, "C++ file");
  out += (found.empty() ? "No findings" : "Found " + found) + " in " + read + ".\n";
  append_cpp_summary(out, result.cpp);
  if (result.cpp_files > 0)
    out += plural(result.cpp_files, "C++ file") + " not analysed (this build has no C++ frontend).\n";
  if (result.notebooks > 0) out += plural(result.notebooks, "notebook") + " not analysed (cells are not read).\n";
  if (options.statistics) append_statistics(out, result);
  return out;
}

std::string render_finding(const Finding& finding, const driver::CheckResult& result) {
  Sources sources(result);
  std::string out;
  append_finding(out, finding, sources, kPlain);
  return out;
}

}  // namespace deadgrad::report
