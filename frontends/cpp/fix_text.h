// Words the fixes that findings ask for in C++. Reports call it for findings in C++ files; it needs no compiler.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"

namespace deadgrad::cpp {

// What to do, as an imperative without a full stop: "make `c10::InferenceMode guard;` the first statement of `main`".
// `source` is the text of the file at `fix.where`: it gives line numbers and the user's own words. It may be empty,
// which costs only those.
std::string fix_text(const FixRequest& fix, std::string_view source);

// `torch::NoGradGuard()` as `torch::NoGradGuard guard`, `at::AutoGradMode(false)` as `at::AutoGradMode guard(false)`;
// nothing for what is no plain construction.
std::string with_a_name(std::string_view construction, std::string_view name);

}  // namespace deadgrad::cpp
