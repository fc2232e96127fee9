// `deadgrad probe check`: what a TorchScript module retains, in grad mode and under a guard.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "integrations/cli/commands.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/script.h"
#include "integrations/probe/verdicts.h"

namespace deadgrad::cli {

using Json = nlohmann::ordered_json;

static std::string shown(const Json& bytes) {
  return bytes.is_number() ? probing::grouped(bytes.get<std::int64_t>()) : "unknown";
}

static std::string text_of(const Json& result) {
  std::string text = "on " + result.at("device").get<std::string>() + ", " +
                     std::to_string(result.at("steps").get<int>()) + " steps, torch " +
                     result.at("torch").get<std::string>() + " (bytes)\n";
  auto row = [&](const char* name, const char* key) {
    text += std::string(name) + "grad mode " + shown(result.at("grad").at(key)) + ", guarded " +
            shown(result.at("guard").at(key)) + "\n";
  };
  row("  retained by autograd alone: ", "retained");
  row("  live:                       ", "live");
  row("  peak:                       ", "peak");
  row("  reserved:                   ", "reserved");
  text += "  more at every step:         grad mode " + shown(result.at("grad").at("growth_per_step")) + ", guarded " +
          shown(result.at("guard").at("growth_per_step")) + "\n";
  return text;
}

static probing::Line line_of(const Json& result, const char* name, const char* mode, const char* series) {
  probing::Line line{name, {}};
  for (const Json& point : result.at(mode).at(series))
    if (point.is_number()) line.points.push_back(point.get<std::int64_t>());
  return line;
}

static std::string picture_of(const Json& result) {
  std::vector<std::string> charts = {probing::line_chart(
      "Kept by autograd alone, step by step", "steps",
      {line_of(result, "grad mode", "grad", "saved_by_step"), line_of(result, "guarded", "guard", "saved_by_step")})};
  if (result.at("grad").at("live").is_number())
    charts.push_back(probing::line_chart(
        "Live memory, step by step", "steps",
        {line_of(result, "grad mode", "grad", "live_by_step"), line_of(result, "guarded", "guard", "live_by_step")}));
  return probing::page("deadgrad probe check", text_of(result), charts);
}

static std::string rendered(const Json& result, Format format) {
  if (format == Format::Json) return result.dump(2) + "\n";
  return format == Format::Html ? picture_of(result) : text_of(result);
}

int run_probe_check(const ProbeCheckArguments& arguments) {
  Json request = {{"module", arguments.module},
                  {"inputs", arguments.inputs},
                  {"device", arguments.device},
                  {"steps", arguments.steps},
                  {"carry", arguments.carry < 0 ? Json(nullptr) : Json(arguments.carry)}};
  auto result = probing::run_script(arguments.python, "deadgrad_check.py", request);
  if (!result) return fail(result.error().message);
  for (const char* mode : {"grad", "guard"}) {
    Json& measured = result->at(mode);
    auto growth = probing::growth_per_step({"", 1, measured.at("saved_by_step").get<std::vector<std::int64_t>>()});
    measured["growth_per_step"] = growth ? Json(*growth) : Json(nullptr);
  }
  return write_output(arguments.output, rendered(*result, arguments.format)) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
