// Which exposed forwards to believe, where their declaration belongs, and how to tell it.
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
          if (root.local != kNoValue)
            eval_before_[{f, root.local}] = true;
          else if (root.parameter >= 0)
            eval_before_[{f, 0x80000000u | static_cast<std::uint32_t>(root.parameter)}] = true;
          else
            eval_cells_[{root.cell.a, root.cell.b}] = true;
        }
      }
    }
  }
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

// How strongly code speaks for inference where the fate of a graph is not proven. Names add at most one point.
int QueryBuilder::evidence(FuncId f, std::uint32_t event, const Exposure& exposure) {
  const Context& context = contexts_.at(exposure.context);
  const Trace& trace = flow_.trace(f, event, context.bindings);
  int score = 0;
  const GrowthFacts growth = growth_of(f, event, exposure.context);
  if (growth.growth == Growth::Carried)
    score += growth.result_is_carried ? 3 : 1;
  else if (growth.growth != Growth::None)
    score += 1;
  const View view = engine::view_of(inference_, f);
  bool eval = false;
  const ValueNo object = module_of(f, event);
  for (const engine::Flow::Root& root : flow_.roots(f, object)) {
    if (root.local != kNoValue)
      eval |= eval_before_.contains({f, root.local});
    else if (root.parameter >= 0)
      eval |= eval_before_.contains({f, 0x80000000u | static_cast<std::uint32_t>(root.parameter)});
    else
      eval |= eval_cells_.contains({root.cell.a, root.cell.b});
  }
  if (eval) score += 1;
  if (is_of_class(f, object, [](const model::ClassFacts& facts) { return facts.is_deployed; })) score += 1;
  if (trace.detached) score += 1;
  // What is read as only tensors are, was made by a tensor program.
  if (trace.read_as_tensor && !trace.returned) score += 1;
  if (!(exposure.fate.unknown & (engine::kReturnedToUnknown | engine::kPassedAsStatement)) && !trace.returned)
    score += 2;
  if (!trains_in(f)) score += 2;
  double odds = best_odds(program_.api(), program_.text(program_.functions[f].name));
  const double file_odds = best_odds(program_.api(), view.module.name.substr(view.module.name.rfind('.') + 1));
  if (std::abs(file_odds) > std::abs(odds)) odds = file_odds;
  if (odds >= 3) score += 1;
  if (odds <= -2.5) score -= 2;
  if (exposure.fate.unknown & engine::kPassedAsStatement) score -= 3;
  const engine::CallSite* site = inference_.facts(f).call_at(event);
  if (site != nullptr && site->runs_module == Evidence::Name) score -= trace.carried_loop != ~0u ? 1 : 2;
  if (context.entry == EntryKind::Cycle) score -= 1;
  if (wants_input_gradients(f, event)) score -= 3;
  return score;
}

