// Guards that were meant for a forward and cover none: beside it in its function, or in a function that makes or loads
// the module and ends before anything runs.
#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::AtomKind;
using engine::CellKey;
using engine::CellKind;
using engine::ContextId;
using engine::Evidence;
using engine::kNoValue;
using engine::Mode;
using engine::ModeState;
using engine::TargetKind;
using engine::ValueNo;
using engine::View;
using ir::Op;

// Factories of factories: deeper than any real code.
static constexpr int kMostDepth = 4;
// Functions below a guard that are looked at: bounds the stack too.
static constexpr std::size_t kMostFunctions = 100;

bool QueryBuilder::covers_no_forward(FuncId f, Range range) {
  for (const engine::CallSite& site : inference_.facts(f).calls) {
    if (site.event < range.begin || site.event > range.end) continue;
    if (site.guarded_inside || (site.runs_module != Evidence::None && !site.without_parameters)) return false;
    for (const engine::CallTarget& target : site.targets)
      if (contexts_.forwards_below(target.function)) return false;
  }
  return true;
}

// PyTorch's own convention: what ends in one underscore changes its receiver or argument in place.
static bool is_in_place(std::string_view name) {
  return name.ends_with('_') && !name.ends_with("__");
}

// A running sum is no parameter.
bool QueryBuilder::is_made_elsewhere(FuncId f, ValueNo value) const {
  const View view = engine::view_of(inference_, f);
  for (const engine::Flow::Root& root : flow_.roots(f, value))
    if (root.local == kNoValue || view.at(root.local).op == Op::Call) return true;
  return false;
}

// Writing to parameters needs a guard. `seen`: functions that were looked at, each once.
bool QueryBuilder::changes_tensors(FuncId f, Range range, std::set<FuncId>& seen) const {
  const View view = engine::view_of(inference_, f);
  const engine::FunctionFacts& facts = inference_.facts(f);
  for (std::uint32_t e = range.begin; e < range.end && e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    if (event.op == Op::StoreItem || (event.op == Op::Binary && (event.flags & ir::flag::InPlace))) {
      if (inference_.is_tensor(f, view.operand(event, 0)) && is_made_elsewhere(f, view.operand(event, 0))) return true;
      continue;
    }
    const engine::CallSite* site = event.op == Op::Call ? facts.call_at(e) : nullptr;
    if (site == nullptr) continue;
    const ValueNo callee = view.operand(event, 0);
    const bool is_named = callee != kNoValue && callee < view.size() &&
                          (view.at(callee).op == Op::LoadAttribute || view.at(callee).op == Op::Symbol);
    if (is_named && site->targets.empty() && is_in_place(view.name(view.at(callee)))) return true;
    for (const engine::CallTarget& target : site->targets) {
      if (target.kind != TargetKind::Direct && target.kind != TargetKind::Callback) continue;
      if (seen.size() >= kMostFunctions || !seen.insert(target.function).second) continue;
      const Range whole{0, engine::view_of(inference_, target.function).size()};
      if (changes_tensors(target.function, whole, seen)) return true;
    }
  }
  return false;
}

// Is something computed from tensors, whose graph the guard is there to prevent?
bool QueryBuilder::computes(FuncId f, Range range) const {
  const View view = engine::view_of(inference_, f);
  for (std::uint32_t e = range.begin; e < range.end && e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    if ((event.op == Op::Binary || event.op == Op::Unary) && inference_.is_tensor(f, view.operand(event, 0)))
      return true;
    if (event.op != Op::Call) continue;
    const ValueNo callee = view.operand(event, 0);
    if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute &&
        inference_.is_tensor(f, view.operand(view.at(callee), 0)))
      return true;
  }
  return false;
}

