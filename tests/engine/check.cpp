#include "tests/engine/check.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "rules/models/embedded.h"
#include "rules/rules.h"

namespace deadgrad::engine {

const model::ApiModel& embedded_model() {
  static const auto loaded = load_embedded_models();
  if (!loaded) ADD_FAILURE() << loaded.error().message;
  return *loaded;
}

Outcome analyze_all(std::vector<ir::Module> modules, std::string_view also) {
  auto analysis = analyze(std::move(modules), embedded_model(), {});
  std::vector<const rules::Rule*> chosen;
  for (const rules::Rule* rule : rules::all_rules())
    if (!rule->opt_in || also.find(rule->id) != also.npos) chosen.push_back(rule);
  return {analysis->statistics, rules::run_rules(analysis->query(), chosen)};
}

std::string describe(const std::vector<Finding>& findings) {
  std::string text;
  auto span = [](const Location& where) {
    return where.path + "[" + std::to_string(where.span.begin) + ".." + std::to_string(where.span.end) + "]";
  };
  for (const Finding& finding : findings) {
    text += finding.rule + " " + span(finding.where) + " " + std::to_string(static_cast<int>(finding.severity)) +
            std::to_string(static_cast<int>(finding.confidence)) + " " + finding.function + ": " + finding.message +
            " (" + finding.why + ")";
    for (const RelatedLocation& related : finding.related) text += " | " + span(related.where) + " " + related.text;
    for (const PathStep& step : finding.path) text += " > " + span(step.where) + " " + step.text;
    if (finding.fix) {
      text += " fix " + std::to_string(static_cast<int>(finding.fix->kind)) +
              std::to_string(static_cast<int>(finding.fix->guard)) +
              std::to_string(static_cast<int>(finding.fix->language)) + " " + span(finding.fix->where) + " " +
              finding.fix->function;
    }
    text += "\n";
  }
  return text;
}

namespace {

enum class Kind { Expect, KnownMiss, KnownFalse };

struct Expectation {
  Kind kind = Kind::Expect;
  std::size_t line = 0;
  std::string rule;
  std::string text;
  bool met = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// `DG102 "text", DG301`
std::vector<Expectation> parse_items(Kind kind, std::size_t line, std::string_view rest) {
  std::vector<Expectation> items;
  for (rest = trimmed(rest); rest.starts_with("DG");) {
    Expectation item{kind, line, std::string(rest.substr(0, 5)), {}, false};
    rest = trimmed(rest.substr(5));
    if (rest.starts_with('"')) {
      const std::size_t end = rest.find('"', 1);
      item.text = rest.substr(1, end - 1);
      rest = trimmed(rest.substr(end + 1));
    }
    items.push_back(std::move(item));
    if (rest.starts_with(','))
      rest = trimmed(rest.substr(1));
    else if (kind == Kind::Expect && !rest.empty())
      ADD_FAILURE() << "line " << line << ": cannot read `" << rest << "`";
    if (kind != Kind::Expect) break;
  }
  if (items.empty()) ADD_FAILURE() << "line " << line << ": the comment names no rule";
  return items;
}

std::vector<Expectation> expectations_of(std::string_view text) {
  static constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"; expect:", Kind::Expect}, {"; known-miss:", Kind::KnownMiss}, {"; known-false:", Kind::KnownFalse}};
  std::vector<Expectation> found;
  std::vector<Expectation> waiting;  // of comments alone on their line
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text = text.substr(std::min(end + 1, text.size()));
    std::vector<Expectation> here;
    for (const auto& [word, kind] : kWords) {
      const std::size_t at = whole.find(word);
      if (at != whole.npos) here = parse_items(kind, line, whole.substr(at + word.size()));
    }
    const std::string_view code = trimmed(whole.substr(0, whole.find(';')));
    if (code.empty()) {
      waiting.insert(waiting.end(), here.begin(), here.end());
      continue;
    }
    for (Expectation& item : waiting) item.line = line;
    found.insert(found.end(), waiting.begin(), waiting.end());
    found.insert(found.end(), here.begin(), here.end());
    waiting.clear();
  }
  return found;
}

std::size_t line_of(const std::vector<std::uint32_t>& starts, std::uint32_t offset) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin());
}

}  // namespace

void check(std::string_view name, std::string_view text) {
  auto modules = ir::parse_program(text);
  ASSERT_TRUE(modules) << name << ": " << modules.error().message;
  ASSERT_FALSE(modules->empty());
  const std::vector<std::uint32_t> starts = modules->front().line_starts;
  std::vector<Expectation> expectations = expectations_of(text);
  for (const Finding& finding : analyze_all(std::move(*modules), text).findings) {
    const std::size_t line = line_of(starts, finding.where.span.begin);
    const std::string words = describe({finding});
    auto expected = std::ranges::find_if(expectations, [&](const Expectation& item) {
      return !item.met && item.line == line && item.rule == finding.rule && words.find(item.text) != std::string::npos;
    });
    if (expected != expectations.end())
      expected->met = true;
    else
      ADD_FAILURE() << name << ":" << line << ": unexpected " << words;
  }
  for (const Expectation& item : expectations) {
    if (item.met != (item.kind != Kind::KnownMiss)) {
      ADD_FAILURE() << name << ":" << item.line << ": "
                    << (item.kind == Kind::Expect ? "expected " + item.rule + " " + item.text + ", but it is not found"
                        : item.kind == Kind::KnownMiss ? "no longer missed: write `expect: " + item.rule + "`"
                                                       : "no longer reported: remove `known-false: " + item.rule + "`");
    }
  }
}

}  // namespace deadgrad::engine
