#include "integrations/probe/measurement_json.h"

#include "integrations/driver/files.h"
#include "integrations/probe/json_text.h"

namespace deadgrad::probing {

using Json = nlohmann::ordered_json;

static constexpr const char* kSchema = "deadgrad.probe/1";
static constexpr std::size_t kMostBytes = 1u << 30;

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
  Json devices = Json::array(), sites = Json::array(), series = Json::array(), watches = Json::array();
  for (const DeviceMemory& device : process.devices)
    devices.push_back({{"device", device.device},
                       {"allocated", json_of(device.allocated)},
                       {"allocated_peak", json_of(device.allocated_peak)},
                       {"reserved", json_of(device.reserved)},
                       {"reserved_peak", json_of(device.reserved_peak)},
                       {"driver", json_of(device.driver)},
                       {"recommended_max", json_of(device.recommended_max)}});
  for (const Site& site : process.sites) sites.push_back(json_of(site));
  for (const Series& scope : process.scopes)
    series.push_back({{"scope", scope.name},
                      {"stride", scope.stride},
                      {"saved_only", scope.points},
                      {"growth_per_step", json_of(growth_per_step(scope))}});
  for (const WatchedLines& watch : process.watches)
    watches.push_back({{"file", watch.file},
                       {"first_line", watch.first_line},
                       {"last_line", watch.last_line},
                       {"visits", watch.visits},
                       {"with_grad", watch.with_grad},
                       {"stride", watch.saved.stride},
                       {"saved", watch.saved.points}});
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
      {"timeline",
       {{"allocations_per_point", process.timeline.live.stride},
        {"live", process.timeline.live.points},
        {"saved", process.timeline.saved.points}}},
      {"series", std::move(series)},
      {"watches", std::move(watches)},
      {"sites", std::move(sites)},
      {"limits", process.limits}};
}

Json json_of(const Measurement& measurement, const std::string& version) {
  Json processes = Json::array();
  for (const ProcessReport& process : measurement.processes) processes.push_back(json_of(process));
  return {{"schema", kSchema},
          {"tool", {{"name", "deadgrad"}, {"version", version}}},
          {"exit_status", measurement.exit_status},
          {"processes", std::move(processes)}};
}

static Bytes bytes_of(const Json& json) {
  return json.is_null() ? std::nullopt : Bytes(json.get<std::int64_t>());
}

static Site site_of(const Json& json) {
  Site site;
  site.used = json.at("used");
  site.wasted = json.at("wasted");
  for (const Json& frame : json.at("frames"))
    site.frames.push_back({frame.at("file"), frame.at("function"), frame.at("line")});
  return site;
}

static ProcessReport process_of(const Json& json) {
  ProcessReport process;
  process.pid = json.at("pid");
  process.live_peak = bytes_of(json.at("cpu").at("allocated_peak"));
  const Json& retained = json.at("retained");
  process.saved_peak = retained.at("saved_peak");
  process.used = retained.at("used");
  process.wasted = retained.at("wasted");
  process.wasted_only = bytes_of(retained.at("wasted_only"));
  const Json& timeline = json.at("timeline");
  const std::int64_t stride = timeline.at("allocations_per_point");
  process.timeline = {{"live", stride, timeline.at("live")}, {"saved", stride, timeline.at("saved")}};
  for (const Json& site : json.at("sites")) process.sites.push_back(site_of(site));
  return process;
}

Result<Measurement> read_measurement(const std::string& path) {
  auto text = driver::read_file(path, kMostBytes);
  if (!text) return Error{path + ": " + text.error().message};
  auto json = parse_ordered_json(*text);
  if (!json) return Error{path + ": " + json.error().message};
  try {
    if (json->at("schema") != kSchema) return Error{path + ": not a measurement"};
    Measurement measurement;
    measurement.exit_status = json->at("exit_status");
    for (const Json& process : json->at("processes")) measurement.processes.push_back(process_of(process));
    if (measurement.processes.empty()) return Error{path + ": a measurement of no process"};
    return measurement;
  } catch (const Json::exception& error) {
    return Error{path + ": not a measurement: " + error.what()};
  }
}

}  // namespace deadgrad::probing
