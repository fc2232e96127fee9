#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/base/nearest.h"
#include "integrations/cli/commands.h"
#include "integrations/report/report.h"

namespace deadgrad::cli {

static bool matches(const rules::Rule& rule, std::string_view selector) {
  bool is_prefix = selector.starts_with("DG") && rule.id.starts_with(selector);
  return selector == "ALL" || is_prefix || rule.name == selector;
}

static Error unknown_rule(const std::string& selector) {
  std::vector<std::string_view> known = {"ALL"};
  for (const rules::Rule* rule : rules::all_rules()) known.insert(known.end(), {rule->id, rule->name});
  return Error{"unknown rule '" + selector + "'" + did_you_mean(selector, known)};
}

Result<std::vector<const rules::Rule*>> choose_rules(const std::vector<std::string>& select,
                                                     const std::vector<std::string>& ignore) {
  for (const auto* selectors : {&select, &ignore})
    for (const std::string& selector : *selectors)
      if (std::ranges::none_of(rules::all_rules(), [&](const rules::Rule* rule) { return matches(*rule, selector); }))
        return unknown_rule(selector);
  std::vector<const rules::Rule*> chosen;
  for (const rules::Rule* rule : rules::all_rules()) {
    auto in = [&](const std::vector<std::string>& selectors) {
      return std::ranges::any_of(selectors, [&](const std::string& selector) { return matches(*rule, selector); });
    };
    if ((select.empty() ? !rule->opt_in : in(select)) && !in(ignore)) chosen.push_back(rule);
  }
  return chosen;
}

static std::string padded(std::string_view text, std::size_t size) {
  return std::string(text) + std::string(size > text.size() ? size - text.size() : 1, ' ');
}

int run_rule(const std::string& id_or_name, bool all) {
  if (all) {
    std::string list;
    for (const rules::Rule* rule : rules::all_rules())
      list += padded(rule->id, 7) + padded(rule->name, 34) + std::string(rule->summary) + "\n";
    return write_stdout(list) ? kClean : kFailed;
  }
  if (id_or_name.empty()) return fail("name a rule, such as DG102, or pass --all");
  const rules::Rule* rule = rules::find_rule(id_or_name);
  if (rule == nullptr) return fail(unknown_rule(id_or_name).message);
  return write_stdout(report::page_of(*rule)) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
