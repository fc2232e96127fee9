#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "integrations/fix/edits.h"
#include "integrations/report/report.h"
#include "integrations/report/sources.h"

namespace deadgrad::report {

using Json = nlohmann::ordered_json;

static Json position_json(const Position& position) {
  return {{"line", position.line}, {"column", position.column}};
}

static Json place_json(const std::string& path, const std::optional<ir::Span>& span, Sources& sources) {
  Json json = {{"path", valid_utf8(path)}};
  const SourceText* source = sources.find(path);
  if (!span || source == nullptr) return json;
  Range range = source->range(*span, Columns::Characters);
  json["start"] = position_json(range.begin);
  json["end"] = position_json(range.end);
  return json;
}

static std::string_view name_of(FixKind kind) {
  switch (kind) {
    case FixKind::GuardFunction:
      return "guard-function";
    case FixKind::GuardRegion:
      return "guard-region";
    case FixKind::DetachValue:
      return "detach-value";
    case FixKind::NameGuard:
      return "name-guard";
    case FixKind::DefineGuard:
      return "define-guard";
    case FixKind::EnterGuard:
      return "enter-guard";
    case FixKind::MoveGuard:
      return "move-guard";
    case FixKind::RemoveGuard:
      break;
  }
  return "remove-guard";
}

static std::string_view name_of(FixSafety safety) {
  switch (safety) {
    case FixSafety::Safe:
      return "safe";
    case FixSafety::Unsafe:
      return "unsafe";
    case FixSafety::DisplayOnly:
      break;
  }
  return "display-only";
}

// What does the fix, in the order of the places; empty where it has to be done by hand.
static Json edits_json(const FixRequest& fix, Sources& sources, fix::Editors& editors) {
  Json json = Json::array();
  for (const fix::FileEdits& file : editors.edits_for(fix))
    for (const TextEdit& edit : file.edits)
      json.push_back({{"where", place_json(file.path, edit.span, sources)}, {"text", valid_utf8(edit.text)}});
  return json;
}

static Json fix_json(const FixRequest& fix, Sources& sources, fix::Editors& editors) {
  return {{"kind", name_of(fix.kind)},
          {"guard", fix.guard == FixGuard::InferenceMode ? "inference_mode" : "no_grad"},
          {"safety", name_of(fix.safety)},
          {"language", fix.language == ir::Language::Python ? "python" : "c++"},
          {"function", valid_utf8(fix.function)},
          {"where", place_json(fix.where.path, fix.where.span, sources)},
          {"text", valid_utf8(fix_sentence(fix, sources.text_of(fix.where.path)))},
          {"edits", edits_json(fix, sources, editors)}};
}

static Json finding_json(const Finding& finding, Sources& sources, fix::Editors& editors) {
  const rules::Rule* rule = rules::find_rule(finding.rule);
  Json related = Json::array();
  for (const RelatedLocation& other : finding.related)
    related.push_back({{"role", name_of(other.role)},
                       {"where", place_json(other.where.path, other.where.span, sources)},
                       {"text", valid_utf8(other.text)}});
  Json path = Json::array();
  for (const PathStep& step : finding.path)
    path.push_back({{"where", place_json(step.where.path, step.where.span, sources)}, {"text", valid_utf8(step.text)}});
  return {{"rule", finding.rule},
          {"name", rule == nullptr ? "" : rule->name},
          {"severity", name_of(finding.severity)},
          {"confidence", name_of(finding.confidence)},
          {"message", valid_utf8(finding.message)},
          {"why", valid_utf8(finding.why)},
          {"where", place_json(finding.where.path, finding.where.span, sources)},
          {"function", valid_utf8(finding.function)},
          {"callee", valid_utf8(finding.callee)},
          {"related", std::move(related)},
          {"path", std::move(path)},
          {"fix", finding.fix ? fix_json(*finding.fix, sources, editors) : Json(nullptr)},
          {"probe_can_confirm", finding.probe_can_confirm}};
}

static Json cpp_json(const driver::CppSummary& cpp) {
  Json units = Json::array();
  for (const driver::CppUnitReport& report : cpp.reports)
    units.push_back({{"path", valid_utf8(report.path)},
                     {"headers", report.real_headers ? "libtorch" : "stub"},
                     {"compiler_errors", report.errors},
                     {"first_error", valid_utf8(report.first_error)},
                     {"torch_seen", !report.names_no_torch}});
  return {{"read", std::move(units)}, {"without_torch", cpp.without_torch}};
}

std::string render_json(const driver::CheckResult& result) {
  Sources sources(result);
  fix::Editors editors(result);
  Json findings = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(finding_json(finding, sources, editors));
  Json notices = Json::array();
  for (const driver::FileNotice& notice : result.notices)
    notices.push_back({{"where", place_json(notice.path, notice.where, sources)}, {"text", valid_utf8(notice.text)}});
  Counts counts = count(result.findings);
  Json document = {{"schema_version", 1},
                   {"tool", {{"name", "deadgrad"}, {"version", DEADGRAD_VERSION}}},
                   {"findings", std::move(findings)},
                   {"notices", std::move(notices)},
                   {"summary",
                    {{"errors", counts.errors},
                     {"warnings", counts.warnings},
                     {"notes", counts.notes},
                     {"python_files", result.python_files},
                     {"cpp_files", cpp_json(result.cpp)},
                     {"cpp_files_not_analysed", result.cpp_files},
                     {"notebooks_not_analysed", result.notebooks}}}};
  return document.dump(2) + "\n";
}

}  // namespace deadgrad::report
