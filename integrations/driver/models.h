// What is known of libraries in one run: the embedded rows and those of the user's files.
#pragma once

#include <span>
#include <string>

#include "analyzer/model/api_model.h"

namespace deadgrad::driver {

// Rows of `files` win over embedded ones, those of a later file over an earlier one's. A mistake is an error with file
// and line.
Result<model::ApiModel> load_models(std::span<const std::string> files);

}  // namespace deadgrad::driver
