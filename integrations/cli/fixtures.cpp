// The fixture runner: every rule runs on every fixture, and each finding must be announced on its line. The comments:
// `expect: DG102@13 "grows every step"`, `known-miss: DG301 reason`, `known-false: DG101 reason`.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "integrations/cli/commands.h"
#include "integrations/driver/check.h"
#include "integrations/driver/files.h"
#include "integrations/report/report.h"
#include "integrations/report/source_text.h"
#include "rules/models/embedded.h"

namespace deadgrad::cli {

namespace fs = std::filesystem;

enum class ExpectationKind { Expect, KnownMiss, KnownFalse };

struct Expectation {
  ExpectationKind kind = ExpectationKind::Expect;
  std::string path;
  std::size_t line = 0;
  std::string rule;
  std::size_t column = 0;  // 0: any
  std::string text;        // part of what the finding says
  std::string reason;
  bool met = false;
};

struct Totals {
  std::size_t programs = 0, expectations = 0, failures = 0;
  std::size_t skipped = 0;         // programs in C++, in a build that cannot read it
  std::vector<std::string> known;  // lines for --count
};

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

static std::string_view take_rule(std::string_view& rest) {
  std::size_t size = 0;
  while (size < rest.size() && std::isalnum(static_cast<unsigned char>(rest[size]))) ++size;
  std::string_view rule = rest.substr(0, size);
  rest = rest.substr(size);
  return rule;
}

// `DG102@13 "text", DG301`: what follows `expect:`. An item that cannot be read ends up with an empty rule.
static std::vector<Expectation> parse_items(std::string_view rest) {
  std::vector<Expectation> items;
  do {
    Expectation item;
    rest = trimmed(rest);
    if (rest.starts_with(',')) rest = trimmed(rest.substr(1));
    item.rule = take_rule(rest);
    if (rest.starts_with('@')) {
      auto parsed = std::from_chars(rest.data() + 1, rest.data() + rest.size(), item.column);
      rest = rest.substr(static_cast<std::size_t>(parsed.ptr - rest.data()));
    }
    rest = trimmed(rest);
    if (rest.starts_with('"')) {
      std::size_t end = rest.find('"', 1);
      item.text = rest.substr(1, end == std::string_view::npos ? end : end - 1);
      rest = end == std::string_view::npos ? "" : trimmed(rest.substr(end + 1));
    }
    if (rules::find_rule(item.rule) == nullptr) item.rule.clear();
    items.push_back(std::move(item));
  } while (rest.starts_with(','));
  return items;
}

struct Comment {
  std::string_view text;
  bool alone = false;  // nothing but the comment stands on the line
};

// The first comment of a line that holds a directive. The markers are looked for as text: fixtures are ours.
static std::optional<Comment> directive_comment(std::string_view line) {
  for (std::string_view word : {"expect:", "known-miss:", "known-false:"}) {
    std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    std::string_view before = line.substr(0, at);
    for (std::string_view marker : {"#", "//", ";"}) {
      std::string_view head = trimmed(before);
      if (!head.ends_with(marker)) continue;
      head = trimmed(head.substr(0, head.size() - marker.size()));
      return Comment{line.substr(at), head.empty()};
    }
  }
  return std::nullopt;
}

static bool is_code(std::string_view line) {
  line = trimmed(line);
  return !line.empty() && !line.starts_with('#') && !line.starts_with("//");
}

static std::vector<Expectation> parse_file(const driver::SourceFile& file) {
  report::SourceText source(file.text);
  std::vector<Expectation> found;
  for (std::size_t number = 1; number <= source.line_count(); ++number) {
    auto comment = directive_comment(source.line(number));
    if (!comment) continue;
    std::size_t target = number;
    if (comment->alone) do
        ++target;
      while (target < source.line_count() && !is_code(source.line(target)));
    std::string_view text = comment->text;
    std::vector<Expectation> items;
    if (text.starts_with("expect:")) {
      items = parse_items(text.substr(7));
    } else {
      Expectation item;
      item.kind = text.starts_with("known-miss:") ? ExpectationKind::KnownMiss : ExpectationKind::KnownFalse;
      std::string_view rest = trimmed(text.substr(text.find(':') + 1));
      std::string_view rule = take_rule(rest);
      item.rule = rules::find_rule(rule) == nullptr ? "" : rule;
      item.reason = trimmed(rest);
      items.push_back(std::move(item));
    }
    for (Expectation& item : items) {
      item.path = file.path;
      item.line = target;
      found.push_back(std::move(item));
    }
  }
  return found;
}

static void complain(Totals& totals, std::string_view path, std::size_t line, std::string_view text) {
  ++totals.failures;
  write_stdout(std::string(path) + ":" + std::to_string(line) + ": " + std::string(text) + "\n");
}

// What an expectation's text may quote: everything that the finding says, but not the source line with the comment
// itself.
static std::string words_of(const Finding& finding) {
  std::string words = std::string(report::name_of(finding.severity)) + " " + finding.message + "\n" + finding.why +
                      "\n" + std::string(report::name_of(finding.confidence)) + " confidence\n";
  for (const RelatedLocation& related : finding.related) words += related.text + "\n";
  for (const PathStep& step : finding.path) words += step.text + "\n";
  if (finding.fix) words += report::fix_sentence(*finding.fix, {});
  return words;
}

static void judge(const driver::CheckResult& result, Totals& totals) {
  std::vector<Expectation> expectations;
  for (const driver::SourceFile& file : result.files)
    for (Expectation& item : parse_file(file)) expectations.push_back(std::move(item));

  for (const Finding& finding : result.findings) {
    report::SourceText source(*result.text_of(finding.where.path));
    report::Position at = source.range(finding.where.span, report::Columns::Characters).begin;
    std::string words = words_of(finding);
    auto fits = [&](const Expectation& item) {
      return !item.met && item.path == finding.where.path && item.line == at.line && item.rule == finding.rule &&
             (item.column == 0 || item.column == at.column) && words.find(item.text) != std::string::npos;
    };
    auto expected = std::ranges::find_if(expectations, fits);
    if (expected != expectations.end()) {
      expected->met = true;
    } else {
      complain(totals, finding.where.path, at.line, "unexpected finding\n" + report::render_finding(finding, result));
    }
  }
  for (const Expectation& item : expectations) {
    ++totals.expectations;
    std::string column = item.column == 0 ? "" : "@" + std::to_string(item.column);
    if (item.rule.empty()) {
      complain(totals, item.path, item.line, "the comment names no rule that exists");
    } else if (item.kind == ExpectationKind::Expect && !item.met) {
      complain(totals, item.path, item.line,
               "expected " + item.rule + column + (item.text.empty() ? "" : " \"" + item.text + "\"") +
                   ", but it is not found");
    } else if (item.kind == ExpectationKind::KnownMiss && item.met) {
      complain(totals, item.path, item.line, "no longer missed: write `expect: " + item.rule + "`");
    } else if (item.kind == ExpectationKind::KnownFalse && !item.met) {
      complain(totals, item.path, item.line, "no longer reported: remove `known-false: " + item.rule + "`");
    }
    if (item.kind == ExpectationKind::Expect) continue;
    totals.known.push_back((item.kind == ExpectationKind::KnownMiss ? "known miss   " : "known false  ") + item.rule +
                           "  " + item.path + ":" + std::to_string(item.line) + ": " + item.reason);
  }
}

// Is there C++ in a program?
static bool has_cpp(const std::string& program) {
  Result<driver::Inputs> inputs = driver::find_inputs({program});
  return inputs && std::ranges::any_of(
                       inputs->files, [](const driver::InputFile& file) { return file.kind == driver::FileKind::Cpp; });
}

static bool is_program_folder(const fs::path& folder) {
  std::string name = folder.filename().string();
  return name.starts_with("bad_") || name.starts_with("ok_") || folder.parent_path().filename() == "quiet";
}

// A file or a folder named bad_* or ok_* is one program, and so is each entry of `quiet`; other folders group programs.
static void collect_programs(const fs::path& folder, std::vector<std::string>& programs) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) {
    std::string name = entry.filename().string();
    if (fs::is_directory(entry, error)) {
      if (name == "support" || name == "__pycache__") continue;
      if (is_program_folder(entry)) {
        programs.push_back(entry.string());
      } else {
        collect_programs(entry, programs);
      }
    } else if (name.find(".fixed.") != std::string::npos) {
      continue;  // what a program is after its fixes
    } else if (name.ends_with(".py") || name.ends_with(".cpp") || name.ends_with(".h")) {
      programs.push_back(entry.string());
    }
  }
}

