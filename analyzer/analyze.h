// The whole analysis as one function: modules and API knowledge in, findings out. No I/O, no globals, deterministic:
// the order of `modules` does not matter to the result.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/model/api_model.h"
#include "analyzer/model/torch_version.h"

namespace deadgrad {

struct AnalysisOptions {
  bool include_tests = false;  // report in test code too (it is always read for context)
  // The PyTorch that a module is written for, by its path; without one, the newest.
  std::map<std::string, model::TorchVersion, std::less<>> torch_versions;
};

struct AnalysisStatistics {
  std::size_t modules = 0, functions = 0, events = 0;
  std::size_t relevant_functions = 0, contexts = 0, forward_sites = 0, unknown_sites = 0;
};

}  // namespace deadgrad
