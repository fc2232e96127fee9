// Paths as text, always with '/', and files read through LLVM's virtual file system. Used by the parts of the C++
// frontend that find out what to compile.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

std::string normal_path(std::string_view path);  // without `.` and `..` parts and without a slash at the end
bool is_absolute_path(std::string_view path);
std::string absolute_path(std::string_view path, std::string_view directory);
std::string join_path(std::string_view directory, std::string_view name);

std::string_view parent_path(std::string_view path);  // of "/" it is "/"
std::string_view file_name(std::string_view path);
std::string_view file_stem(std::string_view path);
std::string_view file_extension(std::string_view path);  // with its dot; empty when there is none

// Whether `inner` is `outer` or lies below it; both are normal.
bool is_below(std::string_view inner, std::string_view outer);

// How many folders from "/" on two normal paths share.
std::size_t common_depth(std::string_view a, std::string_view b);

bool is_source_file(std::string_view path);  // C++ or CUDA that is compiled by itself
bool is_cuda_file(std::string_view path);    // a source or a header

// Files that are larger say nothing that is worth their reading.
inline constexpr std::size_t kMaxTextBytes = 4u << 20;

bool is_regular_file(llvm::vfs::FileSystem& files, const std::string& path);

// The bytes of a regular file of at most `max_bytes`; never blocks on a pipe or device.
std::optional<std::string> read_text(llvm::vfs::FileSystem& files, const std::string& path,
                                     std::size_t max_bytes = kMaxTextBytes);

}  // namespace deadgrad::cpp
