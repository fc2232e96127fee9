// Guards and switches that have an effect, and the wrong one.
#include <algorithm>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"
#include "analyzer/query/training.h"

namespace deadgrad {

using engine::ModeState;
using engine::View;

GuardIssue QueryBuilder::issue_of(GuardIssue::Kind kind, const ModeState& guard) const {
  GuardIssue issue;
  issue.kind = kind;
  issue.where = guard_location(guard);
  issue.guard = guard_text(guard);
  issue.function = name_of(program_.locate(guard.guard_event).first);
  return issue;
}

void QueryBuilder::find_broken_training(Query& query) {
  GraphProof proof(inference_, modes_, flow_, contexts_);
  std::map<std::uint32_t, GuardIssue> by_guard;
  for (const GraphProof::Broken& broken : proof.run(options_.include_tests)) {
    const bool lasts = broken.guard.lasts;
    auto [at, added] =
        by_guard.emplace(broken.guard.guard_event,
                         issue_of(lasts ? GuardIssue::Kind::LeftOff : GuardIssue::Kind::AroundTraining, broken.guard));
    GuardIssue& issue = at->second;
    const View view = engine::view_of(inference_, broken.function);
    const std::string backward = spell(broken.function, view.operand(view.at(broken.backward), 0));
    if (added) issue.callee = backward;
    auto add = [&](Role role, Location where, std::string text) {
      const bool known = std::ranges::any_of(
          issue.related, [&](const RelatedLocation& one) { return one.where == where && one.role == role; });
      if (!known) issue.related.push_back({role, std::move(where), std::move(text)});
    };
    add(Role::Other, locate(broken.function, broken.backward), "`" + backward + "` finds no graph");
    for (const auto& [f, event] : broken.origins) {
      const View inside = engine::view_of(inference_, f);
      add(Role::Site, locate(f, event),
          inside.at(event).op == ir::Op::Call
              ? "`" + spell(f, inside.operand(inside.at(event), 0)) + "` runs here with autograd off"
              : "computed here with autograd off");
    }
  }
  for (auto& [event, issue] : by_guard) query.guard_issues_.push_back(std::move(issue));
}

void QueryBuilder::find_guard_issues(Query& query) {
  find_broken_training(query);
  find_inference_tensors(query);
  find_lost_in_generators(query);
  find_misplaced_guards(query);
  find_switched_on_inside(query);
}

}  // namespace deadgrad
