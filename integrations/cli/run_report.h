// What a run of a program measured, for programs and for people, beside an earlier run where there is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "integrations/cli/commands.h"
#include "integrations/probe/measurement.h"

namespace deadgrad::cli {

// What `--before` names.
Result<std::optional<probing::Measurement>> earlier_measurement(const ProbeRunArguments& arguments);

std::string measurement_json(const probing::Measurement& measurement);
// `before` may be null.
std::string measurement_text(const probing::Measurement& measurement, const probing::Measurement* before);
std::vector<std::string> measurement_charts(const probing::Measurement& measurement,
                                            const probing::Measurement* before);

}  // namespace deadgrad::cli
