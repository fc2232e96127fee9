// The calls that phase A resolved, by name: what `deadgrad dev callgraph` prints, and what tests and benchmarks compare
// with call graphs that others made.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyzer/engine/inference.h"

namespace deadgrad::report {

// Callers and callees: modules, functions, and what libraries define. Who calls nothing is a key too.
using CallGraph = std::map<std::string, std::set<std::string>>;

// Of a program of Python modules (Reach::Everything). Names are PyCG's: `module.Class.method.nested`,
// `module.<lambda1>`, `<builtin>.print`,
// `<**PyStr**>.join`, `library.Class.method`.
CallGraph call_graph(const engine::Inference& inference);

std::string render_pycg(const CallGraph& graph);

}  // namespace deadgrad::report
