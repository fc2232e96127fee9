// What there is to parse in a C++ project: units with their flags. Plain data, free of LLVM.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/result.h"

namespace deadgrad::cpp {

struct Unit {
  std::string path;                    // absolute path of the main file
  std::string directory;               // in which the command runs
  std::vector<std::string> arguments;  // -std first, then -I -isystem -D -U -include …; no compiler, input or output
  bool is_header = false;              // to be read by itself, with -x c++
  bool is_cuda = false;                // to be read as C++ (-x c++); the attributes of CUDA are defined away
  bool from_database = false;          // the flags are its entry's, or those of the entry nearest to it
  bool real_torch = false;             // the flags name real LibTorch headers
  bool context = false;                // not asked for itself: read for the headers it covers
  bool without_torch_include = false;  // no torch include is seen with these flags, here or in a project header
  std::vector<std::string> covers;     // the headers among ProjectOptions::files that it includes
  // Macros that would make a torch include seen when none is, as -D arguments.
  std::vector<std::string> torch_definitions;
  std::vector<std::string> notes;                          // what was dropped or guessed, for the user
  std::vector<std::pair<std::string, std::string>> texts;  // read instead of what is on disk, by absolute path; sorted
};

struct ProjectOptions {
  std::string root;                       // absolute
  std::vector<std::string> files;         // absolute paths of C++ files to report on (sources and headers)
  std::vector<std::string> all_files;     // all C++ files below the root, read for context
  std::string database;                   // -p: a folder or a compile_commands.json; empty: look for one
  std::string torch;                      // --torch: empty (stub), "auto", or a path to a LibTorch or a prefix
  std::vector<std::string> torch_places;  // for "auto": Torch_DIR and the parts of CMAKE_PREFIX_PATH
};

struct Project {
  std::vector<Unit> units;  // sorted by path
  std::vector<std::string> notes;
  std::string database;           // the one that was used
  std::size_t without_torch = 0;  // files that need no parse: no torch in them or in what they include
};

// The same on the files of this machine: project.h says how. An error when `torch` or `database` names something that
// is not there.
Result<Project> find_units(const ProjectOptions& options);

// Values for -std in the order in which they are worth trying; the first is the unit's own. One alone when it is known.
std::vector<std::string> standards_to_try(const Unit& unit);

}  // namespace deadgrad::cpp
