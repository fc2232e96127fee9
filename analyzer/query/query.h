// The rules' only window on the analysis: leaks (forwards whose graph nobody will need, grouped by the declaration that
// is missing), guards that have no effect, and what is known around them. Plain data, computed once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyze.h"
#include "analyzer/findings/finding.h"

namespace deadgrad {

// How memory grows by a leak.
enum class Growth : std::uint8_t {
  None,     // each forward's activations are kept until its result is dropped
  Kept,     // results are stored with their graphs in something that outlives the iteration
  Summed,   // a running sum keeps each step's graph
  Carried,  // a loop feeds its own output back: the graph grows with each step
};

// One forward with autograd on whose graph reaches no backward.
struct LeakSite {
  Location where;
  std::string callee;    // "model.denoise"
  std::string function;  // qualified name of the function around it
  Growth growth = Growth::None;
  std::optional<Location> loop;                                // the loop that makes it grow, or around it
  std::optional<Location> keeper;                              // the append, store or sum that keeps the graph
  std::string keeper_name;                                     // "outs", "self.history"
  std::vector<std::pair<Location, std::string>> more_keepers;  // of the same loop
  std::string why;                                             // "only `argmax` and `.item()` read its result"
  bool in_loop = false;                                        // some loop runs around it on the path
  bool dropped = false;                                        // its result is read by nothing but sinks at once
  bool trial = false;             // its input is made from constants, once: the author tries the module out
  bool in_training_step = false;  // the same turn of the innermost loop, or the function, also trains
  bool may_be_frozen = false;     // before the module was saved: then its forward builds no graph
  bool after_eval = false;        // the module was put into eval mode before: eval is no guard
};

// A guard that covers no forward although one follows.
struct MissedGuard {
  Location where;
  std::string text;  // "the block under it ends before the forward"
  std::optional<FixRequest> fix;
};

// A guard that is in force on the thread that starts the forward's thread, where it does nothing for the forward.
struct OtherThreadGuard {
  Location guard;
  std::string text;          // "torch.no_grad"
  Location start;            // where the thread starts, or the handler that a framework runs on one
  bool handed_over = false;  // `start` hands a callback to code that is not in view
};

// What turns autograd on again under a guard.
struct SwitchedOn {
  Location where;
  std::string text;  // "torch.inference_mode(False)"
  Location guard;    // the guard around it
  std::string guard_text;
  std::optional<FixRequest> fix;
};

// The sites that one declaration would cover.
struct Leak {
  std::vector<LeakSite> sites;   // by (path, offset)
  Growth growth = Growth::None;  // the worst of the sites
  bool certain = true;           // the fate is proven; else evidence speaks for it
  std::vector<PathStep> path;    // shortest witness to the first site
  std::optional<FixRequest> fix;
  // At most one of these says which guard there is and why it does not help.
  std::optional<MissedGuard> missed_guard;
  std::optional<OtherThreadGuard> other_thread;
  std::optional<SwitchedOn> switched_on;
  // A guard was meant to cover the forward and is lost on the way: that is what to tell, however memory grows.
  bool guard_is_lost() const { return other_thread || switched_on; }
};

// What keeps the graphs of forwards that train, step after step, though only their numbers are read.
struct KeptGraph {
  Location where;        // the append, store or sum, or the call that does it
  std::string function;  // around it
  Location kept_at;      // the append, store or sum
  std::string keeper;    // "total", "self.history"
  bool sums = false;     // a running sum
  Location loop;
  Location forward;
  std::string callee;  // "model"
  std::optional<FixRequest> fix;
};

struct BrokenGuard {
  enum class Kind : std::uint8_t {
    Discarded,
    Declared,
    NotCalled,
    OnAsync,
    OnClass,
    OnBareName,  // a decorator without parentheses, which the oldest PyTorch that the project allows does not know
    EnteredAndDropped,
    DeadFlag
  } kind = Kind::Discarded;
  Location where;
  std::string guard;            // as written, "torch.no_grad"
  std::string function;         // around it
  std::string since;            // OnBareName: the release that knows it
  std::vector<LeakSite> sites;  // forwards behind it in the same function, which it was meant for
  std::optional<FixRequest> fix;
};

// A guard or switch of the grad mode that is wrong where it stands, for another reason than having no effect.
struct GuardIssue {
  enum class Kind : std::uint8_t {
    AroundTraining,     // backward is called on what was made under it
    LeftOff,            // … after a switch that nothing switches back
    SavedForBackward,   // what inference mode made goes into an operation that trains
    ChangedInPlace,     // … is written to outside inference mode
    YieldsInside,       // a generator yields under it: it holds for the consumer too
    ReturnsGenerator,   // what is returned under it runs when it is iterated, after it has ended
    SwitchedOnInside,   // a module turns autograd on for its layers, though its caller is guarded
    Redundant,          // an equal or stronger guard holds there already
    BelowEntry,         // several work below a function that one could be declared on: that function
    InferenceModeFits,  // it works, and nothing needs it to be the weaker kind
  } kind = Kind::AroundTraining;
  Location where;
  std::string guard;     // as written, "torch.no_grad"
  std::string function;  // around it
  std::string callee;    // the forward, backward, … that it is about
  bool trains = false;   // training code is hit by it
  std::vector<RelatedLocation> related;
  std::optional<FixRequest> fix;
};

// What the analysis thinks of a forward.
enum class Verdict : std::uint8_t {
  Proven,         // a leak
  Likely,         // … for which evidence speaks
  Trains,         // its graph reaches backward
  TrainsForSome,  // … for some callers; the others are told where they call
  Guarded,        // every path to it is under a guard
  GuardedInside,  // the library that runs it has a guard of its own
  Frozen,         // its module's parameters take no gradients
  WouldRaise,     // its result is read by what raises on a tensor with a graph: somebody sees to it
  MaybeNoModel,   // merely named or used like a model
  Unknown,        // nobody knows what becomes of its result, and too little speaks for inference
  InTests,        // only tests run it
  PartOfForward,  // a layer in a module's own forward: whoever calls that module decides
  NoGraph,        // a module without parameters, or one that builds no graph
  NotReached,     // no entry point leads to it
};

// A forward, or a call that might be taken for one, and why it is reported or quiet.
struct Explanation {
  Location where;
  std::string callee, function;
  Verdict verdict = Verdict::Unknown;
  std::string text;                    // "its graph reaches `loss.backward`"
  std::vector<RelatedLocation> facts;  // what proves it, in the order of the path
  std::vector<std::string> evidence;   // where nothing is proven: "+2 nothing in the project trains"
};

class Query {
 public:
  const std::vector<Leak>& leaks() const { return leaks_; }
  const std::vector<KeptGraph>& kept_graphs() const { return kept_graphs_; }
  const std::vector<BrokenGuard>& broken_guards() const { return broken_guards_; }
  const std::vector<GuardIssue>& guard_issues() const { return guard_issues_; }

