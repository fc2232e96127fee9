// Differences between two texts as `patch` reads them.
#pragma once

#include <string>
#include <string_view>

namespace deadgrad::report {

struct DiffOptions {
  bool color = false;  // for a terminal: then control characters are shown as escapes
};

// Unified, with three lines around each change; empty if the texts are equal.
std::string unified_diff(const std::string& path, std::string_view before, std::string_view after,
                         DiffOptions options = {});

}  // namespace deadgrad::report
