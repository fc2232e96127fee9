// What one process measured, as JSON. `deadgrad` reads it: it names native frames, joins findings and merges processes.
#include <unistd.h>

#include <string>
#include <string_view>

#include "probe/core/state.h"
#include "probe/core/torch.h"

namespace deadgrad::probe {

// Writes objects and arrays; a comma goes before everything but the first of its level.
class Json {
 public:
  Json& begin(char bracket) {
    comma();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json& end(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  Json& key(std::string_view name) {
    string(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  Json& string(std::string_view value) {
    comma();
    text_ += '"';
    for (char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20) {
        static constexpr char kDigits[] = "0123456789abcdef";
        text_ += "\\u00";
        text_ += kDigits[byte >> 4];
        text_ += kDigits[byte & 15];
      } else {
        text_ += c;
      }
    }
    text_ += '"';
    return *this;
  }
  Json& raw(std::string_view value) {
    comma();
    text_ += value;
    return *this;
  }
  Json& number(std::int64_t value) { return raw(std::to_string(value)); }
  Json& known(std::int64_t value) { return value < 0 ? raw("null") : number(value); }
  Json& member(std::string_view name, std::int64_t value) { return key(name).number(value); }
  const std::string& text() const { return text_; }

 private:
  void comma() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

static void put_totals(Json& json) {
  deadgrad_probe_totals totals = state().ledger.totals();
  json.key("memory").begin('{').member("live", cpu_bytes().live).member("live_peak", cpu_bytes().peak).end('}');
  json.key("retained").begin('{');
  json.member("saved", totals.saved).member("saved_peak", totals.saved_peak);
  json.member("saved_only", totals.saved_only).member("saved_only_peak", totals.saved_only_peak);
  json.member("used", totals.used).member("wasted", totals.wasted).member("wasted_only", totals.wasted_only);
  json.member("packs", totals.packs).member("user_hooked", totals.user_hooked).end('}');
}

static void put_devices(Json& json) {
  json.key("devices").begin('[');
  for (const DeviceMemory& device : device_memory()) {
    json.begin('{').key("device").string(device.name);
    json.key("allocated").known(device.allocated).key("allocated_peak").known(device.allocated_peak);
    json.key("reserved").known(device.reserved).key("reserved_peak").known(device.reserved_peak);
    json.key("driver").known(device.driver).key("recommended_max").known(device.recommended).end('}');
  }
  json.end(']');
}

static void put_frame(Json& json, const Frame& frame) {
  json.begin('{');
  if (frame.line > 0) {
    json.key("file").string(frame.file).member("line", frame.line);
  } else {
    json.key("module").string(frame.file).member("offset", static_cast<std::int64_t>(frame.offset));
  }
  json.key("function").string(frame.function);
}

static void put_sites(Json& json) {
  std::vector<SiteSums> sites;
  std::vector<DeviceSums> devices;
  state().ledger.sums(sites, devices);
  const auto stacks = state().stacks.all();
  json.key("saved_by_device").begin('[');
  for (std::size_t type = 0; type < devices.size(); ++type) {
    const DeviceSums& device = devices[type];
    if (device.peak == 0) continue;
    json.begin('{').key("device").string(device_name(static_cast<int>(type)));
    json.member("saved_peak", device.peak).member("used", device.used).member("wasted", device.wasted).end('}');
  }
  json.end(']').key("sites").begin('[');
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const SiteSums& site = sites[i];
    if (site.packs == 0) continue;
    json.begin('{').member("packs", site.packs).member("unused", site.unused);
    json.member("storages", site.storages)
        .member("bytes", site.bytes)
        .member("peak", site.peak)
        .member("live", site.live);
    json.member("used", site.used).member("wasted", site.wasted).member("wasted_only", site.wasted_only);
    json.key("frames").begin('[');
    if (i > 0 && i - 1 < stacks.size())
      for (const Frame& frame : stacks[i - 1]) {
        put_frame(json, frame);
        json.end('}');
      }
    json.end(']').end('}');
  }
  json.end(']');
}

static void put_series(Json& json, std::string_view name, const Series& series) {
  json.key(name).begin('{').member("stride", series.stride).key("points").begin('[');
  for (std::int64_t point : series.points) json.number(point);
  json.end(']').end('}');
}

static void put_scopes_and_visits(Json& json) {
  const auto watches = state().stacks.watches();
  std::lock_guard lock(state().mutex);
  json.key("forked").raw(state().forked ? "true" : "false");
  json.key("timeline").begin('{');
  put_series(json, "live", state().timeline.live);
  put_series(json, "saved", state().timeline.saved);
  json.end('}');
  json.key("scopes").begin('[');
  for (const ScopeSeries& scope : state().scopes) {
    json.begin('{').key("name").string(scope.name);
    put_series(json, "saved_only", scope.saved_only);
    put_series(json, "live", scope.live);
    json.end('}');
  }
  json.end(']').key("watches").begin('[');
  for (std::size_t i = 0; i < watches.size(); ++i) {
    const Visits& visits = state().visits[i];
    json.begin('{').key("file").string(watches[i].file);
    json.member("first_line", watches[i].first_line).member("last_line", watches[i].last_line);
    json.member("visits", visits.saved.seen).member("with_grad", visits.with_grad);
    put_series(json, "saved", visits.saved);
    json.end('}');
  }
  json.end(']');
}

std::string report_json() {
  Json json;
  json.begin('{').key("schema").string("deadgrad.probe-process/1").key("engine").string("native");
  json.member("pid", ::getpid()).key("torch").string(torch_version());
  put_totals(json);
  put_devices(json);
  put_sites(json);
  put_scopes_and_visits(json);
  json.key("native_reached").begin('[');
  for (const Stacks::Reached& reached : state().stacks.reached()) {
    put_frame(json, reached.frame);
    json.key("grad").raw(reached.grad_on ? "true" : "false").end('}');
  }
  json.end(']').member("probe_errors", state().errors.load()).end('}');
  return json.text() + "\n";
}

}  // namespace deadgrad::probe
