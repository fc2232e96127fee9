#include "rules/rules.h"

#include <algorithm>
#include <tuple>

#include "rules/models/embedded.h"

namespace deadgrad::rules {

static constexpr const Rule* kRules[] = {
#define DEADGRAD_RULE(variable) &variable,
#include "rules/rules.def"
#undef DEADGRAD_RULE
};

std::span<const Rule* const> all_rules() {
  return kRules;
}

const Rule* find_rule(std::string_view id_or_name) {
  for (const Rule* rule : kRules) {
    if (rule->id == id_or_name || rule->name == id_or_name) return rule;
  }
  return nullptr;
}

// Pages are named after the rule: dg101_unguarded_forward.md.
std::string_view rule_page(const Rule& rule) {
  std::string name(rule.id);
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  name += '_';
  for (char c : rule.name) name += c == '-' ? '_' : c;
  name += ".md";
  for (const EmbeddedText& page : embedded_pages()) {
    if (page.name == name) return page.text;
  }
  return {};
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

static RelatedLocation keeper_of(const Location& where, const std::string& name) {
  return {Role::Container, where, name.empty() ? "the graph is kept here" : quoted(name) + " keeps the graph"};
}

Finding leak_finding(const Leak& leak, const Rule& rule, std::string message) {
  const LeakSite& first = leak.sites.front();
  Finding finding;
  finding.rule = rule.id;
  finding.message = std::move(message);
  finding.why = first.why;
  finding.where = first.where;
  finding.function = first.function;
  finding.callee = first.callee;
  finding.path = leak.path;
  finding.fix = leak.fix;
  finding.probe_can_confirm = rule.probe_can_confirm;
  const bool may_be_frozen = std::ranges::all_of(leak.sites, &LeakSite::may_be_frozen);
  finding.confidence = leak.certain && !may_be_frozen ? Confidence::High : Confidence::Medium;
  // Worst site of the declaration: what grows is an error, a path that pays for nothing a warning, one dropped forward
  // a note.
  finding.severity = Severity::Note;
  for (const LeakSite& site : leak.sites) {
    const bool cheap = site.trial || (site.dropped && (!site.in_loop || site.in_training_step));
    finding.severity = std::max(finding.severity, site.growth != Growth::None ? Severity::Error
                                                  : cheap                     ? Severity::Note
                                                                              : Severity::Warning);
  }
  if (first.loop)
    finding.related.push_back(
        {Role::Loop, *first.loop,
         first.growth == Growth::Carried ? "this loop feeds its own output back" : "in this loop"});
  if (first.keeper) finding.related.push_back(keeper_of(*first.keeper, first.keeper_name));
  for (const auto& [where, name] : first.more_keepers) finding.related.push_back(keeper_of(where, name));
  for (std::size_t k = 1; k < leak.sites.size(); ++k) {
    finding.related.push_back(
        {Role::Site, leak.sites[k].where, quoted(leak.sites[k].callee) + " runs under the same missing declaration"});
  }
  if (!leak.path.empty() && leak.path.front().where != first.where)
    finding.related.push_back({Role::Entry, leak.path.front().where, leak.path.front().text});
  return finding;
}

Finding kept_finding(const KeptGraph& kept, const Rule& rule, std::string message) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = Severity::Warning;
  finding.message = std::move(message);
  finding.why = "nothing calls backward on what is kept";
  finding.where = kept.where;
  finding.function = kept.function;
  finding.callee = kept.callee;
  if (kept.kept_at != kept.where) finding.related.push_back(keeper_of(kept.kept_at, kept.keeper));
  finding.related.push_back({Role::Loop, kept.loop, "in this loop"});
  finding.related.push_back({Role::Other, kept.forward, quoted(kept.callee) + " makes the graph"});
  finding.fix = kept.fix;
  finding.probe_can_confirm = rule.probe_can_confirm;
  return finding;
}

Finding issue_finding(const GuardIssue& issue, const Rule& rule, Severity severity, std::string message) {
  Finding finding;
  finding.rule = rule.id;
  finding.severity = severity;
  finding.message = std::move(message);
  finding.where = issue.where;
  finding.function = issue.function;
  finding.callee = issue.callee;
  finding.related = issue.related;
  finding.fix = issue.fix;
  finding.probe_can_confirm = rule.probe_can_confirm;
  return finding;
}

std::vector<Finding> run_rules(const Query& query, std::span<const Rule* const> rules) {
  std::vector<Finding> findings;
  for (const Rule* rule : rules) rule->check(query, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.where.path, a.where.span.begin, a.where.span.end, a.rule, a.message) <
           std::tie(b.where.path, b.where.span.begin, b.where.span.end, b.rule, b.message);
  });
  findings.erase(std::unique(findings.begin(), findings.end(),
                             [](const Finding& a, const Finding& b) {
                               return a.where == b.where && a.rule == b.rule && a.message == b.message;
                             }),
                 findings.end());
  return findings;
}

}  // namespace deadgrad::rules
