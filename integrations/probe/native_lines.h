// Names native code: module and offset to source lines, by addr2line and the program's debug information.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "integrations/probe/measurement.h"

namespace deadgrad::probing {

using NativeAddress = std::pair<std::string, std::uint64_t>;  // module, offset

// Innermost first: inlined functions give several lines. What has no line is left out.
std::map<NativeAddress, std::vector<CodeLine>> native_lines(const std::vector<NativeAddress>& addresses);

// Of LibTorch, the probe or the system: no line of the user's.
bool is_library_module(const std::string& module);

}  // namespace deadgrad::probing
