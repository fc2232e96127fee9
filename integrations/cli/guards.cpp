#include <nlohmann/json.hpp>

#include "analyzer/query/query.h"
#include "integrations/cli/commands.h"
#include "integrations/report/source_text.h"
#include "rules/models/embedded.h"

namespace deadgrad::cli {

static nlohmann::json json_of(const Location& where) {
  return {{"path", report::valid_utf8(where.path)}, {"begin", where.span.begin}, {"end", where.span.end}};
}

int run_guards(const std::vector<std::string>& paths) {
  auto api = load_embedded_models();
  if (!api) return fail(api.error().message);
  driver::CheckOptions options;
  options.paths = paths;
  auto result = driver::check(options, *api);
  if (!result) return fail(result.error().message);
  std::string text;
  for (const GuardUse& use : guard_uses(*result->analysis)) {
    nlohmann::json forwards = nlohmann::json::array();
    for (const Location& forward : use.forwards) forwards.push_back(json_of(forward));
    nlohmann::json line = {{"where", json_of(use.where)},
                           {"guard", report::valid_utf8(use.guard)},
                           {"needed", use.is_needed},
                           {"forwards", std::move(forwards)}};
    text += line.dump() + "\n";
  }
  return write_stdout(text) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
