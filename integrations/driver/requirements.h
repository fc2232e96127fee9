// The oldest PyTorch that a project's own files allow: what is written for it runs on all that come later.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/model/torch_version.h"

namespace deadgrad::driver {

// Does a file of this name say which packages a project needs?
bool names_requirements(std::string_view file_name);

// What the text of such a file says of PyTorch: a lower bound or a pin, the lowest of several, the newest that an upper
// bound leaves. Nothing if it says nothing or cannot be read.
std::optional<model::TorchVersion> torch_required(std::string_view file_name, std::string_view text);

// What `torch/version.h` of a LibTorch says.
std::optional<model::TorchVersion> torch_of_header(std::string_view text);

}  // namespace deadgrad::driver
