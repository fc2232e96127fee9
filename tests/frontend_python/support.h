// Shared by the tests of the Python frontend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::python {

// Lowers `text` as the module pkg.mod and checks what must hold for every text: the verifier is content, every span
// lies within the text, strings are UTF-8.
ir::Module checked(std::string_view text);

// The IR without spans.
std::string printed(std::string_view text);

// Name and text of every file in cases/ with that ending, in the order of the names.
struct Case {
  std::string name, text;
};
std::vector<Case> cases(std::string_view ending);

// A small generator whose numbers are the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

}  // namespace deadgrad::python
