// `deadgrad probe run`, `build` and `doctor`.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "integrations/cli/commands.h"
#include "integrations/probe/core_library.h"
#include "integrations/probe/measurement.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/process.h"
#include "integrations/probe/verdicts.h"
#include "integrations/report/source_text.h"

namespace deadgrad::cli {

using Json = nlohmann::ordered_json;
using namespace probing;

static Json json_of(const Bytes& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

static Json json_of(const CodeLine& line) {
  return {{"file", line.file}, {"line", line.line}, {"function", line.function}};
}

static Json json_of(const Site& site) {
  Json frames = Json::array();
  for (const CodeLine& frame : site.frames) frames.push_back(json_of(frame));
  return {{"frames", std::move(frames)}, {"tensors", site.packs}, {"storages", site.storages},
          {"bytes", site.bytes},         {"peak", site.peak},     {"live_at_exit", site.live},
          {"used", site.used},           {"wasted", site.wasted}, {"wasted_only", json_of(site.wasted_only)}};
}

static Json json_of(const ProcessReport& process) {
  Json devices = Json::array(), sites = Json::array(), series = Json::array();
  for (const DeviceMemory& device : process.devices)
    devices.push_back({{"device", device.device},
                       {"allocated", json_of(device.allocated)},
                       {"allocated_peak", json_of(device.allocated_peak)},
                       {"reserved", json_of(device.reserved)},
                       {"reserved_peak", json_of(device.reserved_peak)},
                       {"driver", json_of(device.driver)},
                       {"recommended_max", json_of(device.recommended_max)}});
  for (const Site& site : process.sites) sites.push_back(json_of(site));
  for (const probing::Series& scope : process.scopes)
    series.push_back({{"scope", scope.name},
                      {"stride", scope.stride},
                      {"saved_only", scope.points},
                      {"growth_per_step", json_of(growth_per_step(scope))}});
  return {
      {"pid", process.pid},
      {"engine", process.engine},
      {"torch", process.torch},
      {"cpu",
       {{"allocated", json_of(process.live)}, {"allocated_peak", json_of(process.live_peak)}, {"reserved", nullptr}}},
      {"devices", std::move(devices)},
      {"retained",
       {{"saved_peak", process.saved_peak},
        {"saved_only", json_of(process.saved_only)},
        {"saved_only_peak", json_of(process.saved_only_peak)},
        {"used", process.used},
        {"wasted", process.wasted},
        {"wasted_only", json_of(process.wasted_only)},
        {"tensors", process.packs},
        {"left_to_user_hooks", process.user_hooked ? Json(*process.user_hooked) : Json(nullptr)}}},
      {"series", std::move(series)},
      {"sites", std::move(sites)},
      {"limits", process.limits}};
}

std::string measurement_json(const Measurement& measurement) {
  Json processes = Json::array();
  for (const ProcessReport& process : measurement.processes) processes.push_back(json_of(process));
  Json json = {{"schema", "deadgrad.probe/1"},
               {"tool", {{"name", "deadgrad"}, {"version", DEADGRAD_VERSION}}},
               {"exit_status", measurement.exit_status},
               {"processes", std::move(processes)}};
  return json.dump(2) + "\n";
}

static std::string shown(const Bytes& bytes) {
  return bytes ? grouped(*bytes) : "unknown";
}

// The sites with equal lines, summed: stacks that differ inside LibTorch only are one place to people.
static std::vector<Site> merged_sites(const ProcessReport& process) {
  std::vector<Site> merged;
  for (const Site& site : process.sites) {
    auto same = std::ranges::find(merged, site.frames, &Site::frames);
    if (same == merged.end()) {
      merged.push_back(site);
      continue;
    }
    same->used += site.used;
    same->wasted += site.wasted;
  }
  std::ranges::stable_sort(merged, std::greater<>(), &Site::wasted);
  return merged;
}

static std::string shown(const CodeLine& line) {
  return report::printable(line.file) + ":" + std::to_string(line.line) + " in " + report::printable(line.function);
}

static void append_sites(std::string& text, const ProcessReport& process) {
  static constexpr std::size_t kMostSites = 20, kMostCallers = 6;
  std::size_t count = 0;
  for (const Site& site : merged_sites(process)) {
    if (site.wasted == 0) break;
    if (++count > kMostSites) continue;
    const CodeLine* at = user_frame(site);
    text += "  " + grouped(site.wasted) + " wasted";
    if (site.used > 0) text += ", " + grouped(site.used) + " used";
    text += at == nullptr ? ", in code without lines\n" : ", " + shown(*at) + "\n";
    for (std::size_t i = 1; at != nullptr && i <= kMostCallers && at + i <= &site.frames.back(); ++i)
      text += "      called from " + shown(at[i]) + "\n";
  }
  if (count > kMostSites) text += "  and at " + std::to_string(count - kMostSites) + " further places\n";
}

std::string measurement_text(const Measurement& measurement) {
  std::string text;
  for (const ProcessReport& process : measurement.processes) {
    text += "process " + std::to_string(process.pid) + ", torch " + process.torch + "\n";
    text += "  saved for backward: " + grouped(process.saved_peak) + " bytes at the peak; " + grouped(process.used) +
            " used, " + grouped(process.wasted) + " wasted (" + shown(process.wasted_only) + " kept by nothing else)\n";
    text += "  CPU allocator: " + shown(process.live_peak) + " bytes at the peak\n";
    for (const DeviceMemory& device : process.devices)
      text += "  " + device.device + ": allocated " + shown(device.allocated_peak) + ", reserved " +
              shown(device.reserved_peak) + " bytes at the peak\n";
    if (process.user_hooked.value_or(0) > 0)
      text += "  " + grouped(*process.user_hooked) +
              " tensors went to saved-tensor hooks of the program's own and were not measured\n";
    for (const probing::Series& scope : process.scopes)
      if (auto growth = growth_per_step(scope))
        text += "  scope " + scope.name + ": " + grouped(*growth) + " bytes more at every step\n";
    for (const std::string& limit : process.limits) text += "  note: " + limit + "\n";
    append_sites(text, process);
  }
  if (measurement.exit_status != 0)
    text += "the program ended with status " + std::to_string(measurement.exit_status) + "\n";
  return text;
}

// "infer.py:16 < infer.py:33": the line and its caller, by which equal lines are told apart.
static std::string short_name(const Site& site) {
  const CodeLine* at = user_frame(site);
  if (at == nullptr) return "code without lines";
  auto name = [](const CodeLine& line) {
    return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
  };
  return at == &site.frames.back() ? name(*at) : name(*at) + " < " + name(at[1]);
}

static std::string picture_of(const Measurement& measurement) {
  static constexpr std::size_t kMostBars = 20;
  std::vector<std::string> charts;
  for (const ProcessReport& process : measurement.processes) {
    std::vector<Bar> bars;
    for (const Site& site : merged_sites(process)) {
      if (bars.size() < kMostBars && site.wasted + site.used > 0)
        bars.push_back({short_name(site), {site.wasted, site.used}});
    }
    charts.push_back(bar_chart("Saved bytes by source line, process " + std::to_string(process.pid),
                               {"wasted", "used by backward"}, bars));
    std::vector<Line> lines;
    for (const probing::Series& scope : process.scopes) lines.push_back({scope.name, scope.points});
    if (!lines.empty()) charts.push_back(line_chart("Kept by autograd alone, step by step", lines));
  }
  return page("deadgrad probe run", measurement_text(measurement), charts);
}

static std::string rendered(const Measurement& measurement, Format format) {
  if (format == Format::Json) return measurement_json(measurement);
  return format == Format::Html ? picture_of(measurement) : measurement_text(measurement);
}

int run_probe_run(const ProbeRunArguments& arguments) {
  auto measured = measure({.command = arguments.command,
                           .python_engine = arguments.python_engine,
                           .output_to_stderr = arguments.output.empty()});
  if (!measured) return fail(measured.error().message);
  if (!write_output(arguments.output, rendered(*measured, arguments.format))) return kFailed;
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