// A guard in the forward's own function that ends before it, starts after it or stands in another branch.
std::optional<MissedGuard> QueryBuilder::guard_beside(const Believed& believed) {
  const FuncId f = believed.function;
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  for (const engine::GuardScope& scope : modes_.of(f).scopes) {
    const Range range{scope.event, scope.end};
    std::set<FuncId> seen;
    if (!is_off(scope.mode) || !covers_no_forward(f, range) || changes_tensors(f, range, seen)) continue;
    // In the same turn of the same loop, or around it.
    bool near = ssa.loop_of[scope.event] == ssa.loop_of[believed.event];
    for (std::uint32_t loop = ssa.loop_of[believed.event]; loop != kNoValue; loop = ssa.loop_of[loop])
      near |= loop == ssa.loop_of[scope.event];
    if (!near && ssa.loop_of[scope.event] != kNoValue) continue;
    const bool before = scope.end < believed.event;
    return MissedGuard{
        locate(f, scope.event),
        before ? "this guard ends before the forward runs" : "this guard starts after the forward has run",
        {}};
  }
  return std::nullopt;
}

// A guard of this function, if it has one and none of them is of use.
std::optional<QueryBuilder::IdleGuard> QueryBuilder::idle_guard(FuncId f) {
  const engine::FunctionModes& modes = modes_.of(f);
  auto is_idle = [&](Range range) {
    std::set<FuncId> seen;
    return covers_no_forward(f, range) && !changes_tensors(f, range, seen) && !computes(f, range);
  };
  std::optional<IdleGuard> found;
  const ModeState& whole = modes.states[0];
  if (is_off(whole.mode) && !whole.condition.valid()) {
    if (!is_idle({0, engine::view_of(inference_, f).size()})) return std::nullopt;
    found = IdleGuard{guard_location(whole), whole.mode, false};
  }
  for (const engine::GuardScope& scope : modes.scopes) {
    if (!is_off(scope.mode)) continue;
    if (!is_idle({scope.event, scope.end})) return std::nullopt;
    const bool is_object = (engine::view_of(inference_, f).at(scope.event).flags & ir::flag::Raii) != 0;
    if (!found) found = IdleGuard{locate(f, scope.event), scope.mode, is_object};
  }
  return found;
}

const std::map<CellKey, std::set<FuncId>>& QueryBuilder::loaders() {
  if (loaders_) return *loaders_;
  loaders_.emplace();
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const engine::FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    const View view = engine::view_of(inference_, f);
    for (const engine::CallSite& site : facts.calls) {
      bool prepares = false;
      for (const engine::EffectUse& use : site.effects) prepares |= use.effect->eval_mode || use.effect->loads_weights;
      if (!prepares) continue;
      const ir::Event& call = view.at(site.event);
      const ValueNo callee = view.operand(call, 0);
      const bool is_method = callee < view.size() && view.at(callee).op == Op::LoadAttribute;
      for (const engine::Flow::Root& root :
           flow_.roots(f, is_method ? view.operand(view.at(callee), 0) : view.operand(call, 1))) {
        if (root.local == kNoValue && root.parameter < 0) (*loaders_)[root.cell].insert(f);
      }
    }
  }
  return *loaders_;
}

// Who stores a module in this place or loads its weights there.
void QueryBuilder::add_preparers(const CellKey& place, int depth, std::set<FuncId>& out) {
  for (const auto& [f, stored] : contexts_.stores_into(place)) {
    if (!inference_.may_be_module(inference_.expand(inference_.value_of(f, stored), f))) continue;
    out.insert(f);
    add_preparers(f, stored, {}, depth, out);
  }
  if (const auto found = loaders().find(place); found != loaders().end())
    out.insert(found->second.begin(), found->second.end());
}

// The functions that made the module, stored it where it is read, or loaded its weights. `context`: how `f` is entered,
// if that is known.
void QueryBuilder::add_preparers(FuncId f, ValueNo module, ContextId context, int depth, std::set<FuncId>& out) {
  if (module == kNoValue || depth > kMostDepth) return;
  for (const engine::Flow::Root& root : flow_.roots(f, module)) {
    if (root.local != kNoValue) {
      const engine::CallSite* site = inference_.facts(f).call_at(root.local);
      if (site == nullptr) continue;
      for (const engine::CallTarget& target : site->targets) {
        if (target.kind != TargetKind::Direct || !out.insert(target.function).second) continue;
        const View made = engine::view_of(inference_, target.function);
        for (std::uint32_t e = 0; e < made.size(); ++e) {
          if (made.at(e).op == Op::Return)
            add_preparers(target.function, made.operand(made.at(e), 0), {}, depth + 1, out);
        }
      }
    } else if (root.parameter >= 0) {
      if (!context.valid() || !contexts_.at(context).parent.valid()) continue;
      const engine::Context& entered = contexts_.at(context);
      const FuncId caller = contexts_.at(entered.parent).function;
      const engine::CallSite* site = inference_.facts(caller).call_at(entered.call_event);
      if (site == nullptr) continue;
      for (const engine::CallTarget& target : site->targets) {
        if (!(target.function == f)) continue;
        const ValueNo argument =
            flow_.argument_for(caller, entered.call_event, target, static_cast<std::uint32_t>(root.parameter));
        add_preparers(caller, argument, entered.parent, depth + 1, out);
      }
    } else if (root.cell.kind == CellKind::Attribute) {
      for (const TypeId owner : inference_.ancestry(TypeId{root.cell.a}))
        add_preparers({CellKind::Attribute, owner.index, root.cell.b}, depth + 1, out);
    } else if (root.cell.kind != CellKind::AnyAttribute) {  // of an object that is not known
      add_preparers(root.cell, depth + 1, out);
    }
  }
}

