// JSON from files that others wrote: not nested deeper than a reader can bear, and without exceptions.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text);
Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace deadgrad::probing
