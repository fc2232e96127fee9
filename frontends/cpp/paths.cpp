#include "frontends/cpp/paths.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace deadgrad::cpp {

static constexpr std::array<std::string_view, 9> kSourceExtensions = {".cpp", ".cc", ".cxx", ".c++", ".cp",
                                                                      ".cu",  ".C",  ".mm",  ".cppm"};

std::string normal_path(std::string_view path) {
  llvm::SmallString<256> text(llvm::StringRef(path.data(), path.size()));
  llvm::sys::path::remove_dots(text, /*remove_dot_dot=*/true, llvm::sys::path::Style::posix);
  std::string result(text.begin(), text.end());
  while (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
}

bool is_absolute_path(std::string_view path) {
  if (path.starts_with('/')) return true;
  return path.size() > 2 && path[1] == ':' && path[2] == '/';  // a drive: not here, but not relative either
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string absolute_path(std::string_view path, std::string_view directory) {
  return normal_path(is_absolute_path(path) ? std::string(path) : join_path(directory, path));
}

std::string_view parent_path(std::string_view path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view file_extension(std::string_view path) {
  std::string_view name = file_name(path);
  std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? "" : name.substr(dot);
}

std::string_view file_stem(std::string_view path) {
  std::string_view name = file_name(path);
  return name.substr(0, name.size() - file_extension(path).size());
}

bool is_below(std::string_view inner, std::string_view outer) {
  if (!inner.starts_with(outer)) return false;
  return inner.size() == outer.size() || outer.ends_with('/') || inner[outer.size()] == '/';
}

std::size_t common_depth(std::string_view a, std::string_view b) {
  std::size_t depth = 0;
  for (std::size_t i = 0;; ++i) {
    bool a_ends = i == a.size() || a[i] == '/', b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) ++depth;
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) return depth;
  }
}

bool is_source_file(std::string_view path) {
  return std::ranges::find(kSourceExtensions, file_extension(path)) != kSourceExtensions.end();
}

bool is_cuda_file(std::string_view path) {
  return file_extension(path) == ".cu" || file_extension(path) == ".cuh";
}

bool is_regular_file(llvm::vfs::FileSystem& files, const std::string& path) {
  auto status = files.status(path);
  return status && status->isRegularFile();
}

std::optional<std::string> read_text(llvm::vfs::FileSystem& files, const std::string& path, std::size_t max_bytes) {
  auto status = files.status(path);
  if (!status || !status->isRegularFile() || status->getSize() > max_bytes) return std::nullopt;
  auto buffer = files.getBufferForFile(path);
  if (!buffer || (*buffer)->getBufferSize() > max_bytes) return std::nullopt;
  return (*buffer)->getBuffer().str();
}

}  // namespace deadgrad::cpp
