#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    if (issue.kind != GuardIssue::Kind::InferenceModeFits) continue;
    out.push_back(
        issue_finding(issue, dg501_no_grad_where_inference_mode_fits, Severity::Note,
                      "nothing trains on what runs under " + quoted(issue.guard) + ": inference mode fits here"));
  }
}

constinit const Rule dg501_no_grad_where_inference_mode_fits = {
    .id = "DG501",
    .name = "no-grad-where-inference-mode-fits",
    .summary =
        "a no_grad guard covers only results that never meet training, so inference mode would do and costs less",
    .since = "0.1",
    .opt_in = true,
    .check = check,
};

}  // namespace deadgrad::rules
