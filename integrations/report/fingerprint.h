// The line hashes by which GitHub code scanning recognises a finding after the file was edited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deadgrad::report {

// One per line, "hash:occurrence", equal to what GitHub's upload action computes for `primaryLocationLineHash`: a
// rolling hash of the hundred characters from the line's start on that are neither spaces nor tabs.
std::vector<std::string> line_hashes(std::string_view text);

}  // namespace deadgrad::report
