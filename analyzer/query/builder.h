// Turns exposed sites into leaks: which to believe, how they grow, where the declaration belongs. Internal to the query
// room.
#pragma once

#include <array>
#include <map>
#include <set>

#include "analyzer/engine/contexts.h"
#include "analyzer/query/query.h"

namespace deadgrad {

class QueryBuilder {
 public:
  QueryBuilder(const engine::Inference& inference, engine::Modes& modes, engine::Flow& flow, engine::Contexts& contexts,
               const AnalysisOptions& options)
      : inference_(inference),
        program_(inference.program()),
        modes_(modes),
        flow_(flow),
        contexts_(contexts),
        options_(options) {}
  Query build(AnalysisStatistics& statistics);
  std::vector<Explanation> explain(const Location& asked);
  std::vector<GuardUse> guard_uses();

 private:
  bool is_needed(FuncId f, const engine::ModeState& guard);
  struct Believed {
    FuncId function;
    std::uint32_t event;
    engine::ContextId context;
    bool certain;
  };
  using SiteMap = std::map<std::pair<FuncId, std::uint32_t>, std::vector<const engine::Exposure*>>;
  // How strongly code speaks for inference, and what it says.
  struct Evidences {
    int sum = 0;
    std::vector<std::pair<int, std::string_view>> list;
  };
  struct Judgement {
    Verdict verdict = Verdict::Unknown;
    const engine::Exposure* exposure = nullptr;  // the context that decided
  };
  // believe.cpp
  SiteMap sites() const;
  Judgement judge(FuncId f, std::uint32_t event, const std::vector<const engine::Exposure*>& exposures);
  void add_siblings(const SiteMap& by_site, std::vector<Believed>& result);
  std::vector<Believed> believe(AnalysisStatistics& statistics);
  void relocate(FuncId f, std::uint32_t event, std::set<std::pair<FuncId, std::uint32_t>>& seen,
                std::vector<Believed>& out);
  bool wants_input_gradients(FuncId f, std::uint32_t event);
  void collect_evidence();
  engine::ValueNo module_of(FuncId f, std::uint32_t event) const;
  bool is_of_class(FuncId f, engine::ValueNo module, bool (*property)(const model::ClassFacts&)) const;
  enum class EvalMode : std::uint8_t { None, Somewhere, JustBefore /* in the function that runs the model */ };
  EvalMode eval_mode(FuncId f, engine::ValueNo model, std::uint32_t event) const;
  Evidences evidence(FuncId f, std::uint32_t event, const engine::Exposure& exposure);
  // leaks.cpp
  FuncId declaration_of(engine::ContextId context);
  bool can_be_declared(FuncId f);
  Leak make_leak(const std::vector<Believed>& sites, FuncId declared);
  bool trains_at(const engine::CallSite& site) const;
  bool runs_beside_training(FuncId f, std::uint32_t event) const;
  LeakSite make_site(const Believed& believed);
  // growth.cpp
  bool is_layer_of(FuncId f, std::uint32_t event, std::uint32_t loop) const;
  bool is_trial(FuncId f, std::uint32_t event) const;
  bool is_library(FuncId f, engine::ValueNo value) const;
  struct GrowthFacts {
    Growth growth = Growth::None;
    FuncId function;           // that holds the loop
    std::uint32_t loop = ~0u;  // local event, or ~0: no loop in view (a handler)
    FuncId keeper_function;
    std::uint32_t keeper = ~0u;     // local event of the append, store or sum
    bool result_is_carried = true;  // what the function returns is the carried value itself
  };
  // How memory grows by this forward on its path: in its own function, or by what its callers do with the result.
  GrowthFacts growth_of(FuncId f, std::uint32_t event, engine::ContextId context);
  bool returns_carried(FuncId f, std::uint32_t start, std::uint32_t loop);
  std::string keeper_name(FuncId f, std::uint32_t event) const;
  void describe_more_keepers(const Believed& believed, const GrowthFacts& facts, LeakSite& site);
  void describe_growth(const Believed& believed, LeakSite& site);
  std::vector<PathStep> path_to(const Believed& believed);
  bool is_written_to(const Believed& site) const;
  ir::Span statements_around(const std::vector<Believed>& sites) const;
  bool class_trains(FuncId f) const;
  bool keeps_tensors_between(engine::ContextId id, FuncId f) const;
  engine::ContextId where_ways_part(engine::ContextId id) const;
  FixRequest fix_for(const std::vector<Believed>& sites, FuncId declared);
  void place_region(const std::vector<Believed>& sites, FixRequest& fix);
  // keep_out.cpp
  bool graph_is_needed(FuncId f, engine::ValueNo value);
  std::set<std::uint32_t> graphs_begun_in(FuncId f);
  const std::vector<ir::Span>& needs_autograd(FuncId f);
  // kept.cpp
  bool trains_in_loop(FuncId f, std::uint32_t loop) const;
  engine::ValueNo added_at(FuncId f, std::uint32_t keeper) const;
  void add_kept(const Believed& forward, const engine::Growing& growing, Location loop,
                std::map<Location, KeptGraph>& out);
  void find_kept(engine::Flow& sure, const Believed& forward, std::map<Location, KeptGraph>& out);
  void find_kept_graphs(const SiteMap& by_site, Query& query);
  // missed_guards.cpp
  struct Range {
    std::uint32_t begin, end;  // local events
  };
  bool covers_no_forward(FuncId f, Range range);
  bool is_made_elsewhere(FuncId f, engine::ValueNo value) const;
  bool changes_tensors(FuncId f, Range range, std::set<FuncId>& seen) const;
  bool computes(FuncId f, Range range) const;
  std::optional<MissedGuard> missed_guard(const Believed& believed);
  std::optional<MissedGuard> guard_beside(const Believed& believed);
  std::optional<MissedGuard> guard_of_preparation(const Believed& believed);
  struct IdleGuard {
    Location where;
    engine::Mode mode;
    bool is_object;  // that lives to the end of its block
  };
  std::optional<IdleGuard> idle_guard(FuncId f);
  bool constructs_on_path(FuncId constructor, engine::ContextId context) const;
  void add_preparers(FuncId f, engine::ValueNo module, engine::ContextId context, int depth, std::set<FuncId>& out);
  void add_preparers(const engine::CellKey& place, int depth, std::set<FuncId>& out);
  const std::map<engine::CellKey, std::set<FuncId>>& loaders();
  const std::set<FuncId>& preparers_of_guarded();
  // explain.cpp
  std::string callee_of(FuncId f, std::uint32_t event) const;
  void tell(const Judgement& judgement, const std::vector<const engine::Exposure*>& exposures, Explanation& told);
  void tell_guards(const std::vector<const engine::Exposure*>& exposures, Explanation& told);
  void tell_path(const engine::Exposure& exposure, Explanation& told);
  void tell_end(const engine::Exposure& exposure, Explanation& told);
  void tell_evidence(const Judgement& judgement, Explanation& told);
  bool tell_other_call(FuncId f, const engine::CallSite& site, Explanation& told);
  // provenance.cpp
  Location guard_location(const engine::ModeState& state) const;
  std::string guard_text(const engine::ModeState& state) const;
  std::optional<OtherThreadGuard> guard_of_other_thread(const Believed& believed);
  TypeId class_around(FuncId f) const;
  struct Registration {
    OtherThreadGuard guard;
    FuncId declared;  // the function of the callback on which a guard can be declared
  };
  std::optional<Location> taken_in(FuncId maker, FuncId callback) const;
  std::optional<Registration> guard_of_registration(const Believed& believed);
  const engine::ModeState* before_call(FuncId f, const engine::ModeState& state, std::uint32_t until);
  std::optional<SwitchedOn> switched_on(const Believed& believed);
  void find_switched_on_inside(Query& query);
  // guards.cpp
  model::TorchVersion torch_of(FuncId f) const;
  bool has_inference_mode(FuncId f) const;
  void find_broken_guards(Query& query);
  void find_broken_call(FuncId f, const engine::CallSite& site, Query& query);
  void find_uncalled_guard(FuncId f, const ir::Event& scope, Query& query);
  void find_declared_guard(FuncId f, std::uint32_t event, Query& query);
  void find_misused_decorators(FuncId f, const ir::Event& event, Query& query);
  void find_bare_decorators(FuncId f, const ir::Event& event, Query& query);
  void report_broken(BrokenGuard::Kind kind, FuncId f, std::uint32_t event, std::string guard,
                     std::optional<FixKind> fix, model::GuardKind guard_kind, Query& query);
  // issues.cpp
  void find_guard_issues(Query& query);
  void find_broken_training(Query& query);
  // generators.cpp
  void find_lost_in_generators(Query& query);
  bool runs_forward_unguarded(FuncId generator) const;
  void find_guarded_yields(FuncId f, Query& query);
  void find_returned_generators(FuncId f, Query& query);
  // placement.cpp
  void find_misplaced_guards(Query& query);
  void find_redundant_guards(FuncId f, Query& query);
  void advise_on_guards(Query& query);
  const engine::ModeState* guard_of_every_caller(FuncId f, engine::Mode inner);
  bool is_plain_no_grad(const engine::ModeState& state) const;
  // inference_tensors.cpp
  void find_inference_tensors(Query& query);
  void follow_inference_tensor(const engine::Exposure& made, Query& query);
  GuardIssue issue_of(GuardIssue::Kind kind, const engine::ModeState& guard) const;

