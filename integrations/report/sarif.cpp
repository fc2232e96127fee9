#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "integrations/fix/edits.h"
#include "integrations/report/fingerprint.h"
#include "integrations/report/report.h"
#include "integrations/report/sources.h"

namespace deadgrad::report {

using Json = nlohmann::ordered_json;

static Json text_json(std::string_view text) {
  return {{"text", valid_utf8(text)}};
}

// A URI reference: relative with '/' separators, or file: for a path outside the current directory.
static std::string uri_of(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~/+@,=!$&'()*;").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      char escape[4];
      std::snprintf(escape, sizeof escape, "%%%02X", byte);
      uri += escape;
    }
  }
  return uri;
}

static std::string pascal_case(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (c != '-') out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-';
  }
  return out;
}

static Json artifact_json(const std::string& path) {
  Json artifact = {{"uri", uri_of(path)}};
  if (!path.starts_with('/')) artifact["uriBaseId"] = "SRCROOT";
  return artifact;
}

static Json region_json(const Range& range) {
  return {{"startLine", range.begin.line},
          {"startColumn", range.begin.column},
          {"endLine", range.end.line},
          {"endColumn", range.end.column}};
}

static Json physical_json(const std::string& path, const std::optional<ir::Span>& span, Sources& sources) {
  Json json = {{"artifactLocation", artifact_json(path)}};
  const SourceText* source = sources.find(path);
  if (!span || source == nullptr) return json;
  json["region"] = region_json(source->first_line_range(*span, Columns::Utf16));
  return json;
}

static Json location_json(const Location& where, std::string_view text, Sources& sources) {
  Json json = {{"physicalLocation", physical_json(where.path, where.span, sources)}};
  if (!text.empty()) json["message"] = text_json(text);
  return json;
}

static Json rule_json(const rules::Rule& rule) {
  std::string page = page_of(rule);
  return {{"id", rule.id},
          {"name", pascal_case(rule.name)},
          {"shortDescription", text_json(rule.summary)},
          {"fullDescription", text_json(rule.summary)},
          {"help", {{"text", valid_utf8(page)}, {"markdown", valid_utf8(page)}}},
          {"defaultConfiguration", {{"level", "warning"}, {"enabled", !rule.opt_in}}},
          {"properties",
           {{"tags", {"pytorch", "autograd", "memory"}}, {"precision", "high"}, {"problem.severity", "warning"}}}};
}

