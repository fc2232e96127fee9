// The whole analysis as one function: modules and API knowledge in, findings out. No I/O, no globals, deterministic:
// the order of `modules` does not matter to the result.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/model/api_model.h"

namespace deadgrad {

struct AnalysisOptions {
  bool include_tests = false;  // report in test code too (it is always read for context)
};

struct AnalysisStatistics {
  std::size_t modules = 0, functions = 0, events = 0;
  std::size_t relevant_functions = 0, contexts = 0, forward_sites = 0, unknown_sites = 0;
};

}  // namespace deadgrad
