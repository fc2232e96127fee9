// The LibTorch that a program uses: found from its libtorch_cpu, since that is what the probe's core must match.
#pragma once

#include <string>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

struct TorchInstall {
  std::string library;  // libtorch_cpu itself, links resolved
  std::string include;
  std::string version;  // of the headers: "1.13"
  bool needs_cxx20 = false;
  bool old_abi = false;      // compiled with _GLIBCXX_USE_CXX11_ABI=0
  std::string cuda_include;  // of CUDA's own headers, where LibTorch has CUDA and they are found
};

// `path` is a libtorch_cpu, or a folder that has one in it or in lib/.
Result<TorchInstall> torch_at(const std::string& path);
// What `python -c "import torch"` loads.
Result<TorchInstall> torch_of_python(const std::string& python);
// The libtorch_cpu that a native program is linked with; empty for a script, and for a program without.
std::string torch_library_of_program(const std::string& program);

}  // namespace deadgrad::probing
