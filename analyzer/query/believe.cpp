// Which exposed forwards to believe.
#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Atom;
using engine::AtomKind;
using engine::CellKey;
using engine::CellKind;
using engine::Context;
using engine::ContextId;
using engine::EntryKind;
using engine::Evidence;
using engine::Exposure;
using engine::kNoValue;
using engine::Mode;
using engine::Trace;
using engine::Tri;
using engine::ValueNo;
using engine::View;
using ir::Op;

// An unknown fate needs this much evidence (evidence() below) to be believed.
inline constexpr int kEnoughEvidence = 3;

// A root within one function.
static CellKey root_key(const engine::Flow::Root& root) {
  if (root.local != kNoValue) return {CellKind::Element, root.local, 0};
  if (root.parameter >= 0) return {CellKind::Param, static_cast<std::uint32_t>(root.parameter), 0};
  return root.cell;
}

void QueryBuilder::collect_evidence() {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const engine::FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    if (contexts_.trains_itself(f) && !contexts_.is_test_module(program_.functions[f].module))
      trains_in_[static_cast<std::size_t>(program_.module_of(f).language)] = true;
    const View view = engine::view_of(inference_, f);
    for (const engine::CallSite& site : facts.calls) {
      const ValueNo callee = view.operand(view.at(site.event), 0);
      if (callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute) continue;
      for (const engine::EffectUse& use : site.effects) {
        if (!use.effect->eval_mode) continue;
        for (const engine::Flow::Root& root : flow_.roots(f, view.operand(view.at(callee), 0))) {
          evals_.emplace(std::pair{f, root_key(root)}, site.event);  // the first
          if (root.local == kNoValue && root.parameter < 0) eval_cells_.insert(root.cell);
        }
      }
    }
  }
}

// The module that a forward runs: its callee, or the object whose method that is.
ValueNo QueryBuilder::module_of(FuncId f, std::uint32_t event) const {
  const View view = engine::view_of(inference_, f);
  const ValueNo callee = view.operand(view.at(event), 0);
  const bool is_method = callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute &&
                         !inference_.may_be_module(inference_.expand(inference_.value_of(f, callee), f));
  return is_method ? view.operand(view.at(callee), 0) : callee;
}

// May the module be of a library class with this property?
bool QueryBuilder::is_of_class(FuncId f, ValueNo module, bool (*property)(const model::ClassFacts&)) const {
  for (Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, module), f))) {
    if (atom.kind() != AtomKind::Object || atom.object_shape() != model::Shape::Module) continue;
    const model::ClassFacts* facts = program_.api().find_class(program_.text(atom.name()));
    if (facts != nullptr && property(*facts)) return true;
  }
  return false;
}

QueryBuilder::EvalMode QueryBuilder::eval_mode(FuncId f, ValueNo model, std::uint32_t event) const {
  EvalMode mode = EvalMode::None;
  for (const engine::Flow::Root& root : flow_.roots(f, model)) {
    const auto here = evals_.find({f, root_key(root)});
    if (here != evals_.end() && here->second < event) return EvalMode::JustBefore;
    if (here != evals_.end() || eval_cells_.contains(root.cell)) mode = EvalMode::Somewhere;
  }
  return mode;
}

static double best_odds(const model::ApiModel& api, std::string_view name) {
  double best = api.name_odds(name);
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    if (at < name.size() && name[at] != '_' && name[at] != '.' && name[at] != '/') continue;
    const double odds = api.name_odds(name.substr(begin, at - begin));
    if (std::abs(odds) > std::abs(best)) best = odds;
    begin = at + 1;
  }
  return best;
}

