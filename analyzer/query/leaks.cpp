// Where the declaration of believed forwards belongs, and how to tell a leak.
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

bool QueryBuilder::trains_at(const engine::CallSite& site) const {
  bool trains = false;
  for (const engine::EffectUse& use : site.effects)
    trains |= use.effect->backward != model::Backward::None || use.effect->optimizer_step;
  for (const engine::CallTarget& target : site.targets) trains |= contexts_.trains_below(target.function);
  return trains;
}

// Does the turn of the innermost loop around the forward (or the function, without one) also train? A validation loop
// beside the training loop of the same function does not.
bool QueryBuilder::runs_beside_training(FuncId f, std::uint32_t event) const {
  if (!contexts_.trains_itself(f)) return false;
  const std::uint32_t loop = inference_.facts(f).ssa.loop_of[event];
  return loop == kNoValue || trains_in_loop(f, loop);
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
  site.may_be_frozen =
      is_of_class(f, module_of(f, believed.event), [](const model::ClassFacts& facts) { return facts.may_be_frozen; });
  site.after_eval = eval_mode(f, view.operand(view.at(believed.event), 0), believed.event) != EvalMode::None;
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

// On the way from `f` down to the context, does a function put tensors where later code finds them?
bool QueryBuilder::keeps_tensors_between(ContextId id, FuncId f) const {
  for (; id.valid(); id = contexts_.at(id).parent) {
    const FuncId on_path = contexts_.at(id).function;
    const View view = engine::view_of(inference_, on_path);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      const bool lasts = event.op == Op::StoreAttribute ||
                         (event.op == Op::Store && (event.flags & ir::flag::kPlaceMask) == ir::flag::Global);
      if (lasts && inference_.is_tensor(on_path, view.operand(event, event.operand_count - 1u))) return true;
    }
    if (on_path == f) break;
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

// The outermost context on the path whose function trains for other callers; none if the forward's own does not.
ContextId QueryBuilder::where_ways_part(ContextId id) const {
  ContextId apart;
  for (; contexts_.at(id).parent.valid(); id = contexts_.at(id).parent) {
    const auto& all = contexts_.of(contexts_.at(id).function);
    if (std::ranges::none_of(all, [&](ContextId one) { return contexts_.at(one).results.tri == Tri::Yes; })) break;
    apart = id;
  }
  return apart;
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
    plain &= !class_trains(site.function) && !(trains_in(site.function) && keeps_tensors_between(site.context, f));
  }
  if (!declared.valid()) {
    // Whatever else the statements make would be an inference tensor too.
    for (const Believed& site : sites) plain &= !trains_in(site.function) && !is_written_to(site);
  }
  fix.guard = plain && has_inference_mode(f) ? FixGuard::InferenceMode : FixGuard::NoGrad;
  fix.safety = certain ? FixSafety::Safe : FixSafety::Unsafe;
  if (declared.valid()) {
    fix.where = header_of(declared);
  } else {
    place_region(sites, fix);
  }
  return fix;
}

static bool overlap(ir::Span a, ir::Span b) {
  return a.begin < b.end && b.begin < a.end;
}

// The statements to guard where no function can be declared: around the forwards, or where a call leads to them.
void QueryBuilder::place_region(const std::vector<Believed>& sites, FixRequest& fix) {
  FuncId f = sites[0].function;
  const bool trains = contexts_.trains_itself(f);
  fix.where = locate(f, sites[0].event);
  const Context& context = contexts_.at(sites[0].context);
  ContextId called;
  if (trains && !context.bindings.empty() && context.parent.valid()) {
    // The function trains under other values of a flag: guard the call that asks for no training.
    called = sites[0].context;
  } else if (const ContextId apart = where_ways_part(sites[0].context); apart.valid()) {
    called = apart;
    fix.safety = FixSafety::Unsafe;
  }
  if (called.valid()) {
    f = contexts_.at(contexts_.at(called).parent).function;
    fix.where = locate(f, contexts_.at(called).call_event);
    fix.function = name_of(f);
  }
  fix.keep_out = needs_autograd(f);
  // What the call does for other callers is no reason here.
  if (called.valid()) std::erase(fix.keep_out, fix.where.span);
  if (!called.valid() && !trains) {
    const ir::Span all = statements_around(sites);
    const bool held_back = std::ranges::any_of(fix.keep_out, [&](ir::Span needed) { return overlap(needed, all); });
    if (!held_back) fix.where.span = all;
  }
  if (trains) fix.safety = FixSafety::Unsafe;
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
  if (leak.missed_guard && !leak.missed_guard->fix && leak.fix->kind == FixKind::GuardFunction)
    leak.fix->replaces = leak.missed_guard->where;
  if (leak.missed_guard && leak.missed_guard->fix) {
    FixRequest& move = *leak.missed_guard->fix;
    if (leak.fix->guard == FixGuard::NoGrad) move.guard = FixGuard::NoGrad;
    move.safety = leak.fix->safety;
  }
  return leak;
}

}  // namespace deadgrad
