#include "frontends/cpp/torch_install.h"

#include <algorithm>
#include <string_view>

#include "frontends/cpp/paths.h"

namespace deadgrad::cpp {

static constexpr std::string_view kApi = "torch/csrc/api/include";

bool holds_torch(llvm::vfs::FileSystem& files, const std::string& folder) {
  // Other projects have a torch/ folder too; these are LibTorch's alone.
  if (is_regular_file(files, join_path(folder, "torch/csrc/api/include/torch/torch.h")) ||
      is_regular_file(files, join_path(folder, "torch/csrc/jit/api/module.h")) ||
      is_regular_file(files, join_path(folder, "ATen/ATen.h")))
    return true;
  return is_regular_file(files, join_path(folder, "torch/nn/module.h"));  // the folder of the C++ API itself
}

static bool is_compiler_folder(std::string_view folder) {
  return folder == "/usr/include" || folder == "/usr/local/include";
}

// The two folders below one include folder, if LibTorch is there.
static std::vector<std::string> folders_in(llvm::vfs::FileSystem& files, const std::string& include) {
  const std::string api = join_path(include, kApi);
  if (!is_regular_file(files, join_path(api, "torch/torch.h"))) return {};
  // The compiler searches its own folders last, and naming them breaks the order of the standard library's headers.
  if (is_compiler_folder(include)) return {api};
  return {include, api};
}

static std::vector<std::string> python_folders(llvm::vfs::FileSystem& files, const std::string& prefix) {
  std::vector<std::string> folders;
  for (std::string_view lib : {"lib", "lib64", "local/lib"}) {
    std::error_code error;
    const std::string parent = join_path(prefix, lib);
    for (auto entry = files.dir_begin(parent, error); !error && entry != llvm::vfs::directory_iterator();
         entry.increment(error)) {
      const std::string name(file_name(std::string_view(entry->path().data(), entry->path().size())));
      if (!name.starts_with("python")) continue;
      for (std::string_view packages : {"site-packages", "dist-packages"})
        folders.push_back(join_path(join_path(parent, name), packages));
    }
  }
  std::ranges::sort(folders, std::greater());  // the newest Python first, among those of one digit count
  return folders;
}

std::vector<std::string> torch_include_folders(llvm::vfs::FileSystem& files, const std::string& place) {
  std::string prefix = normal_path(place);
  if (prefix.ends_with("/share/cmake/Torch")) prefix = parent_path(parent_path(parent_path(prefix)));
  if (prefix.ends_with("/torch/csrc/api/include")) prefix.resize(prefix.size() - kApi.size() - 1);
  for (std::string_view below : {"include", "", "torch/include", "libtorch/include"})
    if (auto found = folders_in(files, below.empty() ? prefix : join_path(prefix, below)); !found.empty()) return found;
  for (const std::string& packages : python_folders(files, prefix))
    if (auto found = folders_in(files, join_path(packages, "torch/include")); !found.empty()) return found;
  return {};
}

std::vector<std::string> find_torch(llvm::vfs::FileSystem& files, const std::string& root,
                                    const std::vector<std::string>& hints) {
  std::vector<std::string> places = hints;
  for (std::string_view below :
       {"libtorch", "third_party/libtorch", "thirdparty/libtorch", "3rdparty/libtorch", ".venv", "venv", "env"})
    places.push_back(join_path(root, below));
  for (std::string_view system : {"/usr/local/libtorch", "/opt/libtorch", "/usr/local", "/usr"})
    places.emplace_back(system);
  for (const std::string& place : places)
    if (auto found = torch_include_folders(files, place); !found.empty()) return found;
  return {};
}

}  // namespace deadgrad::cpp
