// The header files that are built into the program: our stub of LibTorch and the compiler's own headers. They are
// served as a file system of their own over the user's, so that C++ code can be read with neither LibTorch nor Clang
// installed.
#pragma once

#include <cstdint>
#include <string_view>

#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

// A view of `base` in which the folders below are added; it holds no state, so threads may share it as far as they may
// share `base`. With `torch_stubs`, every header path of LibTorch below stub_include_root() exists: the ones that we
// wrote as they are, any other as a header that includes the umbrella.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_stub_file_system(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base, bool torch_stubs);

std::string_view stub_include_root();  // for -isystem, before every folder that may hold the real headers
std::string_view stub_resource_dir();  // for -resource-dir=; served with or without `torch_stubs`
std::string_view stub_umbrella();      // the header that includes the whole stub of LibTorch, for a precompiled header
std::string_view torch_umbrella();     // the same for LibTorch's own headers; served with or without `torch_stubs`

// Changes when any served byte does: a part of the key under which a precompiled header is kept.
std::uint64_t stub_content_hash();

}  // namespace deadgrad::cpp
