#include "integrations/probe/json_text.h"

#include <algorithm>

namespace deadgrad::probing {

static constexpr int kMostNesting = 200;

static bool is_too_deep(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest > kMostNesting;
}

template <class Json>
static Result<Json> parse(std::string_view text) {
  if (is_too_deep(text)) return Error{"nested too deep for JSON that is meant to be read"};
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{"not valid JSON"};
  return json;
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text) {
  return parse<nlohmann::ordered_json>(text);
}
Result<nlohmann::json> parse_json(std::string_view text) {
  return parse<nlohmann::json>(text);
}

}  // namespace deadgrad::probing
