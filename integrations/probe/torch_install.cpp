#include "integrations/probe/torch_install.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "integrations/driver/files.h"
#include "integrations/probe/process.h"

namespace deadgrad::probing {

namespace fs = std::filesystem;

#ifdef __APPLE__
static constexpr const char* kLibraryName = "libtorch_cpu.dylib";
#else
static constexpr const char* kLibraryName = "libtorch_cpu.so";
#endif

static bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// "#define NAME 13" gives "13".
static std::string definition(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("#define " + name + " ");
  if (at == std::string::npos) return "";
  std::istringstream words(text.substr(at));
  std::string define, defined, value;
  words >> define >> defined >> value;
  return value;
}

static std::string version_of(const fs::path& include) {
  for (const char* header :
       {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h", "torch/version.h"}) {
    auto text = driver::read_file((include / header).string());
    if (!text) continue;
    const std::string major = definition(*text, "TORCH_VERSION_MAJOR"),
                      minor = definition(*text, "TORCH_VERSION_MINOR");
    if (!major.empty() && !minor.empty()) return major + "." + minor;
  }
  return "";
}

// The folder with torch's headers: include/ beside the library's folder, or beside one further up.
static fs::path headers_of(const fs::path& library) {
  for (fs::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (is_there(folder / "include/torch/csrc/autograd/engine.h")) return folder / "include";
  return {};
}

static std::string cuda_headers_of(const fs::path& library) {
  if (!is_there(library.parent_path() / "libc10_cuda.so")) return "";
  for (fs::path folder : {fs::path("/usr/local/cuda/include"), fs::path("/usr/include")})
    if (is_there(folder / "cuda_runtime_api.h")) return folder.string();
  return "";
}

Result<TorchInstall> torch_at(const std::string& path) {
  fs::path library = path;
  for (fs::path candidate : {fs::path(path) / kLibraryName, fs::path(path) / "lib" / kLibraryName})
    if (is_there(candidate)) library = candidate;
  std::error_code error;
  library = fs::canonical(library, error);
  if (error || !fs::is_regular_file(library, error))
    return Error{path + ": neither a " + kLibraryName + " nor a folder with one"};
  TorchInstall torch;
  torch.library = library.string();
  const fs::path include = headers_of(library);
  torch.version = version_of(include);
  if (include.empty() || torch.version.empty())
    return Error{"the headers of the LibTorch in " + library.parent_path().string() +
                 " are missing: install them (Debian: libtorch-dev)"};
  torch.include = include.string();
  torch.needs_cxx20 = is_there(include / "torch/headeronly/version.h");
  torch.cuda_include = cuda_headers_of(library);
  auto config =
      driver::read_file((library.parent_path().parent_path() / "share/cmake/Torch/TorchConfig.cmake").string());
  torch.old_abi = config && config->find("_GLIBCXX_USE_CXX11_ABI=0") != std::string::npos;
  return torch;
}

Result<TorchInstall> torch_of_python(const std::string& python) {
  // Where there is no /proc, the package's own folder is the best guess.
  static constexpr const char* kScript =
      "import os, torch\n"
      "found = os.path.join(os.path.dirname(torch.__file__), 'lib')\n"
      "if os.path.exists('/proc/self/maps'):\n"
      "    for line in open('/proc/self/maps'):\n"
      "        path = '/' + line.rstrip('\\n').partition('/')[2]\n"
      "        found = path if os.path.basename(path).startswith('libtorch_cpu.') else found\n"
      "print(found)\n";
  auto done = run_quietly({.words = {python, "-c", kScript}});
  if (!done) return done.error();
  if (done->status != 0) return Error{python + " cannot import torch"};
  std::string path = done->text;
  while (path.ends_with('\n')) path.pop_back();
  return torch_at(path);
}

std::string torch_library_of_program(const std::string& program) {
#ifdef __linux__
  std::ifstream file(program, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof magic);
  if (std::string_view(magic, 4) !=
      "\x7f"
      "ELF")
    return "";
  // The dynamic loader lists what it would load, and ends before the program begins.
  auto listed = run_quietly({.words = {program}, .environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}}});
  if (!listed) return "";
  std::istringstream lines(listed->text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find("=> /");
    if (line.find("libtorch_cpu") == std::string::npos || arrow == std::string::npos) continue;
    return line.substr(arrow + 3, line.rfind(" (") - arrow - 3);
  }
#else
  static_cast<void>(program);
#endif
  return "";
}

}  // namespace deadgrad::probing
