#include "integrations/probe/measurement.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "integrations/driver/files.h"
#include "integrations/probe/core_library.h"
#include "integrations/probe/json_text.h"
#include "integrations/probe/native_lines.h"
#include "integrations/probe/process.h"
#include "integrations/probe/temporary_folder.h"

namespace deadgrad::probing {

namespace fs = std::filesystem;
using Json = nlohmann::json;

static constexpr std::size_t kMaxReportBytes = 1u << 30;

static Bytes bytes_or_none(const Json& object, const char* name) {
  auto found = object.find(name);
  return found == object.end() || !found->is_number() ? std::nullopt : Bytes(found->get<std::int64_t>());
}

static Series series_of(const Json& json, std::string name) {
  return {std::move(name), json.at("stride").get<std::int64_t>(), json.at("points").get<std::vector<std::int64_t>>()};
}

static NativeAddress address_of(const Json& frame) {
  return {frame.at("module").get<std::string>(), frame.at("offset").get<std::uint64_t>()};
}

static bool is_torch_code(const std::string& file) {
  return file.find("-packages/torch/") != std::string::npos || file.starts_with("<");
}

using NativeLines = std::map<NativeAddress, std::vector<CodeLine>>;

static std::vector<CodeLine> frames_of(const Json& frames, const NativeLines& native) {
  std::vector<CodeLine> lines;
  for (const Json& frame : frames) {
    if (frame.contains("file")) {
      std::string file = frame.at("file").get<std::string>();
      if (!is_torch_code(file))
        lines.push_back({std::move(file), frame.at("function").get<std::string>(), frame.at("line").get<int>()});
    } else if (auto found = native.find(address_of(frame)); found != native.end()) {
      lines.insert(lines.end(), found->second.begin(), found->second.end());
    }
  }
  return lines;
}

static NativeLines lines_of_report(const Json& report) {
  std::vector<NativeAddress> addresses;
  for (const Json& site : report.at("sites"))
    for (const Json& frame : site.at("frames"))
      if (frame.contains("module")) addresses.push_back(address_of(frame));
  for (const Json& frame : report.at("native_reached"))
    if (frame.contains("module")) addresses.push_back(address_of(frame));
  return native_lines(addresses);
}

static Site site_of(const Json& json, const NativeLines& native) {
  Site site;
  site.packs = json.at("packs");
  site.unused = json.at("unused");
  site.storages = json.at("storages");
  site.bytes = json.at("bytes");
  site.peak = json.at("peak");
  site.live = json.at("live");
  site.used = json.at("used");
  site.wasted = json.at("wasted");
  site.wasted_only = bytes_or_none(json, "wasted_only");
  site.frames = frames_of(json.at("frames"), native);
  return site;
}

static ProcessReport report_of(const Json& json) {
  ProcessReport report;
  report.pid = json.at("pid");
  report.engine = json.at("engine");
  report.torch = json.at("torch");
  const Json& retained = json.at("retained");
  report.live = bytes_or_none(json.at("memory"), "live");
  report.live_peak = bytes_or_none(json.at("memory"), "live_peak");
  report.saved_only = bytes_or_none(retained, "saved_only");
  report.saved_only_peak = bytes_or_none(retained, "saved_only_peak");
  report.wasted_only = bytes_or_none(retained, "wasted_only");
  report.user_hooked = bytes_or_none(retained, "user_hooked");
  report.saved_peak = retained.at("saved_peak");
  report.used = retained.at("used");
  report.wasted = retained.at("wasted");
  report.packs = retained.at("packs");
  report.probe_errors = json.at("probe_errors");
  for (const Json& device : json.at("devices"))
    report.devices.push_back({device.at("device"), bytes_or_none(device, "allocated"),
                              bytes_or_none(device, "allocated_peak"), bytes_or_none(device, "reserved"),
                              bytes_or_none(device, "reserved_peak"), bytes_or_none(device, "driver"),
                              bytes_or_none(device, "recommended_max")});
  const NativeLines native = lines_of_report(json);
  for (const Json& site : json.at("sites")) report.sites.push_back(site_of(site, native));
  for (const Json& scope : json.at("scopes"))
    report.scopes.push_back(series_of(scope.at("saved_only"), scope.at("name").get<std::string>()));
  for (const Json& watch : json.at("watches"))
    report.watches.push_back({watch.at("file"), watch.at("first_line"), watch.at("last_line"), watch.at("visits"),
                              watch.at("with_grad"), series_of(watch.at("saved"), "")});
  if (auto timeline = json.find("timeline"); timeline != json.end())
    report.timeline = {series_of(timeline->at("live"), "live"), series_of(timeline->at("saved"), "saved")};
  report.reached = frames_of(json.at("native_reached"), native);
  if (auto limits = json.find("limits"); limits != json.end()) report.limits = limits->get<std::vector<std::string>>();
  return report;
}

static Result<ProcessReport> read_report(const std::string& path) {
  auto text = driver::read_file(path, kMaxReportBytes);
  if (!text) return text.error();
  auto json = parse_json(*text);
  if (!json) return Error{path + ": " + json.error().message};
  try {
    return report_of(*json);
  } catch (const Json::exception& error) {
    return Error{path + ": " + error.what()};
  }
}

static Result<std::vector<ProcessReport>> read_reports(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json" && entry.path().filename() != "plan.json")
      paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<ProcessReport> reports;
  for (const std::string& path : paths) {
    auto report = read_report(path);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
  }
  return reports;
}

static std::string first_on_path(const std::string& first, const char* variable) {
  const char* rest = std::getenv(variable);
  return rest == nullptr || *rest == '\0' ? first : first + ":" + rest;
}

static void write_plan(const std::string& path, const std::vector<Watch>& watches) {
  Json plan = Json::array();
  for (const Watch& watch : watches)
    plan.push_back({{"file", watch.file}, {"first_line", watch.first_line}, {"last_line", watch.last_line}});
  std::ofstream(path, std::ios::binary) << plan.dump();
}

// A native program that links LibTorch gets the core preloaded; every other program hands the environment on to the
// Python that it is or that it starts.
static std::optional<Error> attach_native(Command& command, const RunOptions& options) {
  const std::string library = torch_library_of_program(find_program(options.command[0]));
  if (library.empty()) return std::nullopt;
  auto torch = torch_at(library);
  if (!torch) return torch.error();
  auto core = core_for(*torch);
  if (!core) return core.error();
#ifdef __APPLE__
  command.environment["DYLD_INSERT_LIBRARIES"] = *core;
#else
  const char* before = std::getenv("LD_PRELOAD");
  command.environment["DEADGRAD_PROBE_LD_PRELOAD"] = before == nullptr ? "" : before;
  command.environment["LD_PRELOAD"] = first_on_path(*core, "LD_PRELOAD");
#endif
  command.environment["DEADGRAD_PROBE_PRELOAD"] = options.note_native ? "ops" : "on";
  return std::nullopt;
}

Result<Measurement> measure(const RunOptions& options) {
  TemporaryFolder folder;
  auto sources = source_folder();
  if (!sources) return sources.error();
  if (folder.path().empty()) return Error{"no temporary folder can be made"};
  Command command{.words = options.command, .output_to_stderr = options.output_to_stderr};
  command.environment = {{"DEADGRAD_PROBE_OUT", folder.path()},
                         {"DEADGRAD_PROBE_BINARY", own_path()},
                         {"PYTHONPATH", first_on_path(*sources + "/probe/python", "PYTHONPATH")}};
  if (options.python_engine) command.environment["DEADGRAD_PROBE_ENGINE"] = "python";
  if (!options.watches.empty()) {
    write_plan(folder.path() + "/plan.json", options.watches);
    command.environment["DEADGRAD_PROBE_PLAN"] = folder.path() + "/plan.json";
  }
  if (auto problem = attach_native(command, options)) return *problem;
  auto status = run_program(command);
  if (!status) return status.error();
  auto reports = read_reports(folder.path());
  if (!reports) return reports.error();
  if (reports->empty())
    return Error{options.command[0] + " ended with status " + std::to_string(*status) +
                 " and reported nothing: it imports no torch and links no LibTorch, or a signal ended it, or it runs "
                 "Python with -I, -E or -S"};
  return Measurement{*status, std::move(*reports)};
}

std::optional<std::int64_t> growth_per_step(const Series& series) {
  if (series.points.size() < 3) return std::nullopt;
  std::vector<std::int64_t> differences;
  for (std::size_t i = 1; i < series.points.size(); ++i) differences.push_back(series.points[i] - series.points[i - 1]);
  auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::ranges::nth_element(differences, middle);
  return *middle / series.stride;
}

static bool is_installed_code(const std::string& file) {
  return file.find("-packages/") != std::string::npos || file.find("/lib/python3") != std::string::npos ||
         file.starts_with("/usr/include/");
}

const CodeLine* user_frame(const Site& site) {
  for (const CodeLine& frame : site.frames)
    if (!is_installed_code(frame.file)) return &frame;
  return site.frames.empty() ? nullptr : &site.frames.front();
}

}  // namespace deadgrad::probing
