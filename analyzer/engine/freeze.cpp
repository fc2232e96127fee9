// Phase C: which modules are frozen. A frozen module's forward begins no graph; what its input carries is another
// matter.
#include <algorithm>
#include <functional>

#include "analyzer/engine/contexts.h"
#include "analyzer/engine/view.h"

namespace deadgrad::engine {

using ir::Op;

namespace {

std::optional<bool> constant_bool(const Inference& inference, FuncId f, ValueNo value) {
  if (value == kNoValue) return std::nullopt;
  const Value known = inference.expand(inference.value_of(f, value), f);
  const auto atoms = inference.atoms(known);
  if (known.unknown || atoms.size() != 1 || atoms[0].kind() != AtomKind::Bool) return std::nullopt;
  return atoms[0].a() != 0;
}

}  // namespace

// What a function does to the flag of its first argument, whatever that is: `lambda p: p.requires_grad_(False)`.
std::optional<bool> Contexts::flag_set_by(FuncId f) {
  if (!inference_.facts(f).evaluated) return std::nullopt;
  const View view = view_of(inference_, f);
  auto is_argument = [&](ValueNo value) {
    const auto roots = flow_.roots(f, value);
    return !roots.empty() && std::ranges::all_of(roots, [](const Flow::Root& root) { return root.parameter == 0; });
  };
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    if (modes_.of(f).arm_of[e] != ~0u) continue;
    if (event.op == Op::StoreAttribute && view.name(event) == "requires_grad" && is_argument(view.operand(event, 0)))
      return constant_bool(inference_, f, view.operand(event, 1));
    const CallSite* site = event.op == Op::Call ? inference_.facts(f).call_at(e) : nullptr;
    const ValueNo callee = view.operand(event, 0);
    if (site == nullptr || callee == kNoValue || view.at(callee).op != Op::LoadAttribute) continue;
    for (const EffectUse& use : site->effects)
      if (use.effect->freeze == model::Freeze::ByArgument && is_argument(view.operand(view.at(callee), 0)))
        return event.operand_count < 2 ? true : constant_bool(inference_, f, view.operand(event, 1));
  }
  return std::nullopt;
}

