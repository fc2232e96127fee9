// Where the graph of a value goes: forward reachability over def-use edges, through containers, attributes, calls and
// returns. `Trace` is what happens inside one function, `Fate` the verdict once callers are taken into account.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/inference.h"
#include "analyzer/engine/item_keys.h"
#include "analyzer/engine/kills.h"
#include "analyzer/engine/modes.h"

namespace deadgrad::engine {

enum class Tri : std::uint8_t { No, Unknown, Yes };

// Why a fate is not known.
enum UnknownReason : std::uint8_t {
  kReturnedToUnknown = 1,   // the caller is not in view
  kPassedAsStatement = 2,   // to a call that is not in view and whose result nobody reads: it may well call backward
  kPassedInExpression = 4,  // to a call that is not in view and whose result is read
};

// An event of a function.
struct Place {
  FuncId function;
  std::uint32_t event = 0;
};

// What writing a graph into something does to it.
struct Write {
  bool replaces = false;  // what was there before, so that nothing grows
  bool mutates = false;   // a tensor, or one element of a container
  bool sums = false;      // a tensor keeps its own graph beside the new one
};

struct Kept {
  std::uint32_t event;                      // local index of the append, item or attribute store, or call
  ValueNo container = kNoValue;             // root in this function, if local
  CellKey cell{CellKind::Param, ~0u, ~0u};  // else the attribute or global
  int parameter = -1;                       // else the parameter
  Write write;
};

// A place that a graph is stored in, and the function that does it; none where it makes no difference.
struct Stored {
  CellKey cell;
  FuncId by;
  auto operator<=>(const Stored&) const = default;
};

// A loop variable that grows by what is added to it.
struct Accumulation {
  std::uint32_t loop;
  std::uint32_t at;  // the sum or concatenation
  bool sums = false;
};

// An attribute, global or captured name that keeps graphs of earlier calls beside a new one.
struct Growing {
  CellKey cell;
  Place at;                     // the store, append or sum
  Place via;                    // in the traced function: the same, or the call below which it is
  ValueNo argument = kNoValue;  // of that call
  bool sums = false;
  friend bool operator<(const Growing& a, const Growing& b) { return a.key() < b.key(); }
  friend bool operator==(const Growing& a, const Growing& b) { return a.key() == b.key(); }

 private:
  std::tuple<FuncId, std::uint32_t, FuncId, std::uint32_t, CellKey> key() const {
    return {via.function, via.event, at.function, at.event, cell};
  }
};

// What the graph of one value meets inside a function and its callees.
struct Trace {
  bool backward = false;
  Place backward_at;
  Place unknown_at;  // the first call that is not in view
  bool returned = false;
  std::uint16_t positions =
      0;  // of a returned tuple that hold it; bit 15 stands for all further ones; all bits: the result itself
  std::uint16_t into_parameters = 0;  // containers among the parameters that it is put into
  std::uint8_t unknown = 0;           // UnknownReason bits
  std::vector<Stored> cells;          // places it is stored in, sorted
  std::vector<Growing> growing;       // … and that grow by it, sorted
  std::set<std::string> sinks;        // what only reads it: "argmax", ".item()", "print"
  bool detached = false;              // a tensor without its graph was made of it (`.detach()`, `.argmax()`)
  bool read_as_tensor = false;        // read by what only tensors have and what ends their graphs
  bool raises = false;  // reached something that raises on a value with a graph: the proof that it has none
  Place raises_at;

  // Only for the function of the traced value itself:
  std::vector<Kept> kept;
  bool carried_by_place = false;     // it comes back to its own call through an attribute, a global, a parameter
  std::uint32_t carried_loop = ~0u;  // the loop through which it comes back to its own call
  std::vector<Accumulation> accumulations;
  bool survives_turn = false;  // some loop variable holds it
};

struct Fate {
  Tri tri = Tri::No;
  std::uint8_t unknown = 0;
  Place at;  // Yes: a call of backward; Unknown: a call that is not in view; if there is one
};

class Flow {
 public:
  // What a graph may reach, so that what is not met is certain. `Surely`: only what it certainly reaches, nothing
  // that is merely not known to drop it.
  enum class Reaches : std::uint8_t { Maybe, Surely };
  Flow(const Inference& inference, Modes& modes, Reaches reaches = Reaches::Maybe);

