// The only header a rule includes: the query API, the reporter and the rule record. `all_rules()` lists every rule in
// the order of rules.def; `check_all` runs them. Rules see no IR.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/query/query.h"

namespace deadgrad::rules {

struct Rule {
  std::string_view id;       // "DG102"
  std::string_view name;     // "graph-carried-across-steps"
  std::string_view summary;  // one sentence, lower case, no full stop
  std::string_view since;
  bool opt_in = false;  // off unless selected
  bool probe_can_confirm = false;
  void (*check)(const Query& query, std::vector<Finding>& out);
};

#define DEADGRAD_RULE(variable) extern const Rule variable;
#include "rules/rules.def"
#undef DEADGRAD_RULE

std::span<const Rule* const> all_rules();
// The rule with this id or name, or null.
const Rule* find_rule(std::string_view id_or_name);
// The rule's page (Markdown), embedded at build time.
std::string_view rule_page(const Rule& rule);

// What all findings about a leak have in common: sites, loop, keeper, witness path, proof, fix and confidence.
Finding leak_finding(const Leak& leak, const Rule& rule, std::string message);
// The same for graphs that are kept beside training.
Finding kept_finding(const KeptGraph& kept, const Rule& rule, std::string message);
// The same for a guard that is wrong where it stands.
Finding issue_finding(const GuardIssue& issue, const Rule& rule, Severity severity, std::string message);
// The user's own words, in backquotes.
std::string quoted(std::string_view text);

// Runs the given rules over one analysed program; findings come sorted by (path, offset, rule), grouped by declaration.
std::vector<Finding> run_rules(const Query& query, std::span<const Rule* const> rules);

}  // namespace deadgrad::rules