// Finds what freezes: `m.requires_grad_(False)`, and loops over `m.parameters()` that clear the flag of each.
void Contexts::collect_freezes() {
  std::function<void(FuncId, ValueNo, std::uint32_t, bool)> mark = [&](FuncId f, ValueNo module, std::uint32_t event,
                                                                       bool frozen) {
    for (const Flow::Root& root : flow_.roots(f, module)) {
      const View inside = view_of(inference_, f);
      if (root.local != kNoValue && root.local < inside.size() &&
          (inside.at(root.local).op == Op::MakeList || inside.at(root.local).op == Op::MakeTuple)) {
        // A list of modules: each of them.
        for (std::size_t k = 0; k < inside.at(root.local).operand_count; ++k)
          mark(f, inside.operand(inside.at(root.local), k), event, frozen);
      } else if (root.local != kNoValue) {
        freezes_[{f, root.local}][event] = frozen;
      } else if (root.parameter >= 0) {
        auto [it, added] =
            frozen_params_.emplace(std::make_pair(f, static_cast<std::uint32_t>(root.parameter)), frozen);
        if (!added && !frozen) it->second = false;
      } else {
        auto [it, added] = frozen_cells_.emplace(root.cell, frozen);
        if (!added && !frozen) it->second = false;
      }
    }
  };
  // The module whose parameters `value` iterates over.
  auto parameters_of = [&](FuncId f, ValueNo value) {
    const View view = view_of(inference_, f);
    const Ssa& ssa = inference_.facts(f).ssa;
    for (int depth = 0; depth < 12 && value != kNoValue && !ssa.is_phi(value); ++depth) {
      const ir::Event& event = view.at(value);
      switch (event.op) {
        case Op::Load:
          value = ssa.definition[value];
          continue;
        case Op::Store:
        case Op::Unpack:
        case Op::Iterate:
        case Op::Typed:
          value = view.operand(event, 0);
          continue;
        case Op::Call: {
          const CallSite* site = inference_.facts(f).call_at(value);
          const ValueNo callee = view.operand(event, 0);
          if (site == nullptr || callee == kNoValue || callee >= view.size()) return kNoValue;
          for (const EffectUse& use : site->effects) {
            if (use.effect->iterates_parameters && view.at(callee).op == Op::LoadAttribute)
              return view.operand(view.at(callee), 0);
          }
          value = view.operand(event, 1);  // list(m.parameters()), zip(…)
          continue;
        }
        default:
          return kNoValue;
      }
    }
    return kNoValue;
  };
  std::vector<std::pair<FuncId, std::uint32_t>> helpers;
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    const View view = view_of(inference_, f);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      if (event.op == Op::StoreAttribute && view.name(event) == "requires_grad") {
        const ValueNo owner = parameters_of(f, view.operand(event, 0));
        if (owner == kNoValue) continue;
        // Under a test only some parameters are meant.
        const FunctionModes& modes = modes_.of(f);
        const bool conditional = modes.arm_of[e] != ~0u && inference_.facts(f).ssa.loop_of[e] != kNoValue;
        bool inside_loop_arm = false;
        if (conditional) {
          for (std::uint32_t at = e; at-- > inference_.facts(f).ssa.loop_of[e];) {
            if (view.at(at).op == Op::Arm && modes.arm_of[at] == modes.arm_of[e]) inside_loop_arm = true;
          }
        }
        const auto flag = constant_bool(inference_, f, view.operand(event, 1));
        if (flag && !*flag && !inside_loop_arm)
          mark(f, owner, e, true);
        else if (flag && *flag)
          mark(f, owner, e, false);
        else if (!flag) {
          // A helper with the flag as its parameter: frozen where it is called with False.
          const Condition condition = modes_.condition_of(f, view.operand(event, 1));
          if (condition.valid() && condition.kind == Condition::Kind::Truthy) {
            for (const Flow::Root& root : flow_.roots(f, owner)) {
              if (root.parameter < 0) continue;
              for (const Flow::Caller& caller : flow_.callers(f)) {
                const ValueNo argument = flow_.argument_for(caller.function, caller.event, caller.target,
                                                            static_cast<std::uint32_t>(condition.parameter));
                std::optional<bool> given;
                if (argument != kNoValue) {
                  given = constant_bool(inference_, caller.function, argument);
                } else {
                  const auto atoms =
                      inference_.atoms(inference_.default_of(f, static_cast<std::uint32_t>(condition.parameter)));
                  if (atoms.size() == 1 && atoms[0].kind() == AtomKind::Bool) given = atoms[0].a() != 0;
                }
                const ValueNo target = flow_.argument_for(caller.function, caller.event, caller.target,
                                                          static_cast<std::uint32_t>(root.parameter));
                if (given && target != kNoValue)
                  mark(caller.function, target, caller.event, *given == condition.negated);
              }
            }
          }
        }
        continue;
      }
      if (event.op != Op::Call) continue;
      const CallSite* site = facts.call_at(e);
      if (site == nullptr) continue;
      const ValueNo callee = view.operand(event, 0);
      if (callee == kNoValue || callee >= view.size()) continue;
      const bool is_method = view.at(callee).op == Op::LoadAttribute;
      const ValueNo receiver = is_method ? view.operand(view.at(callee), 0) : kNoValue;
      const bool on_module =
          is_method && inference_.may_be_module(inference_.expand(inference_.value_of(f, receiver), f));
      for (const EffectUse& use : site->effects) {
        // `m.apply(f)`, `list(map(f, m.parameters()))`; a map that nothing reads runs nothing.
        if (!use.effect->calls_callee || use.effect->callee.position != 0 || event.operand_count < 2) continue;
        const bool is_read = (event.flags & ir::flag::Discarded) == 0;
        const ValueNo changed = on_module                            ? receiver
                                : is_read && event.operand_count > 2 ? parameters_of(f, view.operand(event, 2))
                                                                     : kNoValue;
        for (Atom atom : inference_.atoms(inference_.value_of(f, view.operand(event, 1)))) {
          if (changed == kNoValue || atom.kind() != AtomKind::Function) continue;
          if (const auto flag = flag_set_by(atom.func())) mark(f, changed, e, !*flag);
        }
      }
      if (!is_method) continue;
      for (const EffectUse& use : site->effects) {
        if (use.effect->freeze == model::Freeze::None) continue;
        const ValueNo owner = parameters_of(f, receiver);
        // What is not known counts: were it a tensor, nobody would ask later whether it is a frozen module.
        const bool unknown = inference_.atoms(inference_.expand(inference_.value_of(f, receiver), f)).empty();
        const bool is_module = on_module || use.receiver_is_module || unknown;
        const ValueNo target = owner != kNoValue ? owner : is_module ? receiver : kNoValue;
        if (target == kNoValue) continue;
        if (use.effect->freeze == model::Freeze::Freezes) mark(f, target, e, true);
        if (use.effect->freeze == model::Freeze::Unfreezes) mark(f, target, e, false);
        if (use.effect->freeze == model::Freeze::ByArgument) {
          ValueNo argument = view.operand(event, 1);
          const auto flag = argument == kNoValue ? std::optional<bool>(true) : constant_bool(inference_, f, argument);
          if (flag) mark(f, target, e, !*flag);
        }
      }
    }
  }
  // Freezing helpers pass the mark on to what they are given; a few rounds cover helpers of helpers.
  for (int round = 0; round < 4; ++round) {
    const auto params = frozen_params_;
    for (const auto& [key, frozen] : params) {
      for (const Flow::Caller& caller : flow_.callers(key.first)) {
        const ValueNo argument = flow_.argument_for(caller.function, caller.event, caller.target, key.second);
        if (argument != kNoValue) mark(caller.function, argument, caller.event, frozen);
      }
    }
  }
}

