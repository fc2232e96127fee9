#include "integrations/cli/run_report.h"

#include <algorithm>

#include "integrations/probe/measurement_json.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/verdicts.h"
#include "integrations/report/source_text.h"

namespace deadgrad::cli {

using namespace probing;

Result<std::optional<Measurement>> earlier_measurement(const ProbeRunArguments& arguments) {
  if (arguments.before.empty()) return std::optional<Measurement>();
  auto before = read_measurement(arguments.before);
  if (!before) return before.error();
  return std::optional(std::move(*before));
}

std::string measurement_json(const Measurement& measurement) {
  return json_of(measurement, DEADGRAD_VERSION).dump(2) + "\n";
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

// The process that the program is to people: the one with the most memory.
static const ProcessReport& main_process(const Measurement& measurement) {
  return *std::ranges::max_element(measurement.processes, {}, [](const ProcessReport& process) {
    return std::pair(process.live_peak.value_or(0), process.saved_peak);
  });
}

static std::string comparison_text(const Measurement& before, const Measurement& now) {
  std::string text;
  for (auto [when, measurement] : {std::pair("before", &before), {"now   ", &now}}) {
    const ProcessReport& process = main_process(*measurement);
    text += std::string(when) + ": " + grouped(process.saved_peak) + " bytes saved at the peak, " +
            grouped(process.wasted) + " wasted; CPU allocator " + shown(process.live_peak) + " at the peak\n";
  }
  return text;
}

std::string measurement_text(const Measurement& measurement, const Measurement* before) {
  std::string text = before == nullptr ? "" : comparison_text(*before, measurement);
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

static std::string source_lines_chart(const std::string& title, const ProcessReport& process) {
  static constexpr std::size_t kMostBars = 20;
  std::vector<Bar> bars;
  for (const Site& site : merged_sites(process))
    if (bars.size() < kMostBars && site.wasted + site.used > 0)
      bars.push_back({short_name(site), {site.wasted, site.used}});
  if (bars.empty()) bars.push_back({"nothing was saved", {}});
  return bar_chart(title, {"wasted", "used by backward"}, bars);
}

static Line line_of(const std::string& name, const probing::Series& series) {
  return {name, series.points, series.stride};
}

static std::vector<std::string> comparison_charts(const ProcessReport& before, const ProcessReport& now) {
  const std::string unit = "CPU allocations";
  return {line_chart("Live memory over the run", unit,
                     {line_of("before", before.timeline.live), line_of("now", now.timeline.live)}),
          line_chart("Saved for backward over the run", unit,
                     {line_of("before", before.timeline.saved), line_of("now", now.timeline.saved)}),
          source_lines_chart("Saved bytes by source line, before", before)};
}

std::vector<std::string> measurement_charts(const Measurement& measurement, const Measurement* before) {
  std::vector<std::string> charts;
  if (before != nullptr) charts = comparison_charts(main_process(*before), main_process(measurement));
  for (const ProcessReport& process : measurement.processes) {
    const std::string which = measurement.processes.size() == 1 ? "" : ", process " + std::to_string(process.pid);
    charts.push_back(source_lines_chart("Saved bytes by source line" + which, process));
    if (!process.timeline.live.points.empty())
      charts.push_back(
          line_chart("Memory over the run" + which, "CPU allocations",
                     {line_of("saved for backward", process.timeline.saved), line_of("live", process.timeline.live)}));
    std::vector<Line> lines;
    for (const probing::Series& scope : process.scopes) lines.push_back(line_of(scope.name, scope));
    if (!lines.empty()) charts.push_back(line_chart("Kept by autograd alone, step by step" + which, "steps", lines));
  }
  return charts;
}

}  // namespace deadgrad::cli
