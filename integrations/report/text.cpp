#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/query/query.h"
#include "integrations/report/report.h"
#include "integrations/report/snippet.h"
#include "integrations/report/source_text.h"
#include "integrations/report/sources.h"

namespace deadgrad::report {

static constexpr std::size_t kMaxSnippetGap = 25;  // related lines further from the finding get a note of their own
static constexpr std::size_t kMaxSites = 5;
static constexpr std::size_t kMaxSteps = 12;

static const char* color_of(Severity severity, const Style& style) {
  return severity == Severity::Error ? style.red : severity == Severity::Warning ? style.yellow : style.cyan;
}

static void append_line(std::string& out, std::string_view label, const std::string& text, const Style& style) {
  out += std::string("  ") + style.blue + "= " + style.reset + style.bold + std::string(label) + ":" + style.reset +
         " " + text + "\n";
}

// What the engine knows of a forward beyond what every finding says.
static void append_facts(std::string& out, const Explanation& explanation, Sources& sources, const Style& style) {
  for (const RelatedLocation& fact : explanation.facts)
    out += "      " + sources.place(fact.where) + ": " + printable(fact.text) + "\n";
  for (const std::string& evidence : explanation.evidence) append_line(out, "evidence", printable(evidence), style);
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

  auto line = [&](std::string_view label, const std::string& text) { append_line(out, label, text, style); };
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

// `--explain`: for each forward of a finding, all that speaks for it.
static void append_proof(std::string& out, const Finding& finding, const driver::CheckResult& result, Sources& sources,
                         const Style& style) {
  std::vector<Location> forwards = {finding.where};
  for (const RelatedLocation& related : finding.related)
    if (related.role == Role::Site) forwards.push_back(related.where);
  for (const Location& where : forwards) {
    for (const Explanation& explanation : explain(*result.analysis, where)) {
      if (explanation.where != where) continue;
      append_line(out, "proof", sources.place(where) + ": " + printable(explanation.text), style);
      append_facts(out, explanation, sources, style);
    }
  }
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
    if (options.explain) append_proof(out, finding, result, sources, style);
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

static std::string_view answer_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Proven:
    case Verdict::Likely:
      return "leaks";
    case Verdict::Trains:
    case Verdict::TrainsForSome:
      return "trains";
    case Verdict::Guarded:
    case Verdict::GuardedInside:
      return "guarded";
    case Verdict::Frozen:
    case Verdict::WouldRaise:
    case Verdict::NoGraph:
      return "no graph";
    case Verdict::PartOfForward:
      return "part of a forward";
    case Verdict::MaybeNoModel:
    case Verdict::Unknown:
      return "not certain enough to report";
    case Verdict::InTests:
      return "test code";
    case Verdict::NotReached:
      return "not reached";
  }
  return {};
}

std::string render_why(const std::vector<Explanation>& answers, const driver::CheckResult& result, bool color) {
  const Style& style = color ? kColors : kPlain;
  Sources sources(result);
  std::string out;
  for (const Explanation& answer : answers) {
    if (!out.empty()) out += "\n";
    const bool leaks = answer.verdict == Verdict::Proven || answer.verdict == Verdict::Likely;
    const char* tone = leaks ? style.yellow : style.cyan;
    out += style.bold + sources.place(answer.where) + ":" + style.reset + " `" + printable(answer.callee) + "` in `" +
           printable(answer.function) + "`: " + tone + std::string(answer_of(answer.verdict)) + style.reset + "\n";
    if (const SourceText* source = sources.find(answer.where.path))
      append_snippet(out, *source, {mark_of(*source, answer.where.span, true, "")}, tone, style);
    append_line(out, "why", printable(answer.text), style);
    append_facts(out, answer, sources, style);
    for (const Finding& finding : result.findings) {
      const bool here =
          finding.where == answer.where || std::ranges::any_of(finding.related, [&](const RelatedLocation& related) {
            return related.role == Role::Site && related.where == answer.where;
          });
      if (here) append_line(out, "rule", finding.rule + " at " + sources.place(finding.where), style);
    }
  }
  return out;
}

std::string render_finding(const Finding& finding, const driver::CheckResult& result) {
  Sources sources(result);
  std::string out;
  append_finding(out, finding, sources, kPlain);
  return out;
}

}  // namespace deadgrad::report
