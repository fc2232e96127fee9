// Puts fixed texts on disk.
#pragma once

#include "analyzer/base/result.h"
#include "integrations/fix/rounds.h"

namespace deadgrad::fix {

// All or nothing: the file gets its new text at once and keeps its permissions; where the path is a link, what it leads
// to is written. A file that is not what it was when it was read stays as it is.
Result<bool> write(const FixedFile& file);

}  // namespace deadgrad::fix