 private:
  friend class QueryBuilder;
  std::vector<Leak> leaks_;
  std::vector<KeptGraph> kept_graphs_;  // by place
  std::vector<BrokenGuard> broken_guards_;
  std::vector<GuardIssue> guard_issues_;
};

// The linked program and all that was found out about it; opaque outside the analyzer.
struct AnalysisState;

struct Analysis {
  Analysis();
  ~Analysis();
  AnalysisStatistics statistics;
  Query results;
  const Query& query() const { return results; }

  // Kept for as long as the answers are: further questions need it, and a program that ends need not take it apart.
  std::unique_ptr<AnalysisState> state;
};

// Never fails. `api` must outlive the result.
std::unique_ptr<Analysis> analyze(std::vector<ir::Module> modules, const model::ApiModel& api,
                                  const AnalysisOptions& options);

// A guard that covers forwards, each of them in code that is no test.
struct GuardUse {
  Location where;  // the decorator's or the scope's expression, or the switch
  std::string guard;
  std::vector<Location> forwards;  // that run in the mode which it sets
  bool is_needed = false;          // some path comes to it with autograd on
};
// In source order.
std::vector<GuardUse> guard_uses(const Analysis& analysis);

// Of every forward that begins within these bytes of a file, in source order.
std::vector<Explanation> explain(const Analysis& analysis, const Location& where);

}  // namespace deadgrad
