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
#include "frontends/cpp/reads.h"
#include "frontends/cpp/units.h"

namespace deadgrad::cpp {

// The name under which reports know a file, from its absolute path; empty for files that are none of the project's.
using NameFile = std::function<std::string(std::string_view absolute_path)>;

// The precompiled header for a unit's flags, or empty. Called from the thread that lowers the unit.
using HeaderFor = std::function<std::string(const Unit&)>;

struct LoweredUnit {
  std::vector<ir::Module> modules;  // the main file's first; empty if there is no reading the file
  unsigned errors = 0;
  std::vector<std::string> first_errors;  // "net.cpp:12:3: no member named …", at most three
  bool missing_headers = false;           // among the errors: headers that were not found
  unsigned torch_symbols = 0;             // how often the unit's own code names something of LibTorch
  std::string given_up;                   // why the compiler came to no end with the file, and there are no modules
  bool crashed = false;                   // the compiler, once at least: another run may tell more
  std::string unusable_header;            // a precompiled header that was left out: it does not fit any more
  Reads reads;                            // what all this rests on, but for what went into the precompiled headers
};

// Neither a crash nor a stack overflow of the compiler leaves this function: they cost the unit its modules.
LoweredUnit lower(const Unit& unit, const NameFile& name_file, const HeaderFor& header_for);

// Writes a precompiled header of LibTorch, the stub or the real one as the unit's flags want it, to `output`. The
// bodies of its functions are left out. False if that failed. `reads` is set to what it was made from.
bool make_precompiled_header(const Unit& unit, const std::string& output, Reads& reads);
// Whether a precompiled header that was kept still agrees with this compiler and with every header that went into it.
// lower() notices too, but then each unit is read without.
bool precompiled_header_fits(const Unit& unit, const std::string& precompiled_header);
// Under which a precompiled header may be kept and used again: it depends on the language, on Clang and on our stub;
// for real headers also on recorded macros, on where LibTorch lies and on its version. Zero where a unit needs none.
std::uint64_t precompiled_header_key(const Unit& unit);
// Changes with Clang and with the headers that are built in.
std::string compiler_identity();

}  // namespace deadgrad::cpp