// How strongly code speaks for inference where the fate of a graph is not proven. Names add at most one point.
QueryBuilder::Evidences QueryBuilder::evidence(FuncId f, std::uint32_t event, const Exposure& exposure) {
  const Context& context = contexts_.at(exposure.context);
  const Trace& trace = flow_.trace(f, event, context.bindings);
  Evidences all;
  auto add = [&](int points, std::string_view text) {
    all.sum += points;
    all.list.push_back({points, text});
  };
  const GrowthFacts growth = growth_of(f, event, exposure.context);
  if (growth.growth == Growth::Carried)
    add(growth.result_is_carried ? 3 : 1, "a loop feeds the result back");
  else if (growth.growth != Growth::None)
    add(1, "results are collected");
  const View view = engine::view_of(inference_, f);
  const ValueNo object = module_of(f, event);
  // Whoever trains through a model in eval mode does not switch it where it is run.
  const EvalMode eval = eval_mode(f, object, event);
  if (eval == EvalMode::JustBefore) add(2, "the model is put into eval mode here");
  if (eval == EvalMode::Somewhere) add(1, "the model was put into eval mode");
  if (is_of_class(f, object, [](const model::ClassFacts& facts) { return facts.is_deployed; }))
    add(1, "the model was exported for deployment");
  if (trace.detached) add(1, "a tensor without a graph is made of the result");
  // What is read as only tensors are, was made by a tensor program.
  if (trace.read_as_tensor && !trace.returned) add(1, "the result is read as plain data");
  if (!(exposure.fate.unknown & (engine::kReturnedToUnknown | engine::kPassedAsStatement)) && !trace.returned)
    add(2, "the result stays where it is made");
  if (!trains_in(f)) add(2, "nothing in the project trains");
  double odds = best_odds(program_.api(), program_.text(program_.functions[f].name));
  const double file_odds = best_odds(program_.api(), view.module.name.substr(view.module.name.rfind('.') + 1));
  // `validate` in `train.py` validates.
  if (odds < 3 && std::abs(file_odds) > std::abs(odds)) odds = file_odds;
  if (odds >= 3) add(1, "names here speak of inference");
  if (odds <= -2.5) add(-2, "names here speak of training");
  if (exposure.fate.unknown & engine::kPassedAsStatement)
    add(-3, "the result is handed to code that is not in view and may train");
  const engine::CallSite* site = inference_.facts(f).call_at(event);
  if (site != nullptr && site->runs_module == Evidence::Name)
    add(trace.carried_loop != ~0u || trace.read_as_tensor ? -1 : -2, "only its name says that this is a model");
  if (context.entry == EntryKind::Cycle) add(-1, "only functions that call each other lead here");
  if (wants_input_gradients(f, event)) add(-3, "an input was made to require gradients");
  return all;
}

// A forward that trains for some callers and leaks for others is told at the calls where the ways part; itself, if it
// gets its state back in its next call: there memory grows.
void QueryBuilder::relocate(FuncId f, std::uint32_t event, std::set<std::pair<FuncId, std::uint32_t>>& seen,
                            std::vector<Believed>& out) {
  if (!seen.emplace(f, event).second || seen.size() > 400) return;
  if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) return;
  // What is under a guard here is none of the callers' business.
  engine::Context entered;
  entered.function = f;
  if (contexts_.mode_at(entered, event) != Mode::On) return;
  bool trains = false, only_by_callers = true;
  ContextId leaking, growing;
  std::set<std::pair<FuncId, std::uint32_t>> told;  // callers for whom memory grows here
  for (ContextId id : contexts_.of(f)) {
    const Context& context = contexts_.at(id);
    if (context.from_tests || contexts_.is_dead(context, event)) continue;
    const Trace& trace = flow_.trace(f, event, context.bindings);
    const Tri fate = flow_.combine(f, trace, context.results).tri;
    if (fate == Tri::Yes && flow_.combine(f, trace, engine::Fate{}).tri == Tri::Yes) only_by_callers = false;
    trains |= fate == Tri::Yes;
    if (fate != Tri::No || contexts_.mode_at(context, event) != Mode::On || context.in_model) continue;
    if (!leaking.valid()) leaking = id;
    if (!trace.carried_by_place || trace.carried_loop != ~0u || !context.parent.valid() ||
        growth_of(f, event, id).growth != Growth::Carried)
      continue;
    if (!growing.valid()) growing = id;
    told.emplace(contexts_.at(context.parent).function, context.call_event);
  }
  // Trained by this function itself, under other values of a flag: the ways part here.
  if (!trains || !only_by_callers) {
    if (leaking.valid()) out.push_back({f, event, leaking, true});
    return;
  }
  if (growing.valid()) out.push_back({f, event, growing, true});
  for (const engine::Flow::Caller& caller : flow_.callers(f)) {
    if (told.contains({caller.function, caller.event})) continue;
    // A function handed in as an argument is run for some of its caller's callers only: which ones is not known here.
    const View view = engine::view_of(inference_, caller.function);
    const ir::Event& call = view.at(caller.event);
    const ValueNo callee = call.op == Op::Call ? view.operand(call, 0) : kNoValue;
    if (callee != kNoValue && inference_.value_of(caller.function, callee).params != 0) continue;
    if (caller.target.kind == engine::TargetKind::Direct || caller.target.kind == engine::TargetKind::Forward)
      relocate(caller.function, caller.event, seen, out);
  }
}