// The module that `value` was taken out of: `for layer in net.children()`, `for name, layer in net._modules.items()`.
ValueNo Contexts::module_of_part(FuncId f, ValueNo value) const {
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  while (value != kNoValue && value < view.size()) {
    const ir::Event& event = view.at(value);
    switch (event.op) {
      case Op::Load:
        value = facts.ssa.definition[value];
        continue;
      case Op::Store:
      case Op::Unpack:
      case Op::Iterate:
      case Op::LoadItem:
        value = view.operand(event, 0);
        continue;
      case Op::LoadAttribute:
        return view.name(event) == "_modules" ? view.operand(event, 0) : kNoValue;
      case Op::Call: {
        const CallSite* site = facts.call_at(value);
        const ValueNo callee = view.operand(event, 0);
        if (site == nullptr || callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute)
          return kNoValue;
        const ValueNo object = view.operand(view.at(callee), 0);
        for (const EffectUse& use : site->effects)
          if (use.effect->module_evidence && !use.effect->eval_mode) return object;
        value = object;
        continue;
      }
      default:
        return kNoValue;
    }
  }
  return kNoValue;
}

// Is what was made at `local` frozen when `at` runs? What freezes or unfreezes last before that decides; in a loop also
// what comes later in a turn.
bool Contexts::local_is_frozen(FuncId f, ValueNo local, std::uint32_t at) const {
  const auto found = freezes_.find({f, local});
  if (found == freezes_.end()) return false;
  const std::map<std::uint32_t, bool>& marks = found->second;
  const auto after = marks.lower_bound(at);
  if (after == marks.begin()) return std::ranges::all_of(marks, [](const auto& mark) { return mark.second; });
  const Ssa& ssa = inference_.facts(f).ssa;
  const auto loops_of = [&](std::uint32_t event) {
    std::vector<std::uint32_t> loops;
    for (std::uint32_t loop = ssa.loop_of[event]; loop != kNoValue; loop = ssa.loop_of[loop]) loops.push_back(loop);
    return loops;
  };
  const std::vector<std::uint32_t> around = loops_of(std::min(at, ssa.event_count - 1));
  bool frozen = std::prev(after)->second, next_turn = frozen;
  for (auto mark = after; mark != marks.end(); ++mark) {
    for (std::uint32_t loop : loops_of(mark->first))
      if (std::ranges::find(around, loop) != around.end()) next_turn = mark->second;
  }
  return frozen && next_turn;
}

