// The C++ half of a run: which units the inputs make, and their modules. Only in builds with the C++ frontend.
#pragma once

#include <vector>

#include "integrations/driver/check.h"

namespace deadgrad::driver {

// Adds the modules of the C++ files among `inputs` to `modules`, their texts and notices to `result`. An error when the
// options name a compile database or a LibTorch that is not there.
Result<bool> lower_cpp(const Inputs& inputs, const CheckOptions& options, CheckResult& result,
                       std::vector<ir::Module>& modules);

}  // namespace deadgrad::driver