// Was some input made to require gradients on purpose? Then somebody wants them.
bool QueryBuilder::wants_input_gradients(FuncId f, std::uint32_t event) {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  std::vector<ValueNo> work;
  for (std::size_t k = 1; k < view.at(event).operand_count; ++k) work.push_back(view.operand(view.at(event), k));
  std::set<ValueNo> seen;
  while (!work.empty() && seen.size() < 200) {
    const ValueNo at = work.back();
    work.pop_back();
    if (at == kNoValue || !seen.insert(at).second) continue;
    if (ssa.is_phi(at)) {
      const engine::Phi& phi = ssa.phi(at);
      for (std::uint32_t o = 0; o < phi.count; ++o) work.push_back(ssa.phi_operands[phi.first + o]);
      continue;
    }
    const ir::Event& one = view.at(at);
    if (one.op == Op::Load) {
      work.push_back(ssa.definition[at]);
      continue;
    }
    if (one.op == Op::Call) {
      const ValueNo callee = view.operand(one, 0);
      if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute) {
        if (view.name(view.at(callee)) == "requires_grad_" && one.operand_count == 1) return true;
        work.push_back(view.operand(view.at(callee), 0));
      }
      for (std::size_t k = 1; k < one.operand_count; ++k) {
        const ValueNo argument = view.operand(one, k);
        if (argument == kNoValue || view.at(argument).op != Op::Keyword ||
            view.name(view.at(argument)) != "requires_grad")
          continue;
        const auto atoms = inference_.atoms(inference_.value_of(f, argument));
        if (atoms.size() == 1 && atoms[0].kind() == AtomKind::Bool && atoms[0].a() != 0) return true;
      }
    }
    for (std::size_t k = one.op == Op::Call ? 1 : 0; k < one.operand_count; ++k) work.push_back(view.operand(one, k));
  }
  // `x.requires_grad = True` on one of these.
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::StoreAttribute || view.name(view.at(e)) != "requires_grad") continue;
    for (const engine::Flow::Root& root : flow_.roots(f, view.operand(view.at(e), 0))) {
      if (root.local != kNoValue && seen.contains(root.local)) return true;
    }
  }
  return false;
}

// Once a function is known to leak, its other forwards with the mode on that nobody trains belong to the same
// declaration, however little is known of their results: one guard covers them all.
void QueryBuilder::add_siblings(const SiteMap& by_site, std::vector<Believed>& result) {
  std::map<FuncId, Believed> leaking;
  std::set<std::pair<FuncId, std::uint32_t>> known;
  for (const Believed& one : result) {
    leaking.emplace(one.function, one);
    known.emplace(one.function, one.event);
  }
  for (const auto& [key, exposures] : by_site) {
    const auto [f, event] = key;
    auto found = leaking.find(f);
    if (found == leaking.end() || known.contains(key) || contexts_.trains_itself(f)) continue;
    const engine::CallSite* site = inference_.facts(f).call_at(event);
    const ir::Event& call = engine::view_of(inference_, f).at(event);
    if (site == nullptr || site->runs_module <= Evidence::Name || (call.flags & ir::flag::Discarded)) continue;
    if (flow_.trace(f, event).raises || contexts_.is_frozen(f, event) || wants_input_gradients(f, event)) continue;
    bool open = false, trains = false;
    for (const Exposure* exposure : exposures) {
      if (contexts_.at(exposure->context).from_tests) continue;
      trains |= exposure->fate.tri == Tri::Yes || (exposure->fate.unknown & engine::kPassedAsStatement);
      open |= exposure->mode == Mode::On && exposure->context == found->second.context;
    }
    if (open && !trains) result.push_back({f, event, found->second.context, found->second.certain});
  }
}

