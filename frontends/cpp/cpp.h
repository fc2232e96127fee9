// The C++ frontend: one translation unit to the ir::Modules of its main file and of the project headers that it
// includes. The driver calls lower() once per unit, from any thread. Clang reads the unit; what it cannot understand is
// counted, and the rest is lowered all the same.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::cpp {

// The name under which reports know a file, from its absolute path; empty for files that are none of the project's.
using NameFile = std::function<std::string(std::string_view absolute_path)>;

// How to read one file.
struct Command {
  std::string path;       // absolute
  std::string directory;  // in which the flags were written
  std::vector<std::string> arguments;  // for the compiler, without its name, input and output
  bool torch_stubs = true;             // LibTorch as our stub headers; else as the flags find it
  std::string precompiled_header;      // a file that make_precompiled_header() wrote for these flags, or empty
};

struct LoweredUnit {
  std::vector<ir::Module> modules;  // the main file's first; empty if the file could not be opened
  unsigned errors = 0;
  std::vector<std::string> first_errors;  // "net.cpp:12:3: no member named …", at most three
  unsigned torch_symbols = 0;             // how often the unit's own code names something of LibTorch
  bool precompiled_header_failed = false;  // it was left out: it does not fit the compiler or the headers any more
};

LoweredUnit lower(const Command& command, const NameFile& name_file);

// Writes a precompiled header of the stub LibTorch for these flags to `output`. False if that failed.
bool make_precompiled_header(const Command& command, const std::string& output);
// Under which a precompiled header may be kept and used again: it depends on the flags, on our stub, and on Clang.
std::uint64_t precompiled_header_key(const Command& command);

}  // namespace deadgrad::cpp