  const Trace& trace(FuncId f, ValueNo value);
  // … where parameters have known values: branches that these rule out are not taken.
  const Trace& trace(FuncId f, ValueNo value, const Bindings& bindings);
  // The fate of a value over all callers.
  Fate anywhere(FuncId f, ValueNo value);
  // What becomes of the results of `f`, over all callers.
  Fate results_of(FuncId f);
  Fate of_cell(const CellKey& key);
  // Combines a trace with the fate of the function's results and of its mutated parameters in one context. What it
  // stores in an attribute is met there again in the same context, and wherever no overwriting comes between.
  Fate combine(FuncId f, const Trace& trace, Fate results);
  // Does the graph of a forward begun inside `f` reach its result? (Module methods that run their layers.)
  bool returns_fresh_graph(FuncId f);
  // … in which positions of a tuple it returns. All bits if it returns the value itself.
  std::uint16_t fresh_positions(FuncId f);
  // Does a module's forward build a graph at all, whether or not its result carries it out?
  bool forward_builds_graph(FuncId f);

  struct Caller {
    FuncId function;
    std::uint32_t event;
    CallTarget target;
  };
  const std::vector<Caller>& callers(FuncId f) const { return callers_[f.index]; }
  // Who reads a value: events or phis of `f`, each with the number of the operand.
  std::vector<std::pair<std::uint32_t, std::uint16_t>> readers(FuncId f, ValueNo value);
  // Does a call of `f` get as an argument what is stored in one of these places?
  bool comes_back(FuncId f, const std::vector<Stored>& cells, std::uint32_t call);
  // Values that a container or object expression may be: local roots, cells, parameters.
  struct Root {
    ValueNo local = kNoValue;
    CellKey cell{CellKind::Param, ~0u, ~0u};
    int parameter = -1;
  };
  std::vector<Root> roots(FuncId f, ValueNo value) const;
  // The argument number that a call binds to `parameter` of a target, or kNoValue.
  ValueNo argument_for(FuncId f, std::uint32_t call_event, const CallTarget& target, std::uint32_t parameter) const;

 private:
  struct Uses {
    std::vector<std::uint32_t> first;                           // CSR by value number
    std::vector<std::pair<std::uint32_t, std::uint16_t>> list;  // (user: event or phi value number, operand)
  };
  struct Load {
    FuncId function;
    std::uint32_t event;
    std::vector<CellKey> cells;
  };
  const Uses& uses(FuncId f);
  void index();
  std::vector<const Load*> loads_of(const CellKey& key) const;
  // With `context`, the fate of the results of `f` in the context at hand; else over all contexts.
  Fate combine(FuncId f, const Trace& trace, Fate results, const Fate* context);
  Fate of_stored(const Stored& stored, const Fate* context);
  Fate of_load(const Load& load, FuncId storing, const Fate* context);
  bool is_shielded(const Shield& shield, FuncId storing, const Fate* context);
  // Callers below which a load may meet what is stored elsewhere, and the fate of a function's results there.
  struct OpenCallers {
    bool any = true, all = true;
    Fate results;  // unless all
  };
  OpenCallers open_callers(FuncId f, std::uint32_t event, const Access& access, FuncId storing, const Fate* context,
                           int depth);
  Fate of_result_at(const Caller& caller);
  void run(FuncId f, ValueNo start, const Bindings& bindings, Trace& out);
  // The values of a function that hold the graph.
  struct Walk {
    std::vector<char> seen;     // by value number
    std::vector<ValueNo> phis;  // among them
    bool back_at_start = false;
    bool through_item = false;  // it was read as an item of something
  };
  Walk walk(FuncId f, ValueNo start, const Bindings& bindings, Trace& out);
  Walk walk_once(FuncId f, ValueNo start, const Bindings& bindings, ItemKeys& items, Trace& out);
  ItemKeys::Key item_key(FuncId f, ValueNo index) const;
  ItemKeys::Key stored_key(FuncId f, std::uint32_t event) const;
  ValueNo assigned(FuncId f, ValueNo value) const;
  void find_carry(FuncId f, std::uint32_t start, const Walk& walk, Trace& out);
  void find_loop_carry(FuncId f, std::uint32_t start, const Walk& walk, Trace& out);
  void find_accumulation(FuncId f, std::uint32_t start, ValueNo phi, const Walk& walk, Trace& out);
  void find_mutation(FuncId f, std::uint32_t start, const Kept& kept, Trace& out);
  const std::vector<std::uint32_t>& calls_fed_by(FuncId f, ValueNo from);
  bool feeds(FuncId f, ValueNo from, std::uint32_t call);
  bool feeds(FuncId f, const CellKey& cell, std::uint32_t call);
  bool is_guarded(FuncId f, std::uint32_t event);
  bool through_call(FuncId f, std::uint32_t event, std::size_t operand, Trace& out, std::vector<ValueNo>& work,
                    std::uint16_t& positions);
  bool through_method(FuncId f, std::uint32_t event, Trace& out);
  bool is_cut_by_argument(FuncId f, std::uint32_t event, const model::Effect& effect) const;
  void keep(FuncId f, std::uint32_t event, ValueNo container, Write write, Trace& out, std::vector<ValueNo>& work);
  void keep_at(FuncId f, std::uint32_t event, const Root& root, Write write, Trace& out, std::vector<ValueNo>& work);
  void write_in_place(FuncId f, std::uint32_t event, Trace& out, std::vector<ValueNo>& work);
  void write_by_method(FuncId f, std::uint32_t call, model::InPlace how, Trace& out, std::vector<ValueNo>& work);
  Write item_write(FuncId f, std::uint32_t event) const;
  // The event that stands for a parameter.
  ValueNo parameter_value(FuncId f, std::uint32_t parameter) const;
  bool adds_to(FuncId f, ValueNo value, const ir::Event& store) const;
  bool is_optional(FuncId f, ValueNo callee) const;
  void store_cell(FuncId f, const CellKey& key, Trace& out) const;
  // What a call in `at` does with the value.
  static void merge(Trace& into, const Trace& from, Place at, ValueNo argument);
  static void raise_at(FuncId f, std::uint32_t event, Trace& out);
  static void end_in_backward(FuncId f, std::uint32_t event, Trace& out);