// What is thought of one forward, over all contexts that run it.
QueryBuilder::Judgement QueryBuilder::judge(FuncId f, std::uint32_t event,
                                            const std::vector<const Exposure*>& exposures) {
  const Exposure* open = nullptr;
  const Exposure* trained = nullptr;
  bool in_tests = false;
  for (const Exposure* exposure : exposures) {
    if (exposure->mode != Mode::On) continue;
    if (contexts_.at(exposure->context).from_tests) {
      in_tests = true;
      if (!options_.include_tests) continue;
    } else if (exposure->fate.tri == Tri::Yes && trained == nullptr) {
      trained = exposure;
    }
    if (open == nullptr) open = exposure;
  }
  if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module))
    return {Verdict::InTests, exposures[0]};
  if (open == nullptr) return {in_tests ? Verdict::InTests : Verdict::Guarded, exposures[0]};
  const Trace& trace = flow_.trace(f, event);
  if (trace.raises) return {Verdict::WouldRaise, open};
  const engine::CallSite* site = inference_.facts(f).call_at(event);
  // A method of something merely named like a model is believed to be a forward when a loop feeds its result back.
  if (site != nullptr && site->named_method && trace.carried_loop == ~0u) return {Verdict::MaybeNoModel, open};
  if (contexts_.is_frozen(f, event)) return {Verdict::Frozen, open};
  // Nobody calls a model for nothing: a bare statement on something merely used like a module is some other method.
  const ir::Event& call = engine::view_of(inference_, f).at(event);
  if (site != nullptr && site->runs_module == Evidence::Duck && site->targets.empty() &&
      (call.flags & ir::flag::Discarded))
    return {Verdict::MaybeNoModel, open};
  const bool name_only = site != nullptr && site->runs_module == Evidence::Name && trace.carried_loop == ~0u;
  const Exposure* likely = nullptr;
  for (const Exposure* exposure : exposures) {
    if (exposure->mode != Mode::On) continue;
    if (contexts_.at(exposure->context).from_tests && !options_.include_tests) continue;
    if (exposure->fate.tri == Tri::No && !name_only)
      return {trained != nullptr ? Verdict::TrainsForSome : Verdict::Proven, trained != nullptr ? trained : exposure};
    if (exposure->fate.tri != Tri::Yes && likely == nullptr) likely = exposure;
  }
  if (trained != nullptr) return {Verdict::Trains, trained};
  if (likely == nullptr) return {Verdict::Trains, open};
  // A proven end needs less: only whether it is a model at all is in doubt.
  const int enough = likely->fate.tri == Tri::No ? kEnoughEvidence - 1 : kEnoughEvidence;
  return {evidence(f, event, *likely).sum >= enough ? Verdict::Likely : Verdict::Unknown, likely};
}

QueryBuilder::SiteMap QueryBuilder::sites() const {
  SiteMap by_site;
  for (const Exposure& exposure : contexts_.exposures())
    by_site[{exposure.function, exposure.event}].push_back(&exposure);
  return by_site;
}

std::vector<QueryBuilder::Believed> QueryBuilder::believe(AnalysisStatistics& statistics) {
  const SiteMap by_site = sites();
  statistics.forward_sites = by_site.size();
  std::vector<Believed> result;
  for (const auto& [key, exposures] : by_site) {
    const auto [f, event] = key;
    const Judgement judgement = judge(f, event, exposures);
    statistics.unknown_sites += judgement.verdict == Verdict::Likely || judgement.verdict == Verdict::Unknown;
    if (judgement.verdict == Verdict::Proven || judgement.verdict == Verdict::Likely)
      result.push_back({f, event, judgement.exposure->context, judgement.verdict == Verdict::Proven});
    if (judgement.verdict == Verdict::TrainsForSome) {
      // Each caller that does not train is a place of its own.
      std::set<std::pair<FuncId, std::uint32_t>> seen;
      relocate(f, event, seen, result);
    }
  }
  add_siblings(by_site, result);
  std::sort(result.begin(), result.end(), [](const Believed& a, const Believed& b) {
    return std::tie(a.function, a.event) < std::tie(b.function, b.event);
  });
  result.erase(
      std::unique(result.begin(), result.end(),
                  [](const Believed& a, const Believed& b) { return a.function == b.function && a.event == b.event; }),
      result.end());
  return result;
}

}  // namespace deadgrad
