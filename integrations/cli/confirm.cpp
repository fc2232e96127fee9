// `deadgrad confirm`: what a run of the program says about each finding.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "integrations/cli/commands.h"
#include "integrations/cli/run_report.h"
#include "integrations/driver/files.h"
#include "integrations/probe/json_text.h"
#include "integrations/probe/measurement.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/verdicts.h"
#include "integrations/report/source_text.h"

namespace deadgrad::cli {

using Json = nlohmann::ordered_json;
using namespace probing;

static constexpr std::size_t kMaxLogBytes = 512u << 20;

// Relative to the current folder for what lies below it.
static std::string shown_path(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

static std::string text_of(const std::vector<probing::Finding>& findings, const std::vector<Judged>& judged,
                           const Measurement& measurement) {
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const probing::Finding& finding = findings[i];
    if (!finding.lines.empty())
      text += report::printable(shown_path(finding.lines[0].file)) + ":" + std::to_string(finding.lines[0].first_line) +
              ": ";
    text +=
        std::string(name_of(judged[i].verdict)) + " " + finding.rule + " " + report::printable(finding.message) + "\n";
    text += "  = measured: " + sentence_of(judged[i]) + "\n";
  }
  text += "\n";
  for (probing::Verdict verdict :
       {probing::Verdict::Confirmed, probing::Verdict::Refuted, probing::Verdict::RanWithoutAutograd,
        probing::Verdict::NotReached, probing::Verdict::CannotTell}) {
    const auto count = std::ranges::count(judged, verdict, &Judged::verdict);
    if (count > 0) text += std::to_string(count) + " " + std::string(name_of(verdict)) + "\n";
  }
  for (const ProcessReport& process : measurement.processes)
    for (const std::string& limit : process.limits) text += "note: " + limit + "\n";
  if (measurement.exit_status != 0)
    text += "the program ended with status " + std::to_string(measurement.exit_status) + "\n";
  return text;
}

static const probing::Series* visits_of(const probing::Finding& finding, const Measurement& measurement) {
  for (const ProcessReport& process : measurement.processes)
    for (const WatchedLines& watch : process.watches)
      if (!finding.lines.empty() && watch.file == finding.lines[0].file &&
          watch.first_line == finding.lines[0].first_line && watch.saved.points.size() > 1)
        return &watch.saved;
  return nullptr;
}

static std::string picture_of(const std::vector<probing::Finding>& findings, const std::vector<Judged>& judged,
                              const Measurement& measurement, const Measurement* before) {
  std::vector<Line> lines;
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].lines.empty()) continue;
    const Watch& at = findings[i].lines[0];
    const std::string name = at.file.substr(at.file.rfind('/') + 1) + ":" + std::to_string(at.first_line) + " " +
                             std::string(name_of(judged[i].verdict));
    bars.push_back({name, {judged[i].wasted, judged[i].used}});
    if (const probing::Series* visits = visits_of(findings[i], measurement))
      lines.push_back({name, visits->points, visits->stride});
  }
  std::vector<std::string> charts = {bar_chart("Saved bytes by finding", {"wasted", "used by backward"}, bars)};
  if (!lines.empty()) charts.push_back(line_chart("Kept by each finding's lines, visit by visit", "visits", lines));
  for (std::string& chart : measurement_charts(measurement, before)) charts.push_back(std::move(chart));
  return page("deadgrad confirm", text_of(findings, judged, measurement) + "\n" + measurement_text(measurement, before),
              charts);
}

static std::string json_text(const std::vector<probing::Finding>& findings, const std::vector<Judged>& judged,
                             const Measurement& measurement) {
  Json json = Json::parse(measurement_json(measurement));
  json["findings"] = Json::array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Json one = {{"rule", findings[i].rule}};
    if (!findings[i].lines.empty()) {
      one["file"] = findings[i].lines[0].file;
      one["line"] = findings[i].lines[0].first_line;
    }
    one.update(json_of(judged[i]));
    json["findings"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

static RunOptions run_options(const ProbeRunArguments& arguments, const std::vector<probing::Finding>& findings) {
  RunOptions options{.command = arguments.command};
  options.python_engine = arguments.python_engine;
  options.output_to_stderr = arguments.output.empty();
  for (const probing::Finding& finding : findings)
    for (const Watch& lines : finding.lines) {
      if (!finding.confirmable) continue;
      if (!is_python(lines)) {
        options.note_native = true;
        continue;
      }
      const bool known = std::ranges::any_of(options.watches, [&](const Watch& other) {
        return other.file == lines.file && other.first_line == lines.first_line && other.last_line == lines.last_line;
      });
      if (!known) options.watches.push_back(lines);
    }
  return options;
}

int run_confirm(const ProbeRunArguments& arguments) {
  auto before = earlier_measurement(arguments);
  if (!before) return fail(before.error().message);
  auto text = driver::read_file(arguments.log, kMaxLogBytes);
  if (!text) return fail(arguments.log + ": " + text.error().message);
  auto sarif = parse_ordered_json(*text);
  if (!sarif) return fail(arguments.log + ": " + sarif.error().message);
  auto findings = findings_of(*sarif, arguments.root);
  if (!findings) return fail(arguments.log + ": " + findings.error().message);

  auto measured = measure(run_options(arguments, *findings));
  if (!measured) return fail(measured.error().message);
  const std::vector<Judged> judged = judge(*findings, *measured);

  std::string out;
  switch (arguments.format) {
    case Format::Text:
      out = text_of(*findings, judged, *measured);
      break;
    case Format::Html:
      out = picture_of(*findings, judged, *measured, *before ? &**before : nullptr);
      break;
    case Format::Json:
      out = json_text(*findings, judged, *measured);
      break;
    case Format::Sarif:
      annotate(*sarif, judged);
      out = sarif->dump(2) + "\n";
      break;
  }
  if (!write_output(arguments.output, out)) return kFailed;
  if (std::ranges::find(judged, probing::Verdict::Confirmed, &Judged::verdict) != judged.end()) return kFound;
  return measured->exit_status == 0 ? kClean : kFailed;
}

}  // namespace deadgrad::cli
