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
#include "frontends/cpp/units.h"

namespace deadgrad::cpp {

// The name under which reports know a file, from its absolute path; empty for files that are none of the project's.
using NameFile = std::function<std::string(std::string_view absolute_path)>;

struct LoweredUnit {
  std::vector<ir::Module> modules;  // the main file's first; empty if the file could not be opened
  unsigned errors = 0;
  std::vector<std::string> first_errors;   // "net.cpp:12:3: no member named …", at most three
  bool missing_headers = false;            // among the errors: headers that were not found
  unsigned torch_symbols = 0;              // how often the unit's own code names something of LibTorch
  bool precompiled_header_failed = false;  // it was left out: it does not fit the compiler or the headers any more
};

// `precompiled_header`: a file that make_precompiled_header() wrote for the unit's flags, or empty.
LoweredUnit lower(const Unit& unit, const NameFile& name_file, const std::string& precompiled_header);

// Writes a precompiled header of the stub LibTorch for the unit's language to `output`. False if that failed.
bool make_precompiled_header(const Unit& unit, const std::string& output);
// Under which a precompiled header may be kept and used again: it depends on the language, on our stub, and on Clang.
// Zero where the unit cannot use one: it reads real headers.
std::uint64_t precompiled_header_key(const Unit& unit);

}  // namespace deadgrad::cpp