  // Calls within calls that are followed before the answer is "unknown": bounds the stack, not the truth.
  static constexpr int kMostDepth = 120;
  int depth_ = 0;
  // Values visited by all traces of one function before the rest is "unknown": thousands of forwards in one function
  // would otherwise cost the square of their number.
  static constexpr std::size_t kMostWalked = 6'000'000;
  std::unordered_map<FuncId, std::size_t> walked_;

  const Inference& inference_;
  const Program& program_;
  Modes& modes_;
  const bool sure_;
  Kills kills_;
  std::vector<std::vector<Caller>> callers_;
  std::unordered_map<NameId, std::vector<Load>> attribute_loads_;
  std::unordered_map<CellKey, std::vector<Load>, CellKeyHash> place_loads_;
  std::unordered_map<FuncId, Uses> uses_;
  using TraceKey = std::tuple<std::uint32_t, ValueNo, Bindings>;
  std::map<TraceKey, Trace> traces_;
  std::map<std::pair<std::uint32_t, ValueNo>, Fate> fates_;
  std::map<TraceKey, int> in_progress_;             // with the depth at which it began
  int lowest_open_ = kMostDepth + 1;                // the outermost trace in progress that the present one met
  std::vector<std::unique_ptr<Trace>> incomplete_;  // of members of cycles: not remembered, but references stay good
  std::size_t incomplete_count_ = 0;
  static constexpr std::size_t kMostIncomplete =
      2000;  // then they are remembered after all: bounds the work on large cycles
  std::map<std::pair<std::uint32_t, ValueNo>, std::vector<std::uint32_t>> fed_;
  std::unordered_map<CellKey, Fate, CellKeyHash> cell_fates_;
  // By place, and the fate of results in the context at hand (0: over all contexts).
  std::map<std::pair<Stored, int>, Fate> stored_fates_;
  std::map<std::tuple<FuncId, std::uint32_t, Access, FuncId, int>, OpenCallers> open_callers_;
  std::unordered_map<FuncId, Fate> result_fates_;
  std::unordered_map<FuncId, char> fresh_forwards_;
  std::unordered_map<FuncId, std::uint16_t> fresh_;
};

inline Fate join(Fate a, Fate b) {
  const bool second = b.tri > a.tri || (b.tri == a.tri && !a.at.function.valid());
  return {std::max(a.tri, b.tri), static_cast<std::uint8_t>(a.unknown | b.unknown), second ? b.at : a.at};
}

}  // namespace deadgrad::engine