// Preparers of the modules whose forwards do have a guard. Who knows where a guard belongs has another use for the one
// around loading.
const std::set<FuncId>& QueryBuilder::preparers_of_guarded() {
  if (preparers_of_guarded_) return *preparers_of_guarded_;
  preparers_of_guarded_.emplace();
  for (const engine::Exposure& exposure : contexts_.exposures()) {
    if (!is_off(exposure.mode) || contexts_.at(exposure.context).from_tests) continue;
    add_preparers(exposure.function, module_of(exposure.function, exposure.event), exposure.context, 0,
                  *preparers_of_guarded_);
  }
  return *preparers_of_guarded_;
}

// Is the object made where the path to its forward comes along? Then its members live on the thread of the forward.
bool QueryBuilder::constructs_on_path(FuncId constructor, ContextId context) const {
  for (; context.valid(); context = contexts_.at(context).parent) {
    for (const engine::CallSite& site : inference_.facts(contexts_.at(context).function).calls) {
      for (const engine::CallTarget& target : site.targets)
        if (target.kind == TargetKind::Constructor && target.function == constructor) return true;
    }
    if (contexts_.at(context).starter != Mode::Inherit) return false;
  }
  return false;
}

// A guard that ends with the function that makes, stores or loads the module.
std::optional<MissedGuard> QueryBuilder::guard_of_preparation(const Believed& believed) {
  const FuncId f = believed.function;
  std::set<FuncId> preparers;
  if (believed.certain) add_preparers(f, module_of(f, believed.event), believed.context, 0, preparers);
  const TypeId owner = program_.functions[f].owner;
  if (owner.valid()) {
    for (const FuncId made : inference_.constructors(owner)) preparers.insert(made);
  }
  for (const FuncId preparer : preparers) {
    const ir::Function& function = program_.function(preparer);
    if (preparer == f || (!function.is_constructor && contexts_.forwards_below(preparer))) continue;
    const std::optional<IdleGuard> guard = idle_guard(preparer);
    if (!guard || preparers_of_guarded().contains(preparer)) continue;
    const std::string holder = function.is_constructor ? "the constructor" : "`" + name_of(preparer) + "`";
    const bool is_body = program_.function(f).kind == ir::FunctionKind::ModuleBody;
    const std::string user = is_body ? "the forward" : "`" + name_of(f) + "`";
    MissedGuard missed{guard->where, "this guard ends with " + holder + "; " + user + " runs later without it", {}};
    if (can_be_declared(f)) {
      FixRequest move;
      move.kind = FixKind::MoveGuard;
      move.guard = guard->mode == Mode::Inference ? FixGuard::InferenceMode : FixGuard::NoGrad;
      move.language = program_.module_of(f).language;
      move.where = guard->where;
      move.function = name_of(f);
      move.onto = header_of(f);
      move.or_member = guard->is_object && !trains_in(f) && constructs_on_path(preparer, believed.context);
      missed.fix = move;
    }
    return missed;
  }
  return std::nullopt;
}

std::optional<MissedGuard> QueryBuilder::missed_guard(const Believed& believed) {
  if (auto beside = guard_beside(believed)) return beside;
  return guard_of_preparation(believed);
}

}  // namespace deadgrad
