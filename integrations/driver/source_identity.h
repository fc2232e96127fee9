// Stands for the sources of this program that decide what a C++ unit becomes: whoever builds other ones gets another.
#pragma once

#include <string_view>

namespace deadgrad::driver {

std::string_view source_identity();

}  // namespace deadgrad::driver
