// Words the fixes that findings ask for in Python. Reports call it for findings in Python files.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"

namespace deadgrad::python {

// What to do, as an imperative without a full stop: "add `@torch.inference_mode()` above `def denoise`". `source` is
// the text of the file at `fix.where`: it gives line numbers, the user's own words and the name under which torch is
// imported. It may be empty, which costs only those.
std::string fix_text(const FixRequest& fix, std::string_view source);

}  // namespace deadgrad::python