static std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u) {
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

static std::string hex(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

// Tells the same finding again in another version of the code, whatever moved around it.
class Fingerprints {
 public:
  Json of(const Finding& finding, Sources& sources, const driver::CheckResult& result) {
    std::string key = finding.rule + "\n" + finding.where.path + "\n" + finding.function + "\n" + finding.callee;
    int occurrence = ++occurrences_[key];
    Json json = {{"deadgradFinding/v1", hex(fnv1a(key)) + ":" + std::to_string(occurrence)}};
    const SourceText* source = sources.find(finding.where.path);
    if (source == nullptr) return json;
    auto& hashes = hashes_[finding.where.path];
    if (hashes.empty()) hashes = line_hashes(*result.text_of(finding.where.path));
    std::size_t line = source->line_of(finding.where.span.begin);
    if (line <= hashes.size()) json["primaryLocationLineHash"] = hashes[line - 1];
    return json;
  }

 private:
  std::map<std::string, int> occurrences_;
  std::map<std::string, std::vector<std::string>> hashes_;
};

static std::string message_of(const Finding& finding, const Sources& sources) {
  std::string text = finding.message;
  if (!finding.why.empty()) text += ": " + finding.why;
  if (finding.fix) text += ". Fix: " + fix_sentence(*finding.fix, sources.text_of(finding.fix->where.path));
  return text + ".";
}

// Null where the fix has to be done by hand.
static Json fixes_json(const FixRequest& fix, Sources& sources, fix::Editors& editors) {
  Json changes = Json::array();
  for (const fix::FileEdits& file : editors.edits_for(fix)) {
    const SourceText* source = sources.find(file.path);
    Json replacements = Json::array();
    for (const TextEdit& edit : file.edits) {
      Json replacement = {{"deletedRegion", region_json(source->range(edit.span, Columns::Utf16))}};
      if (!edit.text.empty()) replacement["insertedContent"] = text_json(edit.text);
      replacements.push_back(std::move(replacement));
    }
    changes.push_back({{"artifactLocation", artifact_json(file.path)}, {"replacements", std::move(replacements)}});
  }
  if (changes.empty()) return nullptr;
  const std::string text = fix_sentence(fix, sources.text_of(fix.where.path));
  return Json::array({{{"description", text_json(text + ".")}, {"artifactChanges", std::move(changes)}}});
}

static Json result_json(const Finding& finding, std::size_t rule_index, Sources& sources, fix::Editors& editors) {
  Json json = {{"ruleId", finding.rule},
               {"ruleIndex", rule_index},
               {"level", name_of(finding.severity)},
               {"message", text_json(message_of(finding, sources))},
               {"locations", Json::array({location_json(finding.where, "", sources)})}};
  if (!finding.function.empty())
    json["locations"][0]["logicalLocations"] = {
        {{"fullyQualifiedName", valid_utf8(finding.function)}, {"kind", "function"}}};

  // Readers keep the first locations only: the other sites of the declaration come first.
  std::vector<const RelatedLocation*> related;
  for (const RelatedLocation& other : finding.related) related.push_back(&other);
  std::ranges::stable_sort(related, {}, [](const RelatedLocation* other) { return other->role != Role::Site; });
  Json related_json = Json::array();
  for (const RelatedLocation* other : related) {
    std::string_view text = other->text;
    if (text.empty())
      text = other->role == Role::Site ? "another forward of the same declaration" : name_of(other->role);
    Json location = location_json(other->where, text, sources);
    location["id"] = related_json.size() + 1;
    location["properties"] = {{"role", name_of(other->role)}};
    related_json.push_back(std::move(location));
  }
  if (!related_json.empty()) json["relatedLocations"] = std::move(related_json);

  if (!finding.path.empty()) {
    Json steps = Json::array();
    for (const PathStep& step : finding.path)
      steps.push_back({{"location", location_json(step.where, step.text, sources)}});
    json["codeFlows"] = {{{"threadFlows", {{{"locations", std::move(steps)}}}}}};
  }
  if (finding.fix) {
    if (Json fixes = fixes_json(*finding.fix, sources, editors); !fixes.is_null()) json["fixes"] = std::move(fixes);
  }
  json["properties"] = {{"confidence", name_of(finding.confidence)}, {"probeCanConfirm", finding.probe_can_confirm}};
  return json;
}

static Json notifications_json(const driver::CheckResult& result, Sources& sources) {
  Json notifications = Json::array();
  for (const driver::FileNotice& notice : result.notices)
    notifications.push_back(
        {{"level", notice.where ? "note" : "warning"},
         {"message", text_json(notice.text)},
         {"locations", Json::array({{{"physicalLocation", physical_json(notice.path, notice.where, sources)}}})}});
  for (const driver::CppUnitReport& unit : result.cpp.reports) {
    std::string text;
    if (unit.errors > 0)
      text = "analysed in spite of " + std::to_string(unit.errors) + " compiler errors, the first: " + unit.first_error;
    else if (unit.names_no_torch)
      text = "no use of LibTorch was seen in this file";
    else
      continue;
    notifications.push_back(
        {{"level", "note"},
         {"message",
          text_json(text + (unit.real_headers ? " (LibTorch's own headers)" : " (stub headers of LibTorch)"))},
         {"locations", Json::array({{{"physicalLocation", physical_json(unit.path, std::nullopt, sources)}}})}});
  }
  if (result.cpp_files > 0)
    notifications.push_back({{"level", "note"},
                             {"message", text_json(std::to_string(result.cpp_files) +
                                                   " C++ files not analysed: this build has no C++ frontend")}});
  if (result.notebooks > 0)
    notifications.push_back(
        {{"level", "note"},
         {"message", text_json(std::to_string(result.notebooks) + " notebooks not analysed: cells are not read")}});
  return notifications;
}

std::string render_sarif(const driver::CheckResult& result, std::span<const rules::Rule* const> rules) {
  Sources sources(result);
  Json rules_json = Json::array();
  for (const rules::Rule* rule : rules) rules_json.push_back(rule_json(*rule));
  fix::Editors editors(result);
  Fingerprints fingerprints;
  Json results = Json::array();
  for (const Finding& finding : result.findings) {
    auto rule = std::ranges::find(rules, finding.rule, &rules::Rule::id);
    Json json = result_json(finding, static_cast<std::size_t>(rule - rules.begin()), sources, editors);
    if (rule == rules.end()) json.erase("ruleIndex");
    json["partialFingerprints"] = fingerprints.of(finding, sources, result);
    results.push_back(std::move(json));
  }
  Json driver = {{"name", "deadgrad"},
                 {"version", DEADGRAD_VERSION},
                 {"semanticVersion", DEADGRAD_VERSION},
                 {"rules", std::move(rules_json)}};
  Json run = {
      {"tool", {{"driver", std::move(driver)}}},
      {"columnKind", "utf16CodeUnits"},
      {"originalUriBaseIds", {{"SRCROOT", {{"description", {{"text", "The directory in which deadgrad ran."}}}}}}},
      {"invocations", Json::array({{{"executionSuccessful", true},
                                    {"toolExecutionNotifications", notifications_json(result, sources)}}})},
      {"results", std::move(results)}};
  Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", Json::array({std::move(run)})}};
  return log.dump(2) + "\n";
}

}  // namespace deadgrad::report
