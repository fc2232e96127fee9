#include "rules/rules.h"

namespace deadgrad::rules {

static std::string message_of(const BrokenGuard& guard) {
  switch (guard.kind) {
    case BrokenGuard::Kind::Discarded:
      return quoted(guard.guard) + " is made and dropped at once: it guards nothing";
    case BrokenGuard::Kind::Declared:
      return "this declares a function that returns " + quoted(guard.guard) + " and creates no guard";
    case BrokenGuard::Kind::NotCalled:
      return quoted(guard.guard) + " is not called: this statement raises instead of guarding";
    case BrokenGuard::Kind::OnAsync:
      return quoted(guard.guard) + " on an async function guards only the making of the coroutine";
    case BrokenGuard::Kind::OnClass:
      return quoted(guard.guard) + " on a class guards only the constructor";
    case BrokenGuard::Kind::OnBareName:
      return quoted(guard.guard) + " as a decorator needs parentheses before torch " + guard.since;
    case BrokenGuard::Kind::EnteredAndDropped:
      return quoted(guard.guard) + " is undone as soon as its object is dropped: nothing keeps it";
    case BrokenGuard::Kind::DeadFlag:
      return quoted(guard.guard) + " does nothing any more: autograd stays on";
  }
  return {};
}

static void check(const Query& query, std::vector<Finding>& out) {
  for (const BrokenGuard& guard : query.broken_guards()) {
    Finding finding;
    finding.rule = dg201_guard_without_effect.id;
    finding.severity = Severity::Warning;
    finding.confidence = Confidence::High;
    finding.message = message_of(guard);
    finding.where = guard.where;
    finding.function = guard.function;
    finding.callee = guard.guard;
    finding.fix = guard.fix;
    for (const LeakSite& site : guard.sites)
      finding.related.push_back({Role::Site, site.where, quoted(site.callee) + " runs here with autograd on"});
    out.push_back(std::move(finding));
  }
}

constinit const Rule dg201_guard_without_effect = {
    .id = "DG201",
    .name = "guard-without-effect",
    .summary = "a guard is written in a form that guards nothing",
    .since = "0.1",
    .check = check,
};

}  // namespace deadgrad::rules
