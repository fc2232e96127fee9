// Valid modules made from a seed, through Builder as a frontend makes them: every Op, nested functions and classes,
// awkward names. The same seed gives the same module everywhere.
#pragma once

#include <cstdint>
#include <random>

#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

// Numbers below `limit`; unlike std's distributions the same with every standard library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

Module random_module(std::uint32_t seed);

}  // namespace deadgrad::ir
