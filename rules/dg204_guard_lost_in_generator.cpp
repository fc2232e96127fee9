#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind == GuardIssue::Kind::YieldsInside) {
      out.push_back(issue_finding(issue, dg204_guard_lost_in_generator,
                                  issue.trains ? Severity::Warning : Severity::Note,
                                  quoted(issue.callee) + " yields under " + quoted(issue.guard) +
                                      ": autograd stays off in the code that iterates over it"));
    } else if (issue.kind == GuardIssue::Kind::ReturnsGenerator) {
      out.push_back(issue_finding(issue, dg204_guard_lost_in_generator, Severity::Warning,
                                  issue.callee + " runs when it is iterated, after " + quoted(issue.guard) +
                                      " has ended: its forward is unguarded"));
    }
  }
}

constinit const Rule dg204_guard_lost_in_generator = {
    .id = "DG204",
    .name = "guard-lost-in-generator",
    .summary = "a guard around a generator holds for the wrong code: for its consumer, or for nothing",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
