// Where LibTorch's own headers lie: told by the user, by a compile command, or in the usual places. Only looks at
// files.
#pragma once

#include <string>
#include <vector>

#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

// Whether `folder`, given as an include folder, makes `<torch/torch.h>`, `<torch/script.h>` or `<ATen/ATen.h>` a real
// header of LibTorch.
bool holds_torch(llvm::vfs::FileSystem& files, const std::string& folder);

// The include folders, in the order in which they are searched, of the LibTorch that `place` holds: an unpacked
// LibTorch, a prefix such as /usr, a Python wheel or environment, or the folder of TorchConfig.cmake. None when it
// holds none.
std::vector<std::string> torch_include_folders(llvm::vfs::FileSystem& files, const std::string& place);

// The same for the first of these that has one: `hints` (the values of Torch_DIR and CMAKE_PREFIX_PATH), the project,
// the system.
std::vector<std::string> find_torch(llvm::vfs::FileSystem& files, const std::string& root,
                                    const std::vector<std::string>& hints);

}  // namespace deadgrad::cpp
