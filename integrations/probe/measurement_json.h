// Measurements as JSON, and back from there to be compared with.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/base/result.h"
#include "integrations/probe/measurement.h"

namespace deadgrad::probing {

nlohmann::ordered_json json_of(const Measurement& measurement, const std::string& version);
// What comparisons need of a file that json_of() made: totals, timelines and sites.
Result<Measurement> read_measurement(const std::string& path);

}  // namespace deadgrad::probing
