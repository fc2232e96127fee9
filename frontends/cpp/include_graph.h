// Which file of a project includes which, from the text of the include lines alone. Where no compile command says in
// which folders an include is looked for, the project's own files tell: one whose path ends with what is included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/cpp/build_hints.h"
#include "frontends/cpp/directives.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

using FileIndex = std::uint32_t;
using FolderIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = ~0u;

class IncludeGraph {
 public:
  IncludeGraph(std::string root, const std::vector<std::string>& all_files, llvm::vfs::FileSystem& files);

  FileIndex index_of(const std::string& path);  // of any file, known before or not
  const std::string& path_of(FileIndex file) const { return nodes_[file].path; }
  const std::string& folder_of(FolderIndex folder) const { return folders_[folder]; }

  // Reads everything that `starts` may include, by any candidate.
  void reach(const std::vector<FileIndex>& starts);

  // Over all that reach() has read: torch code is in the file or in what it may include, or may be in a header that is
  // not there.
  bool may_hold_torch(FileIndex file) const { return nodes_[file].may_torch; }

  bool is_included(FileIndex file) const { return !nodes_[file].includers.empty(); }

  // The source, nearest by steps and then by path, that may include `header`; kNone without any.
  FileIndex nearest_includer(FileIndex header) const;

  struct Walk {
    std::vector<FileIndex> files;      // the main file first
    std::vector<FolderIndex> folders;  // that had to be guessed, in the order in which they are to be searched
    std::size_t unresolved = 0;        // include lines, standard headers and LibTorch's aside
    bool torch_is_active = false;      // some torch include is seen without another definition
    std::vector<std::string> torch_definitions;  // else: those that would make one seen
  };

  // What a compiler would read for `main`, with the include folders of `arguments` first.
  Walk walk(FileIndex main, const std::vector<std::string>& arguments);

  // Whether a file in the folder is named like a standard header and would take its place.
  bool shadows_standard(FolderIndex folder) const { return shadowing_[folder]; }

  // What the build files of the folder of `file` and of those around it say.
  const BuildHints& hints_for(FileIndex file);

 private:
  struct Candidate {
    FileIndex file;
    FolderIndex folder;  // the include folder under which it is found
  };
  struct IncludeLine {
    Include include;
    std::size_t directive;  // index
    bool is_torch = false;
    bool is_standard = false;
    bool is_active = false;  // with no macro defined elsewhere
    FileIndex relative = kNone;
    std::vector<Candidate> candidates;  // the likeliest first
  };
  struct Node {
    std::string path;
    FolderIndex folder = kNone;
    bool is_read = false;
    bool is_reached = false;
    bool names_torch = false;  // in its text
    bool may_torch = false;
    bool includes_torch_active = false;
    bool includes_torch_inactive = false;
    bool sounds_like_torch = false;  // its text has words of a forward pass
    std::vector<Directive> directives;
    std::vector<IncludeLine> includes;
    std::vector<FileIndex> includers;
  };
  struct Simulation;

  FolderIndex folder_index(std::string_view folder);
  void list_folder(const std::string& folder);
  void read(FileIndex file);
  void resolve(FileIndex includer, IncludeLine& line);
  std::vector<Candidate> candidates_for(std::string_view included, std::string_view includer_folder);
  std::vector<Candidate> candidates_above(std::string_view included, std::string_view includer_folder);
  bool is_real_torch(FolderIndex folder);
  FileIndex choose(const IncludeLine& line, const std::unordered_map<FolderIndex, std::size_t>& order) const;
  void find_hidden_torch(FileIndex main, const std::vector<std::string>& arguments,
                         const std::unordered_map<FolderIndex, std::size_t>& order, Walk& walk);
  void simulate(FileIndex file, Simulation& state, std::size_t depth);
  void spread_torch();

  std::string root_;
  llvm::vfs::FileSystem& files_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, FileIndex> indices_;
  std::vector<std::string> folders_;
  std::vector<bool> shadowing_;
  std::vector<std::optional<bool>> real_torch_;
  std::map<std::string, FolderIndex, std::less<>> folder_indices_;
  std::unordered_map<std::string, std::vector<FileIndex>> by_name_;
  std::unordered_map<std::string, std::vector<Candidate>> resolved_;  // by includer's folder and included path
  std::vector<std::string> outer_folders_;                            // of the repository, around the root
  std::map<std::string, BuildHints, std::less<>> hints_;              // by folder with a build file
  std::map<std::string, BuildHints, std::less<>> collected_hints_;    // by folder, with those around it
};

}  // namespace deadgrad::cpp
