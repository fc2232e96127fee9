// `check --fix` and `check --diff`.
#include <unistd.h>

#include "integrations/cli/commands.h"
#include "integrations/fix/edits.h"
#include "integrations/fix/rounds.h"
#include "integrations/fix/write.h"
#include "integrations/report/diff.h"
#include "integrations/report/report.h"

namespace deadgrad::cli {

static std::string count_of(std::size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

static std::string fixed_line(const fix::Outcome& outcome, std::string_view verb) {
  return std::string(verb) + " " + count_of(outcome.fixed, "finding") + " in " +
         count_of(outcome.files.size(), "file") + ".\n";
}

// What would change goes to the output, and how much to stderr: `patch` reads the one.
static int show_diff(const CheckArguments& arguments, const fix::Outcome& outcome) {
  std::string text;
  for (const fix::FixedFile& file : outcome.files)
    text += report::unified_diff(file.path, file.before, file.after, {.color = use_color(arguments)});
  if (!write_output(arguments.output, text)) return kFailed;
  if (outcome.files.empty()) return kClean;
  const std::string line = fixed_line(outcome, "Would fix");
  std::fputs(line.c_str(), stderr);
  return arguments.exit_zero ? kClean : kFound;
}

FixRun run_fixes(const CheckArguments& arguments, const fix::Analyse& analyse) {
  FixRun run;
  Result<fix::Outcome> outcome = fix::fix_all(analyse, arguments.unsafe_fixes);
  if (!outcome) {
    run.code = fail(outcome.error().message);
    return run;
  }
  if (arguments.diff) {
    run.code = show_diff(arguments, *outcome);
    return run;
  }
  for (const fix::FixedFile& file : outcome->files)
    if (Result<bool> written = fix::write(file); !written) run.code = fail(written.error().message);
  if (outcome->fixed > 0 && !run.code) run.note = fixed_line(*outcome, "Fixed");
  if (arguments.fix_only && !run.code) {
    const bool told = arguments.format != Format::Text || write_output(arguments.output, run.note);
    run.code = told ? kClean : kFailed;
  }
  if (!run.code) run.result = std::move(outcome->result);
  return run;
}

std::string fix_hint(const driver::CheckResult& result) {
  fix::Editors editors(result);
  std::size_t safe = 0, unsafe = 0;
  for (const Finding& finding : result.findings) {
    if (!finding.fix || editors.edits_for(*finding.fix).empty()) continue;
    ++(finding.fix->safety == FixSafety::Safe ? safe : unsafe);
  }
  if (safe + unsafe == 0) return {};
  if (safe == 0) return count_of(unsafe, "finding") + " fixable with --fix --unsafe-fixes.\n";
  return count_of(safe, "finding") + " fixable with --fix" +
         (unsafe == 0 ? "" : ", " + std::to_string(unsafe) + " more with --unsafe-fixes") + ".\n";
}

}  // namespace deadgrad::cli
