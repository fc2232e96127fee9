// From a list of C++ files to what is to be parsed: one Unit for each main file with the flags it is read with, from a
// compile database where there is one and guessed from the project's own files where there is none. The driver calls
// find_units() once per run. Files are only ever read through the given file system, and nothing is executed.
#pragma once

#include "frontends/cpp/directives.h"
#include "frontends/cpp/units.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

// An error when --torch or -p names something that is not there.
Result<Project> find_units(const ProjectOptions& options, llvm::vfs::FileSystem& files);

}  // namespace deadgrad::cpp
