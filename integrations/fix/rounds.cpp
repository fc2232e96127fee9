#include "integrations/fix/rounds.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "integrations/fix/edits.h"

namespace deadgrad::fix {

// Each round but the last fixes something, and few files need more than three.
static constexpr int kMostRounds = 100;

// What is the same finding before and after an edit, whatever moved.
using Identity = std::tuple<std::string, std::string, std::string, std::string>;

static Identity identity_of(const Finding& finding) {
  return {finding.rule, finding.where.path, finding.function, finding.message};
}

// One fix, and the findings that it is for.
struct Planned {
  std::vector<FileEdits> edits;
  std::vector<const Finding*> findings;
};
using Plan = std::vector<Planned>;

static bool touch(const TextEdit& a, const TextEdit& b) {
  return a.span.begin <= b.span.end && b.span.begin <= a.span.end;
}

// Fixes that are done together leave each other alone; only a new import may serve several.
static bool collide(const Planned& a, const Planned& b) {
  for (const FileEdits& left : a.edits)
    for (const FileEdits& right : b.edits) {
      if (left.path != right.path) continue;
      for (const TextEdit& one : left.edits)
        for (const TextEdit& other : right.edits)
          if (one != other && touch(one, other)) return true;
    }
  return false;
}

static bool same_edits(const Planned& a, const Planned& b) {
  return std::ranges::equal(a.edits, b.edits, [](const FileEdits& left, const FileEdits& right) {
    return left.path == right.path && left.edits == right.edits;
  });
}

static Plan plan_round(const driver::CheckResult& result, FixSafety wanted, const std::set<Identity>& refused) {
  Editors editors(result);
  Plan plan;
  std::set<std::pair<std::string, std::string>> functions;  // one fix each: the next round sees what it left
  for (const Finding& finding : result.findings) {
    if (!finding.fix || finding.fix->safety != wanted || refused.contains(identity_of(finding))) continue;
    Planned planned{editors.edits_for(*finding.fix), {&finding}};
    if (planned.edits.empty()) continue;
    const auto same = std::ranges::find_if(plan, [&](const Planned& other) { return same_edits(planned, other); });
    if (same != plan.end()) {
      same->findings.push_back(&finding);
      continue;
    }
    if (std::ranges::any_of(plan, [&](const Planned& other) { return collide(planned, other); })) continue;
    if (functions.emplace(finding.fix->where.path, finding.fix->function).second) plan.push_back(std::move(planned));
  }
  return plan;
}

static driver::Texts apply_all(const Plan& plan, const driver::CheckResult& result, driver::Texts texts) {
  std::map<std::string, std::set<TextEdit>> by_file;
  for (const Planned& planned : plan)
    for (const FileEdits& file : planned.edits) by_file[file.path].insert(file.edits.begin(), file.edits.end());
  for (const auto& [path, edits] : by_file)
    texts[path] = edited(*result.text_of(path), TextEdits(edits.begin(), edits.end()));
  return texts;
}

// Forwards that run with autograd on, by file, and all other findings.
struct Tally {
  std::map<std::string, std::size_t> leaks;
  std::map<Identity, std::size_t> others;
  std::map<std::string, std::size_t> unreadable;  // places in a file that the parser or the compiler rejects
};

static bool is_leak_rule(const std::string& rule) {
  return rule.starts_with("DG1") || rule == "DG202" || rule == "DG203" || rule == "DG301";
}

static Tally tally(const driver::CheckResult& result) {
  Tally tally;
  for (const Finding& finding : result.findings) {
    if (!is_leak_rule(finding.rule)) {
      ++tally.others[identity_of(finding)];
      continue;
    }
    if (finding.rule.starts_with("DG1") || finding.rule == "DG301") ++tally.leaks[finding.where.path];
    for (const RelatedLocation& related : finding.related)
      if (related.role == Role::Site) ++tally.leaks[related.where.path];
  }
  for (const driver::FileNotice& notice : result.notices) ++tally.unreadable[notice.path];
  for (const driver::CppUnitReport& report : result.cpp.reports) tally.unreadable[report.path] += report.errors;
  return tally;
}

template <class Key>
static std::size_t count_of(const std::map<Key, std::size_t>& counts, const Key& key) {
  auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

template <class Key>
static bool grew(const std::map<Key, std::size_t>& before, const std::map<Key, std::size_t>& after) {
  return std::ranges::any_of(after, [&](const auto& entry) { return entry.second > count_of(before, entry.first); });
}

static std::size_t total(const std::map<std::string, std::size_t>& counts) {
  std::size_t sum = 0;
  for (const auto& [key, count] : counts) sum += count;
  return sum;
}

// Did each fix take its finding away, and bring no other?
static bool is_improvement(const Plan& plan, const Tally& before, const Tally& after) {
  if (grew(before.leaks, after.leaks) || grew(before.others, after.others) || grew(before.unreadable, after.unreadable))
    return false;
  std::size_t leaks_fixed = 0;
  for (const Planned& planned : plan)
    for (const Finding* finding : planned.findings) {
      leaks_fixed += is_leak_rule(finding->rule);
      const Identity identity = identity_of(*finding);
      if (!is_leak_rule(finding->rule) && count_of(after.others, identity) >= count_of(before.others, identity))
        return false;
    }
  return total(after.leaks) + leaks_fixed <= total(before.leaks);
}

// What a fix leaves to do before it can be judged: other paths that lead to the same forward, and guards that do
// nothing any more inside the new one. `tried`: what was guarded for it before.
static Plan follow_ups(const Plan& plan, const Tally& before, const driver::CheckResult& result,
                       std::set<std::pair<std::string, std::string>>& tried) {
  std::map<Identity, FixSafety> same;
  for (const Planned& planned : plan)
    for (const Finding* finding : planned.findings) same.emplace(identity_of(*finding), finding->fix->safety);
  Editors editors(result);
  Plan more;
  for (const Finding& finding : result.findings) {
    if (!finding.fix) continue;
    const Identity identity = identity_of(finding);
    const auto known = same.find(identity);
    const bool is_other_path = known != same.end() && finding.fix->safety <= known->second &&
                               tried.emplace(finding.fix->where.path, finding.fix->function).second;
    const bool is_idle = finding.fix->kind == FixKind::RemoveGuard && !is_leak_rule(finding.rule) &&
                         count_of(before.others, identity) == 0;
    if (!is_other_path && !is_idle) continue;
    Planned planned{editors.edits_for(*finding.fix), {}};
    if (planned.edits.empty()) continue;
    if (std::ranges::none_of(more, [&](const Planned& other) { return collide(planned, other); }))
      more.push_back(std::move(planned));
  }
  return more;
}

struct Attempt {
  driver::Texts texts;
  driver::CheckResult result;
  bool is_better = false;
};

static Result<Attempt> attempt(const Plan& plan, const Tally& before, const driver::CheckResult& result,
                               const driver::Texts& texts, const Analyse& analyse) {
  constexpr int kMostSteps = 10;
  driver::Texts edited = apply_all(plan, result, texts);
  std::set<std::pair<std::string, std::string>> tried;
  for (const Planned& planned : plan)
    for (const Finding* finding : planned.findings) tried.emplace(finding->fix->where.path, finding->fix->function);
  for (int step = 0;; ++step) {
    Result<driver::CheckResult> next = analyse(edited);
    if (!next) return next.error();
    const bool is_better = is_improvement(plan, before, tally(*next));
    const Plan more = is_better || step == kMostSteps ? Plan{} : follow_ups(plan, before, *next, tried);
    if (more.empty()) return Attempt{std::move(edited), std::move(*next), is_better};
    edited = apply_all(more, *next, std::move(edited));
  }
}

Result<Outcome> fix_all(const Analyse& analyse, bool unsafe) {
  Result<driver::CheckResult> first = analyse({});
  if (!first) return first.error();
  Outcome outcome{std::move(*first), {}, 0};
  driver::Texts texts;
  std::map<std::string, FixedFile> files;
  std::set<Identity> refused;
  FixSafety wanted = FixSafety::Safe;
  for (int round = 0; round < kMostRounds; ++round) {
    Plan plan = plan_round(outcome.result, wanted, refused);
    if (plan.empty()) {
      if (!unsafe || wanted == FixSafety::Unsafe) break;
      wanted = FixSafety::Unsafe;
      continue;
    }
    const Tally before = tally(outcome.result);
    for (;;) {
      Result<Attempt> tried = attempt(plan, before, outcome.result, texts, analyse);
      if (!tried) return tried.error();
      if (tried->is_better) {
        for (const Planned& planned : plan) outcome.fixed += planned.findings.size();
        for (const auto& [path, text] : tried->texts) {
          const driver::SourceFile& source = *outcome.result.file_of(path);
          files.try_emplace(path, FixedFile{path, source.open_path, source.text, {}});
        }
        texts = std::move(tried->texts);
        outcome.result = std::move(tried->result);
        wanted = FixSafety::Safe;  // what an unsafe fix changed may have a safe answer now
        break;
      }
      if (plan.size() == 1) {
        for (const Finding* finding : plan[0].findings) refused.insert(identity_of(*finding));
        break;
      }
      plan.resize(plan.size() / 2);
    }
  }
  for (auto& [path, file] : files) {
    file.after = texts[path];
    if (file.after != file.before) outcome.files.push_back(std::move(file));
  }
  return outcome;
}

}  // namespace deadgrad::fix
