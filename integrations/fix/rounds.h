// Fixes what was found, round after round, until nothing is left that can be fixed: each round's program is analysed
// again, and a fix that does not take its finding away, or brings another, is taken back. Nothing here writes a file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "integrations/driver/check.h"

namespace deadgrad::fix {

// The findings of the program in which these texts stand for what is on disk.
using Analyse = std::function<Result<driver::CheckResult>(const driver::Texts&)>;

struct FixedFile {
  std::string path;       // as findings name it
  std::string open_path;  // where it is
  std::string before, after;
};

struct Outcome {
  driver::CheckResult result;    // what is left
  std::vector<FixedFile> files;  // by path
  std::size_t fixed = 0;         // findings
};

// With `unsafe` also the fixes that are marked so, once no safe one is left.
Result<Outcome> fix_all(const Analyse& analyse, bool unsafe);

}  // namespace deadgrad::fix
