// Turns the fixes that findings ask for into edits of a C++ file, from its text alone: it needs no compiler.
// integrations/fix calls it.
#pragma once

#include <string_view>

#include "analyzer/findings/finding.h"

namespace deadgrad::cpp {

// Sorted edits that do what is asked; empty where nothing can do it without harm. MoveGuard is none of them: it is a
// RemoveGuard at its place and a GuardFunction at the other.
TextEdits fix_edits(const FixRequest& fix, std::string_view source);

}  // namespace deadgrad::cpp
