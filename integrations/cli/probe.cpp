// `deadgrad probe run`, `build` and `doctor`.
#include <algorithm>
#include <cstdio>
#include <string>

#include "integrations/cli/commands.h"
#include "integrations/cli/run_report.h"
#include "integrations/probe/core_library.h"
#include "integrations/probe/measurement.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/process.h"

namespace deadgrad::cli {

using namespace probing;

static std::string rendered(const Measurement& measurement, const Measurement* before, Format format) {
  if (format == Format::Json) return measurement_json(measurement);
  if (format == Format::Text) return measurement_text(measurement, before);
  return page("deadgrad probe run", measurement_text(measurement, before), measurement_charts(measurement, before));
}

int run_probe_run(const ProbeRunArguments& arguments) {
  if (!arguments.log.empty()) return run_confirm(arguments);
  if (arguments.format == Format::Sarif) return fail("verdicts in SARIF need the findings: --sarif FILE");
  auto before = earlier_measurement(arguments);
  if (!before) return fail(before.error().message);
  auto measured = measure({.command = arguments.command,
                           .python_engine = arguments.python_engine,
                           .output_to_stderr = arguments.output.empty()});
  if (!measured) return fail(measured.error().message);
  const std::string report = rendered(*measured, *before ? &**before : nullptr, arguments.format);
  if (!write_output(arguments.output, report)) return kFailed;
  if (std::ranges::any_of(measured->processes, [](const ProcessReport& process) { return process.wasted > 0; }))
    return kFound;
  return measured->exit_status == 0 ? kClean : kFailed;
}

static Result<TorchInstall> chosen_torch(const ProbeBuildArguments& arguments) {
  if (!arguments.torch.empty()) return torch_at(arguments.torch);
  return torch_of_python(arguments.python);
}

int run_probe_build(const ProbeBuildArguments& arguments) {
  auto torch = chosen_torch(arguments);
  if (!torch) return fail(torch.error().message + "; name another with --python or --torch");
  auto core = core_for(*torch);
  if (!core) return fail(core.error().message);
  return write_stdout(*core + "\n") ? kClean : kFailed;
}

int run_probe_doctor(const ProbeBuildArguments& arguments) {
  std::string text;
  auto line = [&](const char* what, const std::string& value) { text += std::string(what) + ": " + value + "\n"; };
  auto torch = chosen_torch(arguments);
  if (!torch) {
    line("LibTorch", "missing: " + torch.error().message);
  } else {
    line("LibTorch", torch->version + " in " + torch->library);
    line("headers", torch->include);
    line("language",
         std::string(torch->needs_cxx20 ? "C++20" : "C++17") + (torch->old_abi ? ", strings of the old ABI" : ""));
    line("CUDA", torch->cuda_include.empty() ? "no headers of its own are used" : torch->cuda_include);
    const std::string core = find_core(*torch);
    line("core",
         core.empty() ? "not compiled yet (`deadgrad probe build`, or the first `probe run`, compiles it)" : core);
  }
  const char* named = std::getenv("CXX");
  const std::string compiler = named == nullptr || *named == '\0' ? "c++" : named;
  line("compiler", find_program(compiler).empty() ? compiler + " is missing" : find_program(compiler));
  line("addr2line",
       find_program("addr2line").empty() ? "missing: native code will have no lines" : find_program("addr2line"));
  if (!write_stdout(text)) return kFailed;
  return torch ? kClean : kFailed;
}

}  // namespace deadgrad::cli
