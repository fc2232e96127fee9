#include "rules/rules.h"

namespace deadgrad::rules {

static void check(const Query& query, std::vector<Finding>& out) {
  for (const GuardIssue& issue : query.guard_issues()) {
    std::string message;
    if (issue.kind == GuardIssue::Kind::SavedForBackward)
      message =
          quoted(issue.callee) + " fails: what was made under " + quoted(issue.guard) + " cannot be saved for backward";
    else if (issue.kind == GuardIssue::Kind::ChangedInPlace)
      message = "this write fails: what was made under " + quoted(issue.guard) + " cannot be changed outside it";
    else
      continue;
    out.push_back(issue_finding(issue, dg403_inference_tensor_in_training, Severity::Error, std::move(message)));
  }
}

constinit const Rule dg403_inference_tensor_in_training = {
    .id = "DG403",
    .name = "inference-tensor-in-training",
    .summary = "a result of inference mode goes into training, which autograd refuses to save for backward",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
