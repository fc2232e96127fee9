// Runs one of the probe's own Python scripts: a request as JSON in, a result as JSON out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

Result<nlohmann::ordered_json> run_script(const std::string& python, const std::string& script,
                                          const nlohmann::ordered_json& request);

}  // namespace deadgrad::probing