bool Contexts::root_is_frozen(FuncId f, ValueNo module, std::uint32_t at, int depth) {
  if (depth > 8 || module == kNoValue) return false;
  const std::tuple memo{f, module, at};
  if (auto found = frozen_memo_.find(memo); found != frozen_memo_.end()) return found->second;
  frozen_memo_[memo] = false;
  if (const ValueNo whole = module_of_part(f, module); whole != kNoValue && root_is_frozen(f, whole, at, depth + 1))
    return frozen_memo_[memo] = true;
  const auto roots = flow_.roots(f, module);
  bool all = true, any = false;
  for (const Flow::Root& root : roots) {
    bool frozen = false;
    if (root.local != kNoValue) {
      frozen = local_is_frozen(f, root.local, at);
      // What nothing is known of is no reason to take the value for a module.
      if (!frozen && inference_.atoms(inference_.value_of(f, root.local)).empty()) continue;
      const View view = view_of(inference_, f);
      if (!frozen && root.local < view.size() && view.at(root.local).op == Op::Call) {
        if (const CallSite* site = inference_.facts(f).call_at(root.local)) {
          bool factory = false;
          // Born frozen (library), made by a factory that freezes, or copied from something frozen.
          for (const CallTarget& target : site->targets) {
            if (target.kind != TargetKind::Direct) continue;
            const View inside = view_of(inference_, target.function);
            for (std::uint32_t e = 0; e < inside.size(); ++e) {
              if (inside.at(e).op == Op::Return && inside.at(e).operand_count) {
                factory = root_is_frozen(target.function, inside.operand(inside.at(e), 0), e, depth + 1);
                if (!factory) break;
              }
            }
          }
          frozen = factory;
          for (Atom atom : inference_.atoms(inference_.value_of(f, root.local))) {
            if (atom.kind() == AtomKind::Object && atom.object_parameters() == model::Parameters::Frozen) frozen = true;
            // A class that freezes itself in its constructor.
            if (atom.kind() == AtomKind::Instance && site->constructs) {
              for (const CallTarget& target : site->targets) {
                if (target.kind != TargetKind::Constructor) continue;
                if (auto found = frozen_params_.find({target.function, 0u}); found != frozen_params_.end())
                  frozen |= found->second;
              }
            }
          }
        }
      }
      if (!frozen) frozen = elements_are_frozen(f, root.local, at, depth);
    } else if (root.parameter >= 0) {
      if (auto found = frozen_params_.find({f, static_cast<std::uint32_t>(root.parameter)});
          found != frozen_params_.end() && found->second) {
        frozen = true;
      } else {
        bool any = false, every = true;
        for (const Flow::Caller& caller : flow_.callers(f)) {
          const ValueNo argument = flow_.argument_for(caller.function, caller.event, caller.target,
                                                      static_cast<std::uint32_t>(root.parameter));
          if (argument == kNoValue) continue;
          any = true;
          every &= root_is_frozen(caller.function, argument, caller.event, depth + 1);
        }
        frozen = any && every;
      }
    } else {
      if (auto found = frozen_cells_.find(root.cell); found != frozen_cells_.end()) frozen = found->second;
      if (!frozen && root.cell.kind == CellKind::Attribute) {
        for (TypeId ancestor : inference_.ancestry(TypeId{root.cell.a})) {
          if (auto found = frozen_cells_.find({CellKind::Attribute, ancestor.index, root.cell.b});
              found != frozen_cells_.end())
            frozen |= found->second;
        }
      }
      if (!frozen) frozen = cell_is_frozen(root.cell, depth + 1);
    }
    all &= frozen;
    any = true;
  }
  return frozen_memo_[memo] = any && all;
}

