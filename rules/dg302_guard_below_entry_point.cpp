#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::BelowEntry) continue;
    out.push_back(issue_finding(issue, dg302_guard_below_entry_point, Severity::Note,
                                "one guard on " + quoted(issue.callee) +
                                    " would cover the forwards that several functions below it guard by themselves"));
  }
}

constinit const Rule dg302_guard_below_entry_point = {
    .id = "DG302",
    .name = "guard-below-entry-point",
    .summary = "several functions bring guards of their own where one on their entry point would cover them all",
    .since = "0.1",
    .opt_in = true,
    .check = check,
};

}  // namespace deadgrad::rules
