// Internal to the frontend: the file system under the compiler that notes what it is asked.
#pragma once

#include <string>

#include "frontends/cpp/reads.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

// A view of `base` that adds what is asked of it to `reads`, which must outlive it; questions about `ignored` are not
// noted. For one thread.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_recording_file_system(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base, std::string ignored, Reads& reads);

// Puts the reads that were added into order.
void settle(Reads& reads);

}  // namespace deadgrad::cpp