// Are all modules that a new list, tuple or dict is made of frozen?
bool Contexts::elements_are_frozen(FuncId f, std::uint32_t event, std::uint32_t at, int depth) {
  const View view = view_of(inference_, f);
  const Op op = view.at(event).op;
  const CallSite* site = op == Op::Call ? inference_.facts(f).call_at(event) : nullptr;
  bool container = op == Op::MakeList || op == Op::MakeTuple || op == Op::MakeDict;
  for (std::size_t k = 0; site != nullptr && k < site->effects.size(); ++k) {
    const auto& results = site->effects[k].effect->results;
    container |= results.size() == 1 && results[0].shape == model::Shape::Container;
  }
  bool any = false;
  for (std::size_t k = op == Op::Call ? 1 : 0; container && k < view.at(event).operand_count; ++k) {
    ValueNo element = view.operand(view.at(event), k);
    if (element != kNoValue && view.at(element).op == Op::Keyword) element = view.operand(view.at(element), 0);
    if (element == kNoValue || !inference_.may_be_module(inference_.expand(inference_.value_of(f, element), f)))
      continue;
    if (!root_is_frozen(f, element, at, depth + 1)) return false;
    any = true;
  }
  return any;
}

const std::vector<std::pair<FuncId, ValueNo>>& Contexts::stores_into(const CellKey& key) {
  if (stores_.empty()) {
    for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
      const FuncId f{i};
      if (!inference_.facts(f).evaluated) continue;
      const View view = view_of(inference_, f);
      const ModuleId module = program_.functions[f].module;
      for (std::uint32_t e = 0; e < view.size(); ++e) {
        const ir::Event& event = view.at(e);
        if (event.op == Op::StoreAttribute) {
          const NameId name = program_.name(module, event.name);
          for (const CellKey& cell :
               inference_.attribute_cells(inference_.expand(inference_.value_of(f, view.operand(event, 0)), f), name)) {
            stores_[cell].emplace_back(f, view.operand(event, 1));
          }
        } else if (event.op == Op::Store && (event.flags & ir::flag::kPlaceMask) != ir::flag::Local) {
          const NameId name = program_.name(module, event.name);
          CellKey cell{CellKind::Global, module.index, name.index};
          if ((event.flags & ir::flag::kPlaceMask) == ir::flag::Captured) {
            const FuncId owner = inference_.captured_owner(f, name);
            cell = {CellKind::Captured, owner.index, name.index};
          }
          stores_[cell].emplace_back(f, view.operand(event, 0));
        } else if (event.op == Op::Store && inference_.is_captured(f, program_.name(module, event.name))) {
          stores_[{CellKind::Captured, f.index, program_.name(module, event.name).index}].emplace_back(
              f, view.operand(event, 0));
        }
      }
    }
    stores_[{CellKind::Yield, ~0u, ~0u}];  // never empty again
  }
  static const std::vector<std::pair<FuncId, ValueNo>> kNone;
  auto found = stores_.find(key);
  return found == stores_.end() ? kNone : found->second;
}

// Every store into the place stores something frozen, or nothing.
bool Contexts::cell_is_frozen(const CellKey& key, int depth) {
  const auto& stores = stores_into(key);
  bool any = false;
  for (const auto& [f, value] : stores) {
    const auto atoms = inference_.atoms(inference_.value_of(f, value));
    if (atoms.size() == 1 && atoms[0].kind() == AtomKind::None) continue;
    // It may be frozen once it is stored.
    if (!root_is_frozen(f, value, inference_.facts(f).ssa.event_count, depth)) return false;
    any = true;
  }
  return any;
}

bool Contexts::is_frozen(FuncId f, std::uint32_t event) {
  const View view = view_of(inference_, f);
  const ir::Event& call = view.at(event);
  ValueNo callee = view.operand(call, 0);
  if (callee == kNoValue || callee >= view.size()) return false;
  const CallSite* site = inference_.facts(f).call_at(event);
  const ir::Event& named = view.at(callee);
  if (named.op == Op::LoadAttribute) {
    // `model.forward(x)`, `model.encode(x)`: the receiver; `self.net(x)`: the attribute itself.
    const Value value = inference_.expand(inference_.value_of(f, callee), f);
    if (!inference_.may_be_module(value)) callee = view.operand(named, 0);
  }
  if (root_is_frozen(f, callee, event, 0)) return true;
  return site != nullptr && site->frozen && site->targets.empty();
}

}  // namespace deadgrad::engine