// Is it in the rule's own folder, `dg302_…`?
static bool belongs_to(const std::string& program, const rules::Rule& rule) {
  std::string folder = "/";
  for (const char c : rule.id) folder += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return ("/" + program).find(folder + "_") != std::string::npos;
}

int run_fixtures(const std::string& folder, bool count_only) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail(folder + ": no such folder");
  std::vector<std::string> programs;
  std::string path = fs::path(folder).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (is_program_folder(path)) {
    programs.push_back(path);
  } else {
    collect_programs(path, programs);
  }

  auto api = load_embedded_models();
  if (!api) return fail(api.error().message);
  Totals totals;
  driver::CheckOptions options;
  options.jobs = 1;
  options.paths_are_all = true;
  for (const std::string& program : programs) {
    if (!driver::reads_cpp() && has_cpp(program)) {
      ++totals.skipped;
      continue;
    }
    options.paths = {program};
    options.rules.clear();
    // A rule that is off by default runs on its own fixtures only.
    for (const rules::Rule* rule : rules::all_rules())
      if (!rule->opt_in || belongs_to(program, *rule)) options.rules.push_back(rule);
    auto result = driver::check(options, *api);
    if (!result) return fail(result.error().message);
    ++totals.programs;
    judge(*result, totals);
  }
  std::string closing;
  if (count_only)
    for (const std::string& line : totals.known) closing += line + "\n";
  closing += std::to_string(totals.programs) + " programs, " + std::to_string(totals.expectations) + " expectations, " +
             std::to_string(totals.known.size()) + " known gaps, " + std::to_string(totals.failures) + " failures";
  if (totals.skipped > 0) closing += ", " + std::to_string(totals.skipped) + " programs in C++ skipped";
  closing += '\n';
  write_stdout(closing);
  return totals.failures > 0 ? kFound : kClean;
}

}  // namespace deadgrad::cli