// A forward that trains for some callers and leaks for others is told at the calls where the ways part.
void QueryBuilder::relocate(FuncId f, std::uint32_t event, std::set<std::pair<FuncId, std::uint32_t>>& seen,
                            std::vector<Believed>& out) {
  if (!seen.emplace(f, event).second || seen.size() > 400) return;
  if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) return;
  // What is under a guard here is none of the callers' business.
  engine::Context entered;
  entered.function = f;
  if (contexts_.mode_at(entered, event) != Mode::On) return;
  bool trains = false, only_by_callers = true;
  ContextId leaking;
  for (ContextId id : contexts_.of(f)) {
    const Context& context = contexts_.at(id);
    if (context.from_tests || contexts_.is_dead(context, event)) continue;
    const Trace& trace = flow_.trace(f, event, context.bindings);
    const Tri fate = flow_.combine(f, trace, context.results).tri;
    if (fate == Tri::Yes && flow_.combine(f, trace, engine::Fate{}).tri == Tri::Yes) only_by_callers = false;
    trains |= fate == Tri::Yes;
    if (fate == Tri::No && contexts_.mode_at(context, event) == Mode::On && !context.in_model && !leaking.valid())
      leaking = id;
  }
  // Trained by this function itself, under other values of a flag: the ways part here.
  if (!trains || !only_by_callers) {
    if (leaking.valid()) out.push_back({f, event, leaking, true});
    return;
  }
  for (const engine::Flow::Caller& caller : flow_.callers(f)) {
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

std::vector<QueryBuilder::Believed> QueryBuilder::believe(AnalysisStatistics& statistics) {
  SiteMap by_site;
  for (const Exposure& exposure : contexts_.exposures())
    by_site[{exposure.function, exposure.event}].push_back(&exposure);
  statistics.forward_sites = by_site.size();
  std::vector<Believed> result;
  for (const auto& [key, exposures] : by_site) {
    const auto [f, event] = key;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    const Trace& trace = flow_.trace(f, event);
    if (trace.raises) continue;  // it would raise if the value had a graph: somebody sees to it that it has none
    const engine::CallSite* site = inference_.facts(f).call_at(event);
    // A method of something merely named like a model is believed to be a forward when a loop feeds its result back.
    if (site != nullptr && site->named_method && trace.carried_loop == ~0u) continue;
    if (contexts_.is_frozen(f, event)) continue;
    // Nobody calls a model for nothing: a bare statement on something merely used like a module is some other method.
    const ir::Event& call = engine::view_of(inference_, f).at(event);
    if (site != nullptr && site->runs_module == Evidence::Duck && site->targets.empty() &&
        (call.flags & ir::flag::Discarded))
      continue;
    const bool name_only = site != nullptr && site->runs_module == Evidence::Name && trace.carried_loop == ~0u;
    bool trains_somewhere = false;
    for (const Exposure* exposure : exposures)
      trains_somewhere |=
          exposure->fate.tri == Tri::Yes && exposure->mode == Mode::On && !contexts_.at(exposure->context).from_tests;
    const Exposure* proven = nullptr;
    const Exposure* likely = nullptr;
    for (const Exposure* exposure : exposures) {
      const Context& context = contexts_.at(exposure->context);
      if (exposure->mode != Mode::On) continue;
      if (context.from_tests && !options_.include_tests) continue;
      if (exposure->fate.tri == Tri::No && !name_only) {
        // Where some callers train, each caller that does not is a place of its own.
        if (trains_somewhere) {
          std::set<std::pair<FuncId, std::uint32_t>> seen;
          relocate(f, event, seen, result);
          break;
        }
        if (proven == nullptr) proven = exposure;
      } else if (exposure->fate.tri != Tri::Yes && likely == nullptr) {
        likely = exposure;
      }
    }
    if (trains_somewhere) continue;
    if (proven != nullptr) {
      result.push_back({f, event, proven->context, true});
    } else if (likely != nullptr) {
      ++statistics.unknown_sites;
      // A proven end needs less: only whether it is a model at all is in doubt.
      const int enough = likely->fate.tri == Tri::No ? kEnoughEvidence - 1 : kEnoughEvidence;
      if (evidence(f, event, *likely) >= enough) result.push_back({f, event, likely->context, false});
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

bool QueryBuilder::can_be_declared(FuncId f) {
  const ir::Function& function = program_.function(f);
  if (function.kind != ir::FunctionKind::Function || function.is_generator || function.is_async ||
      function.is_constructor)
    return false;
  if (contexts_.trains_below(f)) return false;
  if (contexts_.is_test_module(program_.functions[f].module)) return false;
  for (ContextId id : contexts_.of(f)) {
    if (contexts_.at(id).results.tri == Tri::Yes) return false;
  }
  return true;
}

// The highest function on the witness path below which nothing needs gradients.
FuncId QueryBuilder::declaration_of(ContextId id) {
  std::vector<FuncId> chain;
  for (ContextId at = id; at.valid(); at = contexts_.at(at).parent) {
    chain.push_back(contexts_.at(at).function);
    if (contexts_.at(at).through_thread && contexts_.at(at).parent.valid() &&
        !contexts_.at(contexts_.at(at).parent).through_thread)
      break;
  }
  for (auto f = chain.rbegin(); f != chain.rend(); ++f) {
    if (can_be_declared(*f)) return *f;
  }
  return {};
}

std::vector<PathStep> QueryBuilder::path_to(const Believed& believed) {
  std::vector<PathStep> path;
  path.push_back({locate(believed.function, believed.event),
                  "`" +
                      spell(believed.function,
                            engine::view_of(inference_, believed.function)
                                .operand(engine::view_of(inference_, believed.function).at(believed.event), 0)) +
                      "` runs a forward with autograd on"});
  for (ContextId at = believed.context; at.valid(); at = contexts_.at(at).parent) {
    const Context& context = contexts_.at(at);
    if (context.parent.valid()) {
      const FuncId caller = contexts_.at(context.parent).function;
      path.push_back(
          {locate(caller, context.call_event), "`" + name_of(caller) + "` calls `" + name_of(context.function) + "`"});
      continue;
    }
    std::string text;
    switch (context.entry) {
      case EntryKind::ModuleBody:
        text = "the module's own code runs";
        break;
      case EntryKind::Handler:
        text = "`" + name_of(context.function) + "` is called by a framework";
        break;
      case EntryKind::Hook:
        text = "`" + name_of(context.function) + "` is called by its base class";
        break;
      default:
        text = "`" + name_of(context.function) + "` may be called from outside: no caller is in view";
        break;
    }
    if (context.entry != EntryKind::ModuleBody) path.push_back({header_of(context.function), text});
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// `for layer in layers: h = layer(h)`: each turn runs another module, a stack of layers and no step of a process.
bool QueryBuilder::is_layer_of(FuncId f, std::uint32_t event, std::uint32_t loop) const {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  ValueNo at = view.operand(view.at(event), 0);
  for (int depth = 0; depth < 12 && at != kNoValue && !ssa.is_phi(at); ++depth) {
    const ir::Event& one = view.at(at);
    switch (one.op) {
      case Op::Load:
        at = ssa.definition[at];
        break;
      case Op::Store:
      case Op::Unpack:
      case Op::Typed:
        at = view.operand(one, 0);
        break;
      case Op::LoadItem: {
        // `layers[i]`: another one each turn if the index changes with the loop.
        ValueNo index = view.operand(one, 1);
        while (index != kNoValue && !ssa.is_phi(index) &&
               (view.at(index).op == Op::Load || view.at(index).op == Op::Store || view.at(index).op == Op::Unpack)) {
          index = view.at(index).op == Op::Load ? ssa.definition[index] : view.operand(view.at(index), 0);
        }
        if (index != kNoValue && (ssa.is_phi(index) || view.at(index).op == Op::Iterate)) return true;
        at = view.operand(one, 0);
        break;
      }
      case Op::Iterate:
        return ssa.loop_of[at] == loop;
      default:
        return false;
    }
  }
  return false;
}

// Every argument is a tensor made from constants (`torch.randn(1, 3, 224, 224)`): the author tries the module out.
bool QueryBuilder::is_trial(FuncId f, std::uint32_t event) const {
  const View view = engine::view_of(inference_, f);
  const engine::FunctionFacts& facts = inference_.facts(f);
  const ir::Event& call = view.at(event);
  for (std::size_t k = 1; k < call.operand_count; ++k) {
    ValueNo at = view.operand(call, k);
    for (int depth = 0; depth < 16 && at != kNoValue; ++depth) {
      if (facts.ssa.is_phi(at)) return false;
      const ir::Event& one = view.at(at);
      if (one.op == Op::Load) {
        at = facts.ssa.definition[at];
      } else if (one.op == Op::Store || one.op == Op::Keyword) {
        at = view.operand(one, 0);
      } else if (one.op == Op::Call) {
        const ValueNo callee = view.operand(one, 0);
        if (callee == kNoValue || callee >= view.size()) return false;
        const engine::CallSite* site = facts.call_at(at);
        if (site == nullptr || !site->targets.empty() || site->unresolved) return false;
        if (view.at(callee).op == Op::LoadAttribute && !is_library(f, view.operand(view.at(callee), 0))) {
          at = view.operand(view.at(callee), 0);  // `.cuda()`, `.to(device)`
          continue;
        }
        // Variable(x): look at what is wrapped; randn(1, 3): done.
        bool constants = true;
        ValueNo inner = kNoValue;
        for (std::size_t a = 1; a < one.operand_count; ++a) {
          const ValueNo argument = view.operand(one, a);
          if (argument != kNoValue && view.at(argument).op == Op::Call) inner = argument;
          if (argument != kNoValue && view.at(argument).op == Op::Load)
            constants = constants && inference_.only_data(inference_.expand(inference_.value_of(f, argument), f));
        }
        if (inner != kNoValue) {
          at = inner;
          continue;
        }
        if (!constants || one.operand_count < 2) return false;
        break;
      } else if (one.op == Op::Const) {
        break;
      } else {
        return false;
      }
      if (depth == 15) return false;
    }
    if (at == kNoValue) return false;
  }
  return call.operand_count > 1;
}

bool QueryBuilder::is_library(FuncId f, ValueNo value) const {
  for (Atom atom : inference_.atoms(inference_.value_of(f, value)))
    if (atom.kind() == AtomKind::Api) return true;
  return false;
}

// Does a function that carries a value through `loop` return that value itself? A loss computed from it is another
// matter: its unseen caller may well train.
bool QueryBuilder::returns_carried(FuncId f, std::uint32_t start, std::uint32_t loop) const {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  bool any = false, carried = false;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::Return || view.at(e).operand_count == 0) continue;
    any = true;
    std::vector<ValueNo> work{view.operand(view.at(e), 0)};
    std::set<ValueNo> seen;
    while (!work.empty() && seen.size() < 64) {
      const ValueNo at = work.back();
      work.pop_back();
      if (at == kNoValue || !seen.insert(at).second) continue;
      if (at == start) carried = true;
      if (ssa.is_phi(at)) {
        const engine::Phi& phi = ssa.phi(at);
        if (phi.loop && phi.bracket == loop) carried = true;
        for (std::uint32_t o = 0; o < phi.count; ++o) work.push_back(ssa.phi_operands[phi.first + o]);
        continue;
      }
      const ir::Event& one = view.at(at);
      if (one.op == Op::Load) work.push_back(ssa.definition[at]);
      if (one.op == Op::Store || one.op == Op::Typed) work.push_back(view.operand(one, 0));
      if (one.op == Op::MakeTuple || one.op == Op::MakeList) {
        for (std::size_t k = 0; k < one.operand_count; ++k) work.push_back(view.operand(one, k));
      }
      // Indexing, reshaping, clamping: still the value. Its arguments are not.
      if (one.op == Op::LoadItem) work.push_back(view.operand(one, 0));
      if (one.op == Op::Call) {
        const ValueNo callee = view.operand(one, 0);
        if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute)
          work.push_back(view.operand(view.at(callee), 0));
      }
    }
  }
  return !any || carried;
}

QueryBuilder::GrowthFacts QueryBuilder::growth_of(FuncId f, std::uint32_t event, ContextId id) {
  GrowthFacts facts;
  bool reaches_result = true;  // so far the graph reaches each function's result
  const Trace& inner = flow_.trace(f, event, contexts_.at(id).bindings);
  bool handler = false;
  FuncId at = f;
  std::uint32_t start = event;
  for (ContextId level = id; level.valid(); level = contexts_.at(level).parent) {
    const Context& context = contexts_.at(level);
    const View view = engine::view_of(inference_, at);
    const engine::Ssa& ssa = inference_.facts(at).ssa;
    const Trace& trace = flow_.trace(at, start, context.bindings);
    handler |= context.entry == EntryKind::Handler;
    if (view.at(start).op != Op::Call) break;
    const std::uint32_t loop = ssa.loop_of[start];
    if (reaches_result) {
      if (trace.carried_loop != ~0u && !is_layer_of(at, start, trace.carried_loop)) {
        facts.growth = Growth::Carried;
        facts.function = at;
        facts.loop = trace.carried_loop;
        facts.result_is_carried = returns_carried(at, start, trace.carried_loop);
        return facts;
      }
      if (trace.accumulated_loop != ~0u) {
        facts = {trace.accumulated_sum ? Growth::Summed : Growth::Kept,
                 at,
                 trace.accumulated_loop,
                 at,
                 trace.accumulated_at,
                 true};
        return facts;
      }
      for (const engine::Kept& kept : trace.kept) {
        if (kept.replaces) continue;
        // Only a container that outlives the turn in which the value is made.
        // The loop that makes it grow is around the call as well as around the store.
        std::uint32_t around = ssa.loop_of[kept.event];
        while (around != kNoValue) {
          bool shared = false;
          for (std::uint32_t one = loop; one != kNoValue; one = ssa.loop_of[one]) shared |= one == around;
          if (shared) break;
          around = ssa.loop_of[around];
        }
        const bool local = kept.container != kNoValue;
        if (local && (around == kNoValue || kept.container >= around)) continue;
        if (!local && kept.parameter < 0 && loop == kNoValue && level == id)
          continue;  // told below, once a loop is found
        if (!local && kept.parameter >= 0) continue;
        if (!local && loop == kNoValue) continue;
        facts = {Growth::Kept, at, around != kNoValue ? around : loop, at, kept.event, true};
        return facts;
      }
      reaches_result = trace.returned;
    }
    // A loop around the call of the function that stores its result somewhere lasting.
    if (loop != kNoValue && level != id) {
      if (inner.carried_by_attribute) return {Growth::Carried, at, loop, {}, ~0u, true};
      for (const engine::Kept& kept : inner.kept) {
        if (kept.replaces || kept.container != kNoValue) continue;
        if (kept.parameter >= 0) {
          // Put into the caller's container: it must be older than the loop.
          bool older = true;
          for (const engine::Flow::Caller& caller : flow_.callers(f)) {
            if (!(caller.function == at) || caller.event != start) continue;
            const ValueNo holder =
                flow_.argument_for(at, start, caller.target, static_cast<std::uint32_t>(kept.parameter));
            for (const engine::Flow::Root& root : flow_.roots(at, holder))
              older &= root.local == kNoValue || root.local < loop;
          }
          if (!older) continue;
        }
        return {Growth::Kept, at, loop, f, kept.event, true};
      }
    }
    if (!context.parent.valid()) break;
    at = contexts_.at(context.parent).function;
    start = context.call_event;
  }
  if (handler) {
    // A handler runs again and again: what it leaves in an attribute or global stays.
    for (const engine::Kept& kept : inner.kept) {
      if (kept.replaces || kept.container != kNoValue || kept.parameter >= 0) continue;
      return {Growth::Kept, f, ~0u, f, kept.event, true};
    }
  }
  return facts;
}

std::string QueryBuilder::keeper_name(FuncId f, std::uint32_t event) const {
  const View view = engine::view_of(inference_, f);
  if (event >= view.size()) return {};
  const ir::Event& keeper = view.at(event);
  const ValueNo first = view.operand(keeper, 0);
  if (keeper.op == Op::Store) return std::string(view.name(keeper));
  if (keeper.op == Op::Call && first != kNoValue && first < view.size() && view.at(first).op == Op::LoadAttribute)
    return spell(f, view.operand(view.at(first), 0));
  return spell(f, first);
}

void QueryBuilder::describe_growth(const Believed& believed, LeakSite& site) {
  const engine::Ssa& ssa = inference_.facts(believed.function).ssa;
  if (ssa.loop_of[believed.event] != kNoValue) {
    site.in_loop = true;
    site.loop = locate(believed.function, ssa.loop_of[believed.event]);
  }
  const GrowthFacts facts = growth_of(believed.function, believed.event, believed.context);
  site.growth = facts.growth;
  if (facts.growth == Growth::None) return;
  if (facts.loop != ~0u) site.loop = locate(facts.function, facts.loop);
  if (facts.keeper == ~0u) return;
  const View view = engine::view_of(inference_, facts.keeper_function);
  if (facts.keeper < view.size()) {
    site.keeper = locate(facts.keeper_function, facts.keeper);
    site.keeper_name = keeper_name(facts.keeper_function, facts.keeper);
    if (site.keeper_name.find("…") != std::string::npos) site.keeper_name.clear();
  }
}

static std::string reads(const std::set<std::string>& sinks) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& sink : sinks) {
    if (++count > 3) {
      text += ", …";
      break;
    }
    if (!text.empty()) text += count == std::min<std::size_t>(sinks.size(), 3) && sinks.size() <= 3 ? " and " : ", ";
    const bool phrase = sink.find(' ') != std::string::npos;
    text += phrase ? sink : "`" + sink + "`";
  }
  return text;
}

// Does the turn of the innermost loop around the forward (or the function, without one) also train? A validation loop
// beside the training loop of the same function does not.
bool QueryBuilder::runs_beside_training(FuncId f, std::uint32_t event) const {
  if (!contexts_.trains_itself(f)) return false;
  const engine::FunctionFacts& facts = inference_.facts(f);
  const std::uint32_t loop = facts.ssa.loop_of[event];
  if (loop == kNoValue) return true;
  for (const engine::CallSite& site : facts.calls) {
    bool trains = false;
    for (const engine::EffectUse& use : site.effects)
      trains |= use.effect->backward != model::Backward::None || use.effect->optimizer_step;
    for (const engine::CallTarget& target : site.targets) trains |= contexts_.trains_below(target.function);
    if (!trains) continue;
    for (std::uint32_t one = facts.ssa.loop_of[site.event]; one != kNoValue; one = facts.ssa.loop_of[one])
      if (one == loop) return true;
  }
  return false;
}

LeakSite QueryBuilder::make_site(const Believed& believed) {
  const FuncId f = believed.function;
  const View view = engine::view_of(inference_, f);
  const Trace& trace = flow_.trace(f, believed.event, contexts_.at(believed.context).bindings);
  LeakSite site;
  site.where = locate(f, believed.event);
  site.callee = spell(f, view.operand(view.at(believed.event), 0));
  site.function = name_of(f);
  describe_growth(believed, site);
  for (ContextId at = believed.context; at.valid(); at = contexts_.at(at).parent) {
    const Context& context = contexts_.at(at);
    site.in_loop |= context.entry == EntryKind::Handler;  // once per request
    if (context.parent.valid()) {
      const FuncId caller = contexts_.at(context.parent).function;
      const engine::Ssa& ssa = inference_.facts(caller).ssa;
      if (context.call_event < ssa.loop_of.size() && ssa.loop_of[context.call_event] != kNoValue) site.in_loop = true;
    }
  }
  site.in_training_step = runs_beside_training(f, believed.event);
  site.dropped = trace.cells.empty() && !trace.returned && trace.kept.empty() && !trace.survives_turn;
  site.trial = !site.in_loop && site.growth == Growth::None && is_trial(f, believed.event);
  const ValueNo callee = view.operand(view.at(believed.event), 0);
  for (const engine::Flow::Root& root : flow_.roots(f, callee)) {
    if (root.local != kNoValue)
      site.after_eval |= eval_before_.contains({f, root.local});
    else if (root.parameter >= 0)
      site.after_eval |= eval_before_.contains({f, 0x80000000u | static_cast<std::uint32_t>(root.parameter)});
    else
      site.after_eval |= eval_cells_.contains({root.cell.a, root.cell.b});
  }
  site.may_be_frozen =
      is_of_class(f, module_of(f, believed.event), [](const model::ClassFacts& facts) { return facts.may_be_frozen; });
  const std::string what = reads(trace.sinks);
  if (!believed.certain) {
    site.why = trace.returned ? "its result goes to callers that are not in view, and nothing here trains"
                              : "no backward is in view for its result";
  } else if (trace.returned || !trace.cells.empty()) {
    site.why = what.empty() ? "no caller calls backward on its result"
                            : "only " + what + " read its result, and no caller calls backward on it";
  } else if (!what.empty()) {
    site.why = "only " + what + (trace.sinks.size() == 1 ? " reads" : " read") + " its result";
  } else {
    site.why = site.growth == Growth::None ? "nothing reads its result" : "nothing calls backward on its result";
  }
  if (site.may_be_frozen) site.why += "; the module may have been frozen before it was saved";
  return site;
}

// Is the result changed in place afterwards? Outside the guarded statements that fails for what inference_mode made.
bool QueryBuilder::is_written_to(const Believed& site) const {
  const View view = engine::view_of(inference_, site.function);
  for (std::uint32_t e = site.event; e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    const bool writes = event.op == Op::StoreItem || (event.op == Op::Binary && (event.flags & ir::flag::InPlace));
    if (!writes) continue;
    for (const engine::Flow::Root& root : flow_.roots(site.function, view.operand(event, 0)))
      if (root.local == site.event) return true;
  }
  return false;
}

// The smallest run of sibling statements that holds all sites of one function.
ir::Span QueryBuilder::statements_around(const std::vector<Believed>& sites) const {
  const View view = engine::view_of(inference_, sites[0].function);
  std::vector<std::vector<std::uint32_t>> paths;  // the brackets around each site, outermost first
  std::vector<std::uint32_t> open;
  std::uint32_t first = ~0u, last = 0;
  for (const Believed& site : sites) {
    first = std::min(first, site.event);
    last = std::max(last, site.event);
  }
  for (std::uint32_t e = 0; e <= last && e < view.size(); ++e) {
    const Op op = view.at(e).op;
    if (op == Op::End && !open.empty()) open.pop_back();
    if (op == Op::Loop || op == Op::Branch || op == Op::Arm || op == Op::Try || op == Op::Handler ||
        op == Op::Finally || op == Op::Scope)
      open.push_back(e);
    for (const Believed& site : sites)
      if (site.event == e) paths.push_back(open);
  }
  std::size_t common = paths.empty() ? 0 : paths[0].size();
  for (const auto& path : paths) {
    std::size_t shared = 0;
    while (shared < common && shared < path.size() && path[shared] == paths[0][shared]) ++shared;
    common = shared;
  }
  // Arms of a branch are no siblings: then the branch itself is the statement.
  while (common > 0 && (view.at(paths[0][common - 1]).op == Op::Branch || view.at(paths[0][common - 1]).op == Op::Try))
    --common;
  ir::Span span = view.at(first).span;
  std::size_t k = 0;
  for (const auto& path : paths) {
    const ir::Span own = path.size() > common ? view.at(path[common]).span : view.at(sites[k].event).span;
    span.begin = std::min(span.begin, own.begin);
    span.end = std::max(span.end, own.end);
    ++k;
  }
  return span;
}

// Does some method of the function's class train?
bool QueryBuilder::class_trains(FuncId f) const {
  const TypeId owner = program_.functions[f].owner;
  return owner.valid() &&
         std::ranges::any_of(program_.methods_of(owner), [&](FuncId method) { return contexts_.trains_below(method); });
}

FixRequest QueryBuilder::fix_for(const std::vector<Believed>& sites, FuncId declared) {
  FixRequest fix;
  const FuncId f = declared.valid() ? declared : sites[0].function;
  fix.language = program_.module_of(f).language;
  fix.kind = declared.valid() ? FixKind::GuardFunction : FixKind::GuardRegion;
  fix.function = name_of(f);
  bool plain = true, certain = true;
  for (const Believed& site : sites) {
    certain &= site.certain;
    for (ContextId at = site.context; at.valid(); at = contexts_.at(at).parent) {
      const Context& context = contexts_.at(at);
      plain &= !context.through_thread;
      if (context.results.tri == Tri::Yes) plain = false;
    }
    const Trace& trace = flow_.trace(site.function, site.event);
    // Inference tensors break training code that meets them later: in the program, or in callers that are not in view.
    if (trains_in(site.function) && (!trace.cells.empty() || trace.into_parameters)) plain = false;
    if (trace.returned && !site.certain) plain = false;
    if (!declared.valid() && contexts_.trains_itself(site.function)) plain = false;
    plain &= !class_trains(site.function);
  }
  if (!declared.valid()) {
    for (const Believed& site : sites) plain &= !is_written_to(site);
  }
  fix.guard = plain ? FixGuard::InferenceMode : FixGuard::NoGrad;
  fix.safety = certain ? FixSafety::Safe : FixSafety::Unsafe;
  if (declared.valid()) {
    fix.where = header_of(declared);
  } else {
    fix.where = locate(sites[0].function, sites[0].event);
    const Context& context = contexts_.at(sites[0].context);
    if (contexts_.trains_itself(f) && !context.bindings.empty() && context.parent.valid()) {
      // The function trains under other values of a flag: guard the call that asks for no training.
      const FuncId caller = contexts_.at(context.parent).function;
      fix.where = locate(caller, context.call_event);
      fix.function = name_of(caller);
    } else if (!contexts_.trains_itself(f)) {
      fix.where.span = statements_around(sites);
    }
    if (contexts_.trains_itself(f)) fix.safety = FixSafety::Unsafe;
  }
  return fix;
}

Leak QueryBuilder::make_leak(const std::vector<Believed>& believed, FuncId declared) {
  std::vector<std::pair<LeakSite, Believed>> pairs;
  for (const Believed& one : believed) pairs.emplace_back(make_site(one), one);
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.where.path, a.first.where.span.begin) <
           std::tie(b.first.where.path, b.first.where.span.begin);
  });
  // The worst kind of growth leads, then place in the source.
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first.growth > b.first.growth; });
  Leak leak;
  for (auto& [site, one] : pairs) {
    leak.growth = std::max(leak.growth, site.growth);
    leak.certain &= one.certain;
    if (!leak.missed_guard) leak.missed_guard = missed_guard(one);
    leak.sites.push_back(std::move(site));
  }
  leak.other_thread = guard_of_other_thread(pairs[0].second);
  if (!leak.other_thread) {
    if (const auto registration = guard_of_registration(pairs[0].second)) {
      leak.other_thread = registration->guard;
      if (registration->declared.valid()) declared = registration->declared;
    }
  }
  if (!leak.other_thread) leak.switched_on = switched_on(pairs[0].second);
  if (leak.other_thread || leak.switched_on) leak.missed_guard.reset();
  leak.path = path_to(pairs[0].second);
  leak.fix = fix_for(believed, declared);
  if (leak.missed_guard && leak.missed_guard->fix) {
    FixRequest& move = *leak.missed_guard->fix;
    if (leak.fix->guard == FixGuard::NoGrad) move.guard = FixGuard::NoGrad;
    move.safety = leak.fix->safety;
  }
  return leak;
}

}  // namespace deadgrad
