// One function per subcommand, each returning the process's exit code. main() parses the command line and calls them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "integrations/driver/check.h"
#include "integrations/fix/rounds.h"
#include "rules/rules.h"

namespace deadgrad::cli {

// Nothing at warning or above; findings; could not run.
inline constexpr int kClean = 0, kFound = 1, kFailed = 2;

enum class Format { Text, Json, Sarif, Html };
enum class ColorMode { Auto, Always, Never };

struct CheckArguments {
  std::vector<std::string> paths;
  Format format = Format::Text;
  std::string output;  // a file instead of stdout
  std::vector<std::string> select, ignore;
  bool include_tests = false;
  std::string compile_database;     // empty: looked for
  std::string torch;                // LibTorch for C++: empty, "auto", or a path
  std::string target_torch;         // empty: as the project's files require
  std::vector<std::string> models;  // files with rows of the user's own
  bool no_cache = false;
  unsigned jobs = 0;
  ColorMode color = ColorMode::Auto;
  bool statistics = false;
  bool explain = false;
  bool exit_zero = false;
  bool fix = false, unsafe_fixes = false, diff = false, fix_only = false;
};
int run_check(const CheckArguments& arguments);

// What fixing left to report, or an exit code where nothing is to be reported.
struct FixRun {
  std::optional<int> code;
  std::optional<driver::CheckResult> result;
  std::string note;  // "Fixed 2 findings in 1 file.\n"
};
FixRun run_fixes(const CheckArguments& arguments, const fix::Analyse& analyse);
// "2 findings fixable with --fix.\n", or nothing.
std::string fix_hint(const driver::CheckResult& result);

// Why the forwards on a line are reported or quiet. `place` is FILE:LINE or FILE:LINE:COLUMN; `arguments.paths` is the
// program around it, by default the current folder or the file's.
int run_why(const std::string& place, CheckArguments arguments);

struct ProbeRunArguments {
  std::string log;  // a SARIF log of findings to judge; needed by confirm
  std::vector<std::string> command;
  Format format = Format::Text;
  std::string output;
  std::string root = ".";  // what the log's paths are relative to
  std::string before;      // an earlier measurement to compare with
  bool python_engine = false;
};
int run_confirm(const ProbeRunArguments& arguments);
int run_probe_run(const ProbeRunArguments& arguments);

struct ProbeBuildArguments {
  std::string python = "python3";
  std::string torch;  // a libtorch_cpu or its folder; empty: the Python's
};
int run_probe_build(const ProbeBuildArguments& arguments);
int run_probe_doctor(const ProbeBuildArguments& arguments);

struct ProbeCheckArguments {
  std::string module;
  std::vector<std::string> inputs;
  int steps = 1;
  int carry = -1;  // the input that each step's result replaces
  std::string device = "cpu";
  std::string python = "python3";
  Format format = Format::Text;
  std::string output;
};
int run_probe_check(const ProbeCheckArguments& arguments);

struct ProbeAccountArguments {
  std::string module, config, safetensors;             // one of them
  std::vector<std::string> inputs;                     // of the module
  std::int64_t batch = 1, length = 0, lora_rank = 16;  // no length: a usual one
  std::string dtype;                                   // empty: the configuration's
  bool mixed = false;
  bool measure = false;
  std::string budget;
  std::string python = "python3";
  Format format = Format::Text;
  std::string output;
};
int run_probe_account(const ProbeAccountArguments& arguments);

int run_rule(const std::string& id_or_name, bool all);
int run_dump_ir(const std::string& path, bool binary, const std::string& torch);
// The guards that cover forwards, one JSON object a line, with byte offsets.
int run_guards(const std::vector<std::string>& paths);
// The call graph of the Python files among `paths`, with modules named from the folder `package` (empty: found).
int run_callgraph(const std::vector<std::string>& paths, const std::string& package);
int run_fixtures(const std::string& folder, bool count_only);
// Fills the marked regions of the rule pages and of README.md below `root`; with `write` false only compares.
int run_docs(const std::string& root, bool write);

// Rules by id, name or prefix ("DG1"); "ALL" is every rule. Nothing selected means all but the opt-in ones.
Result<std::vector<const rules::Rule*>> choose_rules(const std::vector<std::string>& select,
                                                     const std::vector<std::string>& ignore);

// What the arguments ask of the driver.
driver::CheckOptions options_of(const CheckArguments& arguments);
bool use_color(const CheckArguments& arguments);

// "deadgrad: error: …" on stderr; returns kFailed.
int fail(std::string_view message);
// Writes to stdout. A reader that went away is no failure; a full disk is.
bool write_stdout(std::string_view text);
// Writes to a file, or to stdout if it has no name. Says what went wrong.
bool write_output(const std::string& path, std::string_view text);

}  // namespace deadgrad::cli
