// How the text form names functions, and what it may leave unsaid because the qualified name says it. Shared by the
// printer and the parser: the printer writes exactly what the parser could not guess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

// "Sampler.denoise" -> "denoise", "ns::f" -> "f"; separators within <…> do not count.
std::string_view last_component(std::string_view qualified);

// The functions of one module by qualified name. Indexes are those of add() calls.
class FunctionNames {
 public:
  static constexpr std::uint32_t kNone = ~0u;       // no function has this name
  static constexpr std::uint32_t kAmbiguous = ~1u;  // several have

  void add(FunctionKind kind, std::string_view qualified);
  // The module body has no name: it is never found here.
  std::uint32_t find(std::string_view qualified) const;
  // The class body or function that the qualified name says it stands in; else the module body (kNone if there is
  // none).
  std::uint32_t default_parent(std::uint32_t function) const;

 private:
  struct Entry {
    FunctionKind kind;
    std::string qualified;
  };
  std::uint32_t find_enclosing(std::string_view qualified, bool is_class) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_name_;
  std::uint32_t module_body_ = kNone;
};

}  // namespace deadgrad::ir
