// A recorded compile command, reduced to the flags that decide how the text is read. Nothing in a command is ever run
// or loaded; whatever is not known to be harmless is dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/VirtualFileSystem.h"

namespace deadgrad::cpp {

struct RecordedCommand {
  std::string directory;
  std::vector<std::string> arguments;  // with the compiler, and what launches it
};

struct Flags {
  std::vector<std::string> arguments;  // paths are absolute; no -std among them
  std::string standard;                // "gnu++17": as given, or what the recorded compiler takes by default
  bool is_cuda = false;                // the command says so, whatever the file is called
  std::vector<std::string> notes;
};

// Response files are read below `root` only.
Flags sanitise(const RecordedCommand& command, const std::string& root, llvm::vfs::FileSystem& files);

// A `command` string as its shell would split it.
std::vector<std::string> split_command(std::string_view command);

// The number in "gnu++2a", 20; 0 when it names no C++ standard.
unsigned standard_number(std::string_view standard);

// The folders that -I, -iquote, -isystem and -idirafter name, in the order of the arguments.
std::vector<std::string> include_folders(const std::vector<std::string>& arguments);

}  // namespace deadgrad::cpp
