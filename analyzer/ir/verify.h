// Checks the invariants of ir.h that the engine relies on. Safe on arbitrary field values: the loader of cache files
// calls it on untrusted data, and everything behind it may index without looking.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

struct Problem {
  std::string text;     // a sentence without place
  EventId event;        // where, if it is about an event
  FunctionId function;  // where, if it is about a function or an event in one
};

// At most a hundred problems; none when the module is sound.
std::vector<Problem> find_problems(const Module& module);
// The same as text: "function 2 (Sampler.denoise), event 4 (call): operand 1 is not defined before it".
std::vector<std::string> verify(const Module& module);

}  // namespace deadgrad::ir
