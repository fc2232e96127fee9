#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "integrations/cli/commands.h"
#include "integrations/driver/check.h"
#include "integrations/driver/models.h"
#include "integrations/report/report.h"

namespace deadgrad::cli {

bool use_color(const CheckArguments& arguments) {
  if (arguments.color != ColorMode::Auto) return arguments.color == ColorMode::Always;
  const char* no_color = std::getenv("NO_COLOR");
  return arguments.output.empty() && (no_color == nullptr || *no_color == '\0') && ::isatty(STDOUT_FILENO) == 1;
}

static std::string render(const CheckArguments& arguments, const driver::CheckResult& result,
                          std::span<const rules::Rule* const> rules) {
  switch (arguments.format) {
    case Format::Json:
      return report::render_json(result);
    case Format::Sarif:
      return report::render_sarif(result, rules);
    case Format::Text:
    case Format::Html:  // the probe's
      break;
  }
  return report::render_text(
      result, {.color = use_color(arguments), .statistics = arguments.statistics, .explain = arguments.explain});
}

driver::CheckOptions options_of(const CheckArguments& arguments) {
  driver::CheckOptions options;
  options.paths = arguments.paths;
  options.analysis.include_tests = arguments.include_tests;
  options.jobs = arguments.jobs;
  options.compile_database = arguments.compile_database;
  options.torch = arguments.torch;
  options.target_torch = arguments.target_torch;
  options.keep = arguments.no_cache ? driver::Keep::Nothing : driver::Keep::HeadersAndResults;
  options.show_progress = ::isatty(STDERR_FILENO) == 1;
  return options;
}

int run_check(const CheckArguments& arguments) {
  auto rules = choose_rules(arguments.select, arguments.ignore);
  if (!rules) return fail(rules.error().message);
  driver::CheckOptions options = options_of(arguments);
  options.rules = *rules;
  auto api = driver::load_models(arguments.models);
  if (!api) return fail(api.error().message);
  const fix::Analyse analyse = [&](const driver::Texts& texts) {
    options.texts = texts;
    return driver::check(options, *api);
  };
  std::optional<driver::CheckResult> result;
  std::string note;
  if (arguments.fix || arguments.diff || arguments.fix_only) {
    FixRun run = run_fixes(arguments, analyse);
    if (run.code) return *run.code;
    result = std::move(run.result);
    note = run.note;
  } else {
    auto checked = analyse({});
    if (!checked) return fail(checked.error().message);
    result = std::move(*checked);
    note = fix_hint(*result);
  }

  std::string text = render(arguments, *result, *rules);
  if (arguments.format == Format::Text) text += note;
  if (!write_output(arguments.output, text)) return kFailed;
  report::Counts counts = report::count(result->findings);
  const int code = counts.errors + counts.warnings > 0 && !arguments.exit_zero ? kFound : kClean;
  // The report is out and the process is about to end: taking millions of small objects apart one by one would only
  // take time.
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace deadgrad::cli
