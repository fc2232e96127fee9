// What a project's build files say about its C++, when no compile command does: the language standard and plain macro
// definitions. A cheap read of the text; no build file is evaluated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deadgrad::cpp {

bool is_build_file(std::string_view name);

struct BuildHints {
  unsigned standard = 0;             // 20 for C++20; 0: not said
  std::vector<std::string> defines;  // "-DNAME" and "-DNAME=value", each once
};

BuildHints read_build_file(std::string_view name, std::string_view text);

}  // namespace deadgrad::cpp
