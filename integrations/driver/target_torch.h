// Which PyTorch each analysed file is written for.
#pragma once

#include <map>
#include <string>

#include "integrations/driver/check.h"

namespace deadgrad::driver {

using TorchVersions = std::map<std::string, model::TorchVersion, std::less<>>;

// Of the files of `inputs` for which it is known, by display path: `options.target_torch`, else what the nearest folder
// around the file requires. Folders are asked up to the repository's, else up to one that was named or the current one.
// An error when the option is no version.
Result<TorchVersions> target_torch(const Inputs& inputs, const CheckOptions& options);

}  // namespace deadgrad::driver