  Location locate(FuncId f, std::uint32_t event) const;
  Location header_of(FuncId f) const;
  std::string name_of(FuncId f) const;
  std::string spell_symbol(FuncId f, std::string_view symbol) const;
  // An expression as the user wrote it, as far as names and attributes go.
  std::string spell(FuncId f, engine::ValueNo value, int depth = 0) const;

  // Uses of generators, by the function that makes them; filled by find_lost_in_generators.
  struct GeneratorUses {
    std::vector<std::pair<FuncId, std::uint32_t>> loops;  // that iterate over it: local events
    bool as_scope = false;                                // a context manager written as a generator
  };
  std::map<FuncId, GeneratorUses> generator_uses_;

  const engine::Inference& inference_;
  const Program& program_;
  engine::Modes& modes_;
  engine::Flow& flow_;
  engine::Contexts& contexts_;
  const AnalysisOptions& options_;
  std::map<std::pair<FuncId, engine::CellKey>, std::uint32_t> evals_;  // `.eval()` of what has this root, by event
  std::set<engine::CellKey> eval_cells_;
  std::map<FuncId, std::vector<std::uint32_t>> returns_;  // the function's returns of something; filled on first need
  // Does some function train, in modules of a language? No value goes from one language to another.
  bool trains_in(FuncId f) const { return trains_in_[static_cast<std::size_t>(program_.module_of(f).language)]; }
  std::array<bool, 2> trains_in_{};
  // Found on first need by missed_guards.cpp.
  std::optional<std::map<engine::CellKey, std::set<FuncId>>> loaders_;
  std::optional<std::set<FuncId>> preparers_of_guarded_;
  std::set<std::pair<FuncId, std::uint32_t>> believed_;  // the forwards that are reported
  std::map<FuncId, std::vector<ir::Span>> needs_autograd_;
};

}  // namespace deadgrad
