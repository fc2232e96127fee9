#include "integrations/probe/verdicts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <set>

namespace deadgrad::probing {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

static std::string path_of_uri(std::string_view uri) {
  if (uri.starts_with("file://")) uri.remove_prefix(7);
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[i + 1])) != 0 &&
        std::isxdigit(static_cast<unsigned char>(uri[i + 2])) != 0) {
      path += static_cast<char>(std::stoi(std::string(uri.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

// A file that is there is meant itself; one that is not may lie elsewhere, where the program was installed.
static std::optional<Watch> lines_of(const Json& location, const std::string& root) {
  const Json& physical = location.at("physicalLocation");
  if (!physical.contains("region")) return std::nullopt;
  const Json& region = physical.at("region");
  const std::string path = path_of_uri(physical.at("artifactLocation").at("uri").get<std::string>());
  std::error_code error;
  const fs::path there = fs::canonical(fs::path(root) / path, error);
  const int first = region.at("startLine").get<int>();
  return Watch{error ? path : there.string(), first, region.value("endLine", first)};
}

static Finding finding_of(const Json& result, const std::string& root) {
  Finding finding;
  finding.rule = result.value("ruleId", "");
  finding.level = result.value("level", "warning");
  finding.message = result.at("message").value("text", "");
  for (const Json& location : result.at("locations"))
    if (auto lines = lines_of(location, root)) finding.lines.push_back(*lines);
  if (auto related = result.find("relatedLocations"); related != result.end())
    for (const Json& location : *related)
      if (location.contains("properties") && location["properties"].value("role", "") == "site")
        if (auto lines = lines_of(location, root)) finding.lines.push_back(*lines);
  if (auto properties = result.find("properties"); properties != result.end())
    finding.confirmable = properties->value("probeCanConfirm", false);
  return finding;
}

Result<std::vector<Finding>> findings_of(const Json& sarif, const std::string& root) {
  try {
    std::vector<Finding> findings;
    for (const Json& run : sarif.at("runs"))
      for (const Json& result : run.at("results")) findings.push_back(finding_of(result, root));
    return findings;
  } catch (const Json::exception& error) {
    return Error{std::string("not a log of deadgrad: ") + error.what()};
  }
}

bool is_python(const Watch& lines) {
  return lines.file.ends_with(".py") || lines.file.ends_with(".pyi");
}

static bool is_at(const std::string& file, int line, const Watch& lines) {
  if (line < lines.first_line || line > lines.last_line) return false;
  return file == lines.file || (!lines.file.starts_with('/') && file.ends_with("/" + lines.file));
}

static bool goes_through(const std::vector<CodeLine>& frames, const Finding& finding) {
  return std::ranges::any_of(frames, [&](const CodeLine& frame) {
    return std::ranges::any_of(finding.lines, [&](const Watch& lines) { return is_at(frame.file, frame.line, lines); });
  });
}

static void add_visits(Judged& judged, const Finding& finding, const ProcessReport& process) {
  std::int64_t most = 0;
  for (const WatchedLines& watch : process.watches) {
    const bool ours = std::ranges::any_of(finding.lines, [&](const Watch& lines) {
      return lines.file == watch.file && lines.first_line == watch.first_line && lines.last_line == watch.last_line;
    });
    if (!ours || watch.visits == 0) continue;
    judged.visits += watch.visits;
    if (watch.visits <= most) continue;
    most = watch.visits;
    if (auto growth = growth_per_step(watch.saved)) judged.growth_per_visit = growth;
  }
}

// Native lines are not counted. But what is saved below one is saved by the same stacks each time, so that the number
// of visits divides how many storages each of them saved. (Not how many tensors: a first step saves no weights that
// only later gradients need.)
static void infer_visits(Judged& judged, std::int64_t common, std::int64_t peak) {
  if (judged.visits > 0 || common == 0) return;
  judged.visits = common;
  judged.visits_inferred = true;
  const std::int64_t each = judged.wasted / common;
  if (common < 3 || judged.wasted % common != 0) return;
  judged.growth_per_visit = peak == judged.wasted ? each : 0;
}

static Judged judge_one(const Finding& finding, const Measurement& measurement) {
  Judged judged;
  judged.wasted_only = 0;
  bool ran = false, saved = false, leaks = false;
  std::int64_t common = 0, peak = 0;
  for (const ProcessReport& process : measurement.processes) {
    add_visits(judged, finding, process);
    ran = ran ||
          std::ranges::any_of(process.reached, [&](const CodeLine& line) { return goes_through({line}, finding); });
    for (const Site& site : process.sites) {
      if (!goes_through(site.frames, finding)) continue;
      saved = true;
      judged.wasted += site.wasted;
      judged.used += site.used;
      judged.wasted_only =
          site.wasted_only && judged.wasted_only ? Bytes(*judged.wasted_only + *site.wasted_only) : std::nullopt;
      // A training step may leave a part of its graph unread.
      leaks = leaks || (site.unused == site.packs && site.wasted >= site.used) || site.wasted > site.used;
      common = std::gcd(common, site.storages);
      peak += site.peak;
    }
  }
  infer_visits(judged, common, peak);
  if (judged.visits > 0 && judged.wasted % judged.visits == 0) judged.per_visit = judged.wasted / judged.visits;
  judged.verdict = leaks                      ? Verdict::Confirmed
                   : saved                    ? Verdict::Refuted
                   : ran || judged.visits > 0 ? Verdict::RanWithoutAutograd
                                              : Verdict::NotReached;
  return judged;
}

std::vector<Judged> judge(const std::vector<Finding>& findings, const Measurement& measurement) {
  std::vector<Judged> judged;
  for (const Finding& finding : findings) {
    judged.push_back(finding.confirmable ? judge_one(finding, measurement) : Judged{});
    if (!finding.confirmable) judged.back().verdict = Verdict::CannotTell;
  }
  return judged;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Confirmed:
      return "confirmed";
    case Verdict::Refuted:
      return "refuted";
    case Verdict::RanWithoutAutograd:
      return "ran-without-autograd";
    case Verdict::NotReached:
      return "not-reached";
    case Verdict::CannotTell:
      break;
  }
  return "cannot-tell";
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string sentence_of(const Judged& judged) {
  switch (judged.verdict) {
    case Verdict::Refuted:
      return "backward used " + grouped(judged.used) + " bytes that were saved here";
    case Verdict::RanWithoutAutograd:
      return "it ran, and autograd saved nothing";
    case Verdict::NotReached:
      return "the run did not come here";
    case Verdict::CannotTell:
      return "a run cannot show this";
    case Verdict::Confirmed:
      break;
  }
  std::string text = grouped(judged.wasted) + " bytes saved and never used";
  if (judged.wasted_only && *judged.wasted_only != judged.wasted)
    text += ", " + grouped(*judged.wasted_only) + " of them kept by nothing else";
  const std::string visits = grouped(judged.visits) + (judged.visits_inferred ? " repetitions" : " visits");
  if (judged.growth_per_visit.value_or(0) > 0) {
    text += "; " + grouped(*judged.growth_per_visit) + " more at each of " + visits;
  } else if (judged.visits > 1) {
    text += " in " + visits;
  }
  if (judged.used > 0) text += "; elsewhere backward used " + grouped(judged.used);
  return text;
}

static Json json_of(const Bytes& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Json json_of(const Judged& judged) {
  return {{"verdict", name_of(judged.verdict)},
          {"wastedBytes", judged.wasted},
          {"wastedOnlyBytes", json_of(judged.wasted_only)},
          {"usedBytes", judged.used},
          {"visits", judged.visits},
          {"visitsInferred", judged.visits_inferred},
          {"bytesPerVisit", json_of(judged.per_visit)},
          {"growthPerVisit", json_of(judged.growth_per_visit)}};
}

static double rank_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Confirmed:
      return 100;
    case Verdict::Refuted:
      return 0;
    case Verdict::RanWithoutAutograd:
      return 10;
    case Verdict::NotReached:
    case Verdict::CannotTell:
      break;
  }
  return 50;
}

void annotate(Json& sarif, const std::vector<Judged>& judged) {
  std::size_t next = 0;
  for (Json& run : sarif.at("runs"))
    for (Json& result : run.at("results")) {
      const Judged& one = judged[next++];
      if (one.verdict == Verdict::CannotTell) continue;
      result["rank"] = rank_of(one.verdict);
      result["properties"]["probe"] = json_of(one);
      std::string text = result["message"].value("text", "");
      result["message"]["text"] =
          text + " Measured: " + std::string(name_of(one.verdict)) + ", " + sentence_of(one) + ".";
    }
}

}  // namespace deadgrad::probing
