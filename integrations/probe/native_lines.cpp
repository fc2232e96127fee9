#include "integrations/probe/native_lines.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "integrations/probe/process.h"

namespace deadgrad::probing {

bool is_library_module(const std::string& module) {
  const std::string name = std::filesystem::path(module).filename().string();
  for (const char* prefix : {"libtorch", "libc10", "libdeadgrad_probe", "libc.so", "libstdc++", "libgcc_s", "libm.so",
                             "ld-linux", "libgomp", "libpthread", "libpython"})
    if (name.starts_with(prefix)) return true;
  return name.empty();
}

static std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// With -a each address is printed on a line of its own, then pairs of lines: a function, and a file with its line.
static void read_answers(const std::string& text, const std::string& module,
                         std::map<NativeAddress, std::vector<CodeLine>>& lines) {
  std::istringstream in(text);
  std::string function, place;
  std::vector<CodeLine>* current = nullptr;
  while (std::getline(in, function)) {
    if (function.starts_with("0x")) {
      current = &lines[{module, std::strtoull(function.c_str(), nullptr, 16)}];
      continue;
    }
    if (!std::getline(in, place) || current == nullptr) return;
    place = place.substr(0, place.find(" (discriminator"));
    const std::size_t colon = place.rfind(':');
    if (colon == std::string::npos || place.starts_with("??")) continue;
    const int line = std::atoi(place.c_str() + colon + 1);
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(place.substr(0, colon), error);
    if (line > 0) current->push_back({file.string(), function, line});
  }
}

std::map<NativeAddress, std::vector<CodeLine>> native_lines(const std::vector<NativeAddress>& addresses) {
  std::map<std::string, std::set<std::uint64_t>> by_module;
  for (const auto& [module, offset] : addresses)
    if (!is_library_module(module)) by_module[module].insert(offset);
  std::map<NativeAddress, std::vector<CodeLine>> lines;
  for (const auto& [module, offsets] : by_module) {
    std::string input;
    for (std::uint64_t offset : offsets) input += hex(offset) + "\n";
    auto answered = run_quietly({.words = {"addr2line", "-a", "-f", "-C", "-i", "-e", module}, .input = input});
    if (!answered) {
      std::fprintf(stderr, "deadgrad: %s: native code is left without lines (install binutils)\n",
                   answered.error().message.c_str());
      break;
    }
    read_answers(answered->text, module, lines);
  }
  return lines;
}

}  // namespace deadgrad::probing
