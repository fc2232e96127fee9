// compile_commands.json: where it lies, and the commands in it. It is data from a build we know nothing about, possibly
// huge, stale or broken; what cannot be read is left out and said.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cpp/flags.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

// The file that `wanted`, a folder or a file, means; with an empty `wanted` the one that belongs to `root`.
std::optional<std::string> find_database(const std::string& wanted, const std::string& root,
                                         llvm::vfs::FileSystem& files);

class Database {
 public:
  // Keeps the entries of existing files below `root`; of several for one file the first.
  Database(const std::string& path, const std::string& root, llvm::vfs::FileSystem& files);

  bool empty() const { return entries_.empty(); }
  const std::vector<std::string>& notes() const { return notes_; }

  // The file whose flags serve for `path`: itself, or the nearest of its kin; null when there is none.
  const std::string* flags_owner(const std::string& path) const;

  RecordedCommand command_of(const std::string& owner) const;

 private:
  struct Entry {
    std::string directory;
    std::string_view json;  // its text in buffer_
  };

  void read(std::string_view text);
  void add(std::string_view object);
  void index();

  std::string folder_;
  std::string root_, real_root_;
  llvm::vfs::FileSystem& files_;
  std::unique_ptr<llvm::MemoryBuffer> buffer_;
  std::map<std::string, Entry> entries_;  // by absolute path
  std::map<std::string, std::vector<const std::string*>, std::less<>> by_stem_;
  std::map<std::string, std::vector<const std::string*>, std::less<>> by_folder_;
  std::map<std::string, const std::string*, std::less<>> below_folder_;  // the first path below each folder
  std::vector<std::string> notes_;
  std::size_t broken_ = 0, missing_ = 0;
};

}  // namespace deadgrad::cpp
