// Finds each backward whose value is proven to have no graph, because a guard was in force where it was made. Internal
// to the query room; one object serves one program.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "analyzer/engine/contexts.h"

namespace deadgrad {

class GraphProof {
 public:
  GraphProof(const engine::Inference& inference, engine::Modes& modes, engine::Flow& flow, engine::Contexts& contexts)
      : inference_(inference), program_(inference.program()), modes_(modes), flow_(flow), contexts_(contexts) {}

  struct Broken {
    engine::ModeState guard;
    FuncId function;
    std::uint32_t backward = 0;                             // local event
    std::vector<std::pair<FuncId, std::uint32_t>> origins;  // the guarded forwards, or operations if there are none
  };
  std::vector<Broken> run(bool include_tests);

 private:
  // One function on the way to a value: a context, or a call followed from one.
  struct Frame {
    FuncId function;
    engine::Mode mode = engine::Mode::On;
    engine::Bindings bindings;
    const Frame* parent = nullptr;
    std::uint32_t call_event = 0;  // in the parent
    const engine::CallTarget* target = nullptr;
    const engine::LoopTail* turn = nullptr;  // a later turn of this loop, whose end has left another mode
  };
  struct Origin {
    const Frame* frame;
    std::uint32_t event;
  };
  struct Source {
    const Frame* frame;  // in whose function the mode is set, or from whose entry on it holds
    engine::ModeState state;
  };
  Frame frame_of(engine::ContextId id);
  std::optional<Frame> enter(const Frame& from, std::uint32_t event, const engine::CallTarget& target);
  const engine::ModeState& state_at(const Frame& frame, std::uint32_t event);
  engine::Mode mode_at(const Frame& frame, std::uint32_t event);
  std::optional<Source> source_of(const Frame& frame, std::uint32_t event);
  bool feeds_module(FuncId f, engine::ValueNo source);
  bool reads(const Origin& call, FuncId f, engine::ValueNo source);
  bool all_free(const Frame& frame, const ir::Event& event, std::size_t first);
  bool parameter_is_free(const Frame& frame, std::uint32_t parameter);
  bool results_are_free(const Frame& frame);
  bool is_free(const Frame& frame, engine::ValueNo value);
  bool phi_is_free(const Frame& frame, engine::ValueNo value);
  bool event_is_free(const Frame& frame, engine::ValueNo value);
  bool call_is_free(const Frame& frame, engine::ValueNo value);
  bool is_touched(FuncId f, engine::ValueNo value) const;
  bool revived();
  bool always_runs(const Frame& frame, std::uint32_t event, std::uint32_t after);
  bool runs_under(const Frame& frame, std::uint32_t event, const Source& source);
  bool runs_under_own_guard(const Frame& frame, std::uint32_t event, const Frame& origin);
  engine::ValueNo differentiated(FuncId f, const engine::CallSite& site) const;
  void check(const Frame& frame, bool descend, std::vector<Broken>& out);

  const engine::Inference& inference_;
  const Program& program_;
  engine::Modes& modes_;
  engine::Flow& flow_;
  engine::Contexts& contexts_;
  std::deque<Frame> frames_;  // references stay good
  // Of the proof in progress:
  std::map<std::pair<const Frame*, engine::ValueNo>, bool> known_;
  std::set<std::pair<FuncId, engine::ValueNo>> touched_;
  std::vector<Origin> forwards_, operations_;
  std::vector<Origin> elements_;  // Iterate events that were taken to yield data
  int steps_ = 0;
};

}  // namespace deadgrad
