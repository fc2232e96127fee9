#include "analyzer/engine/flow.h"

#include <algorithm>

#include "analyzer/base/sorted.h"
#include "analyzer/engine/view.h"

namespace deadgrad::engine {

using ir::Op;

// Callers above a load that are searched for one that overwrites what it reads.
inline constexpr int kMostCallersUp = 4;

static bool cuts_graph(const model::Effect& effect) {
  return !effect.results.empty() && effect.results[0].graph == model::Graph::Cut;
}

Flow::Flow(const Inference& inference, Modes& modes, Reaches reaches)
    : inference_(inference),
      program_(inference.program()),
      modes_(modes),
      sure_(reaches == Reaches::Surely),
      kills_(inference, *this) {
  index();
}

void Flow::index() {
  callers_.resize(program_.functions.size());
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    for (const CallSite& site : facts.calls) {
      for (const CallTarget& target : site.targets) callers_[target.function.index].push_back({f, site.event, target});
    }
    const View view = view_of(inference_, f);
    const ModuleId module = program_.functions[f].module;
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      if (event.op == Op::LoadAttribute) {
        const NameId name = program_.name(module, event.name);
        const Value object = inference_.expand(inference_.value_of(f, view.operand(event, 0)), f);
        attribute_loads_[name].push_back({f, e, inference_.attribute_cells(object, name)});
        for (Atom atom : inference_.atoms(object)) {
          if (atom.kind() == AtomKind::Module)
            place_loads_[{CellKind::Global, atom.a(), name.index}].push_back({f, e, {}});
        }
      } else if (event.op == Op::Load) {
        const NameId name = program_.name(module, event.name);
        const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
        if (place == ir::flag::Global) {
          if (facts.ssa.definition[e] == kNoValue && program_.defines_global(module, name)) {
            place_loads_[{CellKind::Global, module.index, name.index}].push_back({f, e, {}});
          }
        } else if (place == ir::flag::Captured) {
          if (FuncId owner = inference_.captured_owner(f, name); owner.valid()) {
            place_loads_[{CellKind::Captured, owner.index, name.index}].push_back({f, e, {}});
          }
        }
      }
    }
  }
}

const Flow::Uses& Flow::uses(FuncId f) {
  auto [it, added] = uses_.emplace(f, Uses{});
  Uses& uses = it->second;
  if (!added) return uses;
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  std::vector<std::pair<ValueNo, std::pair<std::uint32_t, std::uint16_t>>> edges;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    if (event.op == Op::Load && ssa.definition[e] != kNoValue) edges.push_back({ssa.definition[e], {e, 0}});
    for (std::size_t k = 0; k < event.operand_count; ++k) {
      const ValueNo operand = view.operand(event, k);
      if (operand != kNoValue) edges.push_back({operand, {e, static_cast<std::uint16_t>(k)}});
    }
  }
  for (std::size_t p = 0; p < ssa.phis.size(); ++p) {
    const Phi& phi = ssa.phis[p];
    for (std::uint32_t o = 0; o < phi.count; ++o) {
      const ValueNo operand = ssa.phi_operands[phi.first + o];
      if (operand != kNoValue)
        edges.push_back({operand,
                         {ssa.event_count + static_cast<std::uint32_t>(p),
                          static_cast<std::uint16_t>(std::min<std::uint32_t>(o, 0xffff))}});
    }
  }
  std::sort(edges.begin(), edges.end());
  uses.first.assign(ssa.value_count() + 1, 0);
  for (const auto& edge : edges) ++uses.first[edge.first + 1];
  for (std::size_t v = 1; v < uses.first.size(); ++v) uses.first[v] += uses.first[v - 1];
  uses.list.reserve(edges.size());
  for (const auto& edge : edges) uses.list.push_back(edge.second);
  return uses;
}

std::vector<std::pair<std::uint32_t, std::uint16_t>> Flow::readers(FuncId f, ValueNo value) {
  const Uses& all = uses(f);
  return {all.list.begin() + all.first[value], all.list.begin() + all.first[value + 1]};
}

std::vector<Flow::Root> Flow::roots(FuncId f, ValueNo value) const {
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  const ModuleId module = program_.functions[f].module;
  std::vector<Root> result;
  std::vector<ValueNo> work{value};
  std::set<ValueNo> seen;
  while (!work.empty() && result.size() < 16) {
    const ValueNo at = work.back();
    work.pop_back();
    if (at == kNoValue || !seen.insert(at).second) continue;
    if (facts.ssa.is_phi(at)) {
      const Phi& phi = facts.ssa.phi(at);
      for (std::uint32_t o = 0; o < phi.count; ++o) work.push_back(facts.ssa.phi_operands[phi.first + o]);
      continue;
    }
    const ir::Event& event = view.at(at);
    switch (event.op) {
      case Op::Load: {
        if (facts.ssa.definition[at] != kNoValue) {
          work.push_back(facts.ssa.definition[at]);
          break;
        }
        const NameId name = program_.name(module, event.name);
        const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
        if (place == ir::flag::Global) result.push_back({kNoValue, {CellKind::Global, module.index, name.index}, -1});
        if (place == ir::flag::Captured) {
          if (FuncId owner = inference_.captured_owner(f, name); owner.valid())
            result.push_back({kNoValue, {CellKind::Captured, owner.index, name.index}, -1});
        }
        break;
      }
      case Op::Store:
      case Op::Typed:
      case Op::Await:
      case Op::LoadItem:
      case Op::Iterate:
      case Op::Unpack:
      case Op::Keyword:
      case Op::Star:
        work.push_back(view.operand(event, 0));
        break;
      case Op::Select:
        work.push_back(view.operand(event, 1));
        work.push_back(view.operand(event, 2));
        break;
      case Op::Bool:
        for (std::size_t k = 0; k < event.operand_count; ++k) work.push_back(view.operand(event, k));
        break;
      case Op::Param:
        result.push_back({kNoValue, {CellKind::Param, ~0u, ~0u}, static_cast<int>(event.target)});
        break;
      case Op::LoadAttribute: {
        const NameId name = program_.name(module, event.name);
        for (const CellKey& key :
             inference_.attribute_cells(inference_.expand(inference_.value_of(f, view.operand(event, 0)), f), name)) {
          result.push_back({kNoValue, key, -1});
        }
        break;
      }
      case Op::Call: {
        const CallSite* site = facts.call_at(at);
        bool passes = false;
        if (site != nullptr) {
          for (const EffectUse& use : site->effects) {
            if (use.effect->results.size() != 1) continue;
            if (use.effect->results[0].shape == model::Shape::Receiver) {
              const ValueNo callee = view.operand(event, 0);
              if (callee != kNoValue && !facts.ssa.is_phi(callee) && view.at(callee).op == Op::LoadAttribute) {
                work.push_back(view.operand(view.at(callee), 0));
                passes = true;
              }
            } else if (use.effect->results[0].shape == model::Shape::Argument || use.effect->identity_wrapper) {
              work.push_back(view.operand(event, 1));
              passes = true;
            }
          }
        }
        if (!passes) result.push_back({at, {CellKind::Param, ~0u, ~0u}, -1});
        break;
      }
      default:
        result.push_back({at, {CellKind::Param, ~0u, ~0u}, -1});
    }
  }
  return result;
}

ValueNo Flow::argument_for(FuncId f, std::uint32_t call_event, const CallTarget& target,
                           std::uint32_t parameter) const {
  const View view = view_of(inference_, f);
  const ir::Event& call = view.at(call_event);
  if (call.op != Op::Call) return kNoValue;
  if (target.has_receiver && parameter == 0) {
    const ValueNo callee = view.operand(call, 0);
    if (callee == kNoValue || callee >= view.size()) return kNoValue;
    return view.at(callee).op == Op::LoadAttribute ? view.operand(view.at(callee), 0) : callee;
  }
  const ir::Module& module = program_.module_of(target.function);
  const auto parameters = module.parameters_of(program_.function(target.function));
  std::uint32_t position = target.shift;
  for (std::size_t k = 1; k < call.operand_count; ++k) {
    const ValueNo argument = view.operand(call, k);
    if (argument == kNoValue) continue;
    const ir::Event& wrapper = view.at(argument);
    if (wrapper.op == Op::Star) return kNoValue;
    if (wrapper.op == Op::DoubleStar) continue;
    if (wrapper.op == Op::Keyword) {
      if (parameter < parameters.size() && module.text(parameters[parameter].name) == view.name(wrapper))
        return argument;
      continue;
    }
    if (position++ == parameter) return argument;
  }
  return kNoValue;
}

void Flow::end_in_backward(FuncId f, std::uint32_t event, Trace& out) {
  if (!out.backward) out.backward_at = {f, event};
  out.backward = true;
}

// What is computed under a guard has no graph. (Views and conversions that do nothing keep theirs: methods are let
// through.)
bool Flow::is_guarded(FuncId f, std::uint32_t event) {
  const ModeState& state = modes_.of(f).at(event);
  return !state.condition.valid() && (state.mode == Mode::NoGrad || state.mode == Mode::Inference);
}

void Flow::raise_at(FuncId f, std::uint32_t event, Trace& out) {
  if (!out.raises) out.raises_at = {f, event};
  out.raises = true;
}

void Flow::merge(Trace& into, const Trace& from, Place at, ValueNo argument) {
  if (!into.backward) into.backward_at = from.backward_at;
  into.backward |= from.backward;
  if (!into.unknown_at.function.valid()) into.unknown_at = from.unknown_at;
  into.unknown |= from.unknown;
  if (!into.raises) into.raises_at = from.raises_at;
  into.raises |= from.raises;
  into.detached |= from.detached;
  into.read_as_tensor |= from.read_as_tensor;
  for (const Stored& one : from.cells) add_sorted(into.cells, one);
  for (Growing one : from.growing) {
    one.via = at;
    one.argument = argument;
    add_sorted(into.growing, one);
  }
  into.sinks.insert(from.sinks.begin(), from.sinks.end());
}

// The attribute's name, if values in it can be shielded from loads.
static NameId attribute_of(const CellKey& key) {
  if (key.kind == CellKind::Attribute) return NameId{key.b};
  return key.kind == CellKind::AnyAttribute ? NameId{key.a} : NameId{};
}

void Flow::store_cell(FuncId f, const CellKey& key, Trace& out) const {
  add_sorted(out.cells, {key, kills_.any(attribute_of(key)) ? f : FuncId{}});
}

static bool same_place(const View& view, const Ssa& ssa, ValueNo a, ValueNo b, int depth = 0) {
  if (a >= view.size() || b >= view.size() || depth > 4) return false;
  const ir::Event &left = view.at(a), &right = view.at(b);
  if (left.op != right.op || left.name != right.name) return false;
  switch (left.op) {
    case Op::Load:
      return left.flags == right.flags && ssa.definition[a] == ssa.definition[b];
    case Op::LoadAttribute:
      return same_place(view, ssa, view.operand(left, 0), view.operand(right, 0), depth + 1);
    default:
      return a == b;
  }
}

// `self.sum += value`, `total = total + value` where total is no variable of its own function, `sums[name] += value`:
// what is stored holds what was there before.
bool Flow::adds_to(FuncId f, ValueNo value, const ir::Event& store) const {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  while (value < view.size() && view.at(value).op == Op::Typed) value = view.operand(view.at(value), 0);
  if (value >= view.size() || view.at(value).op != Op::Binary || !view.name(view.at(value)).starts_with("+"))
    return false;
  for (std::size_t k = 0; k < 2; ++k) {
    const ValueNo side = view.operand(view.at(value), k);
    if (side >= view.size()) continue;
    const ir::Event& load = view.at(side);
    if (store.op == Op::Store && load.op == Op::Load && load.name == store.name && ssa.definition[side] == kNoValue)
      return true;
    if (store.op == Op::StoreAttribute && load.op == Op::LoadAttribute && load.name == store.name &&
        same_place(view, ssa, view.operand(load, 0), view.operand(store, 0)))
      return true;
    if (store.op == Op::StoreItem && load.op == Op::LoadItem &&
        same_place(view, ssa, view.operand(load, 0), view.operand(store, 0)))
      return true;
  }
  return false;
}

// `rows[:] = …` and `rows[0] = …` on a container. A tensor keeps the history of what was written to it before.
Write Flow::item_write(FuncId f, std::uint32_t event) const {
  const View view = view_of(inference_, f);
  if (adds_to(f, view.operand(view.at(event), 2), view.at(event))) return {false, true, true};
  if (inference_.is_tensor(f, view.operand(view.at(event), 0))) return {false, true, false};
  const ValueNo index = view.operand(view.at(event), 1);
  if (index == kNoValue || index >= view.size()) return {};
  if (view.at(index).op == Op::Const) return {true, true, false};
  if (view.at(index).op != Op::MakeSlice) return {};
  for (std::size_t k = 0; k < view.at(index).operand_count; ++k) {
    const ir::Event& bound = view.at(view.operand(view.at(index), k));
    if (bound.op != Op::Const || (bound.flags & ir::flag::kConstMask) != ir::flag::None) return {};
  }
  return {true, false, false};
}

// What a callee does to one of its parameters.
static Write write_by(const Trace& callee, std::uint32_t parameter) {
  Write all{true, true, true};
  for (const Kept& kept : callee.kept) {
    if (kept.parameter != static_cast<int>(parameter)) continue;
    all.replaces &= kept.write.replaces;
    all.mutates &= kept.write.mutates;
    all.sums &= kept.write.sums;
  }
  return all;
}

// A parameter that need not be given (`callback=None`): the function does its work without.
bool Flow::is_optional(FuncId f, ValueNo callee) const {
  if (callee == kNoValue) return false;
  const std::vector<Root> origins = roots(f, callee);
  return origins.size() == 1 && origins[0].parameter >= 0 &&
         std::ranges::any_of(
             inference_.atoms(inference_.default_of(f, static_cast<std::uint32_t>(origins[0].parameter))),
             [](Atom atom) { return atom.kind() == AtomKind::None; });
}

ValueNo Flow::parameter_value(FuncId f, std::uint32_t parameter) const {
  const View view = view_of(inference_, f);
  for (std::uint32_t e = 0; e < view.size(); ++e)
    if (view.at(e).op == Op::Param && view.at(e).target == parameter) return e;
  return kNoValue;
}

// The value is put into a container: whoever reads the container may read it.
void Flow::keep(FuncId f, std::uint32_t event, ValueNo container, Write write, Trace& out, std::vector<ValueNo>& work) {
  for (const Root& root : roots(f, container)) keep_at(f, event, root, write, out, work);
}

void Flow::keep_at(FuncId f, std::uint32_t event, const Root& root, Write write, Trace& out,
                   std::vector<ValueNo>& work) {
  if (root.local != kNoValue && inference_.only_data(inference_.value_of(f, root.local))) return;
  out.kept.push_back({event, root.local, root.cell, root.parameter, write});
  if (root.local != kNoValue) {
    work.push_back(root.local);
  } else if (root.parameter >= 0) {
    if (root.parameter < 16) out.into_parameters |= static_cast<std::uint16_t>(1u << root.parameter);
    // Further uses of the parameter in this function see it as well.
    if (const ValueNo value = parameter_value(f, static_cast<std::uint32_t>(root.parameter)); value != kNoValue)
      work.push_back(value);
  } else {
    store_cell(f, root.cell, out);
    if (!write.replaces) add_sorted(out.growing, {root.cell, {f, event}, {f, event}, kNoValue, write.sums});
  }
}

// `rows += [y]`; `x += y` on a tensor, whose owner sees it too where it is a parameter.
void Flow::write_in_place(FuncId f, std::uint32_t event, Trace& out, std::vector<ValueNo>& work) {
  const View view = view_of(inference_, f);
  const ValueNo left = view.operand(view.at(event), 0);
  const Value value = inference_.expand(inference_.value_of(f, left), f);
  for (Atom atom : inference_.atoms(value))
    if (atom.kind() == AtomKind::Container) return keep(f, event, left, {}, out, work);
  if (inference_.only_data(value)) return;
  for (const Root& root : roots(f, left))
    if (root.parameter >= 0) keep_at(f, event, root, {false, true, true}, out, work);
}

// `x.add_(y)`. What is written to a tensor without a graph that shares its memory (`x.data.add_(y)`) is unseen by
// autograd.
void Flow::write_by_method(FuncId f, std::uint32_t call, model::InPlace how, Trace& out, std::vector<ValueNo>& work) {
  const View view = view_of(inference_, f);
  const ValueNo receiver = view.operand(view.at(view.operand(view.at(call), 0)), 0);
  const ValueNo at = assigned(f, receiver);
  if (at < view.size() && view.at(at).op == Op::LoadAttribute) {
    const auto effects = program_.api().find_any(view.name(view.at(at)));
    if (!effects.empty() && cuts_graph(*effects[0])) return;
  }
  const bool whole = at >= view.size() || view.at(at).op != Op::LoadItem;
  const bool replaces = how == model::InPlace::Replaces && whole;
  keep(f, call, receiver, {replaces, true, how == model::InPlace::Accumulates}, out, work);
}

// A method or attribute of the value ends its graph: what this says about the value.
static void note_cut(const model::Effect& effect, Trace& out) {
  for (const model::ResultFacts& result : effect.results) {
    if (result.graph != model::Graph::Cut) continue;
    out.read_as_tensor = true;
    out.detached |= result.shape == model::Shape::Tensor;
  }
}

const Trace& Flow::trace(FuncId f, ValueNo value) {
  static const Bindings kNone;
  return trace(f, value, kNone);
}

const Trace& Flow::trace(FuncId f, ValueNo value, const Bindings& given) {
  // Bindings that decide no branch make no difference.
  Bindings bindings;
  if (!given.empty()) {
    for (const ArmInfo& arm : modes_.of(f).arms) {
      for (const Condition& condition : arm.conditions)
        if (holds(condition, given)) bindings = given;
    }
  }
  const TraceKey key{f.index, value, bindings};
  if (auto found = traces_.find(key); found != traces_.end()) return found->second;
  static const Trace kBottom;
  static const Trace kTooDeep = [] {
    Trace trace;
    trace.unknown = kPassedAsStatement;
    return trace;
  }();
  if (auto open = in_progress_.find(key); open != in_progress_.end()) {
    lowest_open_ = std::min(lowest_open_, open->second);
    return kBottom;
  }
  if (depth_ >= kMostDepth) {
    lowest_open_ = 0;  // nothing on the way here knows enough to be kept
    return kTooDeep;
  }
  const int outer_lowest = lowest_open_;
  lowest_open_ = kMostDepth + 1;
  in_progress_.emplace(key, depth_);
  ++depth_;
  Trace result;
  run(f, value, bindings, result);
  --depth_;
  in_progress_.erase(key);
  // What was found while an outer member of a cycle was in progress lacks that member's share: it serves this once. The
  // outermost member has seen everything and is kept.
  const bool complete = lowest_open_ >= depth_;
  lowest_open_ = std::min(outer_lowest, complete ? kMostDepth + 1 : lowest_open_);
  if (complete) return traces_.emplace(key, std::move(result)).first->second;
  if (++incomplete_count_ > kMostIncomplete) return traces_.emplace(key, std::move(result)).first->second;
  incomplete_.push_back(std::make_unique<Trace>(std::move(result)));
  return *incomplete_.back();
}

void Flow::run(FuncId f, ValueNo start, const Bindings& bindings, Trace& out) {
  const Walk walk = this->walk(f, start, bindings, out);
  if (start < inference_.facts(f).ssa.event_count) find_carry(f, start, walk, out);
}

Flow::Walk Flow::walk(FuncId f, ValueNo start, const Bindings& bindings, Trace& out) {
  ItemKeys items;
  for (;;) {
    Trace found;
    Walk walk = walk_once(f, start, bindings, items, found);
    if (items.incomplete()) continue;
    out = std::move(found);
    return walk;
  }
}

// The value that a variable got, through plain assignments.
ValueNo Flow::assigned(FuncId f, ValueNo value) const {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  for (int hops = 0; hops < 6 && value < view.size(); ++hops) {
    const Op op = view.at(value).op;
    if (op == Op::Load && ssa.definition[value] != kNoValue)
      value = ssa.definition[value];
    else if (op == Op::Store || op == Op::Typed)
      value = view.operand(view.at(value), 0);
    else
      break;
  }
  return value;
}

ItemKeys::Key Flow::item_key(FuncId f, ValueNo index) const {
  const View view = view_of(inference_, f);
  if (index >= view.size() || view.at(index).op != Op::Const) return ItemKeys::kAny;
  const auto kind = static_cast<std::uint8_t>(view.at(index).flags & ir::flag::kConstMask);
  return {kind, program_.name(program_.functions[f].module, view.at(index).name)};
}

// An item of what may be a tensor shares the graph of all others.
ItemKeys::Key Flow::stored_key(FuncId f, std::uint32_t event) const {
  const View view = view_of(inference_, f);
  if (view.at(event).op != Op::StoreItem) return ItemKeys::kAny;
  const Value container = inference_.expand(inference_.value_of(f, view.operand(view.at(event), 0)), f);
  const auto atoms = inference_.atoms(container);
  const bool certain = !container.unknown &&
                       std::ranges::any_of(atoms, [](Atom atom) { return atom.kind() == AtomKind::Container; }) &&
                       !inference_.is_tensor(f, view.operand(view.at(event), 0));
  const ItemKeys::Key key = item_key(f, view.operand(view.at(event), 1));
  return certain || key.first == ir::flag::String ? key : ItemKeys::kAny;
}

Flow::Walk Flow::walk_once(FuncId f, ValueNo start, const Bindings& bindings, ItemKeys& items, Trace& out) {
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  const Ssa& ssa = facts.ssa;
  const ModuleId module = program_.functions[f].module;
  const Uses& uses = this->uses(f);
  const bool start_is_call = start < view.size() && view.at(start).op == Op::Call;
  std::vector<ValueNo> work{start};
  Walk walk;
  std::vector<char>& seen = walk.seen;
  seen.assign(ssa.value_count(), 0);
  // Which positions of a call's tuple result hold the graph. Calls not listed: all.
  std::unordered_map<ValueNo, std::uint16_t> positions;
  if (start_is_call) {
    if (const CallSite* site = facts.call_at(start);
        site != nullptr && !site->targets.empty() && (sure_ || !site->maybe_other)) {
      std::uint16_t held = 0;
      for (const CallTarget& target : site->targets) {
        const bool runs = target.kind == TargetKind::Direct || target.kind == TargetKind::Forward;
        held |= runs ? fresh_positions(target.function) : sure_ ? 0 : 0xffff;
      }
      if (held != 0) positions[start] = held;
      if (sure_ && held == 0) return walk;
    }
  }
  auto holds_position = [&](ValueNo tuple, std::uint32_t position) {
    for (int hops = 0; hops < 6 && tuple < view.size(); ++hops) {
      if (auto found = positions.find(tuple); found != positions.end())
        return (found->second >> std::min<std::uint32_t>(position, 15) & 1) != 0;
      if (view.at(tuple).op == Op::Load)
        tuple = ssa.definition[tuple];
      else if (view.at(tuple).op == Op::Store)
        tuple = view.operand(view.at(tuple), 0);
      else
        break;
    }
    return true;
  };
  auto cut = [&](std::string sink) { out.sinks.insert(std::move(sink)); };
  const FunctionModes& modes = modes_.of(f);
  std::size_t& walked = walked_[f];
  std::size_t kept_before = 0;
  items.add(start, ItemKeys::kAny);
  while (!work.empty()) {
    const ValueNo token = work.back();
    work.pop_back();
    if (token >= seen.size() || seen[token]) continue;
    seen[token] = 1;
    if (++walked > kMostWalked) {
      out.unknown |= kPassedAsStatement;
      break;
    }
    if (ssa.is_phi(token)) walk.phis.push_back(token);
    for (std::uint32_t u = uses.first[token]; u < uses.first[token + 1]; ++u) {
      const auto [user, operand] = uses.list[u];
      if (ssa.is_phi(user)) {
        work.push_back(user);
        continue;
      }
      const ir::Event& event = view.at(user);
      if (is_dead(modes, user, bindings)) continue;
      if (start_is_call && user == start) walk.back_at_start = true;
      for (; kept_before < out.kept.size(); ++kept_before) {
        const Kept& kept = out.kept[kept_before];
        if (kept.container != kNoValue) items.add(kept.container, stored_key(f, kept.event));
      }
      switch (event.op) {
        case Op::Load:
        case Op::Typed:
          if (event.op == Op::Typed && (event.flags & ir::flag::Certain) != 0 &&
              inference_.only_data(inference_.value_of(f, user)))
            break;
          [[fallthrough]];
        case Op::Star:
        case Op::DoubleStar:
        case Op::Keyword:
        case Op::Decorator:
        case Op::Await:
        case Op::Iterate:
        case Op::MakeList:
        case Op::MakeTuple:
        case Op::MakeSet:
        case Op::MakeDict:
        case Op::MakeSlice:
        case Op::Bool:
        case Op::Scope:
        case Op::Unknown:
          if (event.op == Op::Typed && operand == 1) break;
          if (event.op == Op::Unknown && sure_) break;
          if (event.op == Op::MakeList || event.op == Op::MakeTuple || event.op == Op::MakeDict)
            items.add(user, ItemKeys::kAny);
          if (event.op == Op::MakeTuple) {
            for (std::uint32_t v = uses.first[user]; v < uses.first[user + 1]; ++v) {
              if (!ssa.is_phi(uses.list[v].first) && view.at(uses.list[v].first).op == Op::Return)
                out.positions |= static_cast<std::uint16_t>(1u << std::min<std::uint32_t>(operand, 15));
            }
          }
          work.push_back(user);
          break;
        case Op::Unpack: {
          // Some results of an operation carry no graph: indices of a maximum, sizes.
          bool keeps = true;
          if (token < view.size() && view.at(token).op == Op::Call && (event.flags & ir::flag::kUnpackMask) == 0) {
            if (const CallSite* site = facts.call_at(token)) {
              for (const EffectUse& use : site->effects) {
                if (use.effect->results.size() > event.target && use.effect->results.size() > 1)
                  keeps = use.effect->results[event.target].graph != model::Graph::Cut;
              }
            }
          }
          out.read_as_tensor |= !keeps;
          if (!keeps && view.operand(view.at(token), 0) < view.size())
            cut("." + std::string(view.name(view.at(view.operand(view.at(token), 0)))) + "()");
          if (keeps && ((event.flags & ir::flag::kUnpackMask) != 0 || holds_position(token, event.target)))
            work.push_back(user);
          break;
        }
        case Op::LoadItem: {
          if (operand != 0) break;
          if (!items.holds(assigned(f, token), item_key(f, view.operand(event, 1)))) break;
          const auto index = inference_.atoms(inference_.value_of(f, view.operand(event, 1)));
          if (index.size() == 1 && index[0].kind() == AtomKind::Number &&
              view.at(view.operand(event, 1)).op == Op::Const) {
            const std::string_view digits = program_.text(index[0].name());
            if (digits.size() == 1 && digits[0] >= '0' && digits[0] <= '9' &&
                !holds_position(token, static_cast<std::uint32_t>(digits[0] - '0')))
              break;
          }
          walk.through_item = true;
          work.push_back(user);
          break;
        }
        case Op::Unary:
          if (view.name(event) == "not")
            cut("a test");
          else
            work.push_back(user);
          break;
        case Op::Binary: {
          if (is_guarded(f, user)) {
            cut("a computation under a guard");
            break;
          }
          work.push_back(user);
          if ((event.flags & ir::flag::InPlace) != 0 && operand == 1) write_in_place(f, user, out, work);
          break;
        }
        case Op::Compare:
          cut("a comparison");
          break;
        case Op::Format:
          cut("a formatted string");
          break;
        case Op::Branch:
          cut("a test");
          break;
        case Op::Select:
          if (operand == 0)
            cut("a test");
          else
            work.push_back(user);
          break;
        case Op::Raise:
          cut("raise");
          break;
        case Op::Return:
        case Op::Yield:
          out.returned = true;
          if (token >= view.size() || view.at(token).op != Op::MakeTuple || event.op == Op::Yield)
            out.positions = 0xffff;
          break;
        case Op::Store: {
          work.push_back(user);
          const NameId name = program_.name(module, event.name);
          CellKey place{CellKind::Param, ~0u, ~0u};
          switch (event.flags & ir::flag::kPlaceMask) {
            case ir::flag::Global:
              place = {CellKind::Global, module.index, name.index};
              break;
            case ir::flag::Captured:
              if (FuncId owner = inference_.captured_owner(f, name); owner.valid())
                place = {CellKind::Captured, owner.index, name.index};
              break;
            default:
              if (inference_.is_captured(f, name)) place = {CellKind::Captured, f.index, name.index};
          }
          if (place.kind == CellKind::Param) break;
          store_cell(f, place, out);
          if (adds_to(f, token, event)) add_sorted(out.growing, {place, {f, user}, {f, user}, kNoValue, true});
          break;
        }
        case Op::StoreAttribute:
          if (operand == 1) {
            const NameId name = program_.name(module, event.name);
            const Value object = inference_.expand(inference_.value_of(f, view.operand(event, 0)), f);
            const bool grows = adds_to(f, token, event);
            for (const CellKey& key : inference_.attribute_cells(object, name)) {
              store_cell(f, key, out);
              if (grows) add_sorted(out.growing, {key, {f, user}, {f, user}, kNoValue, true});
            }
            Kept kept{user, kNoValue, {CellKind::AnyAttribute, name.index, 0}, -1, true};
            out.kept.push_back(kept);
          }
          break;
        case Op::StoreItem:
          if (operand == 2) keep(f, user, view.operand(event, 0), item_write(f, user), out, work);
          break;
        case Op::Append:
          if (operand == 1) {
            keep(f, user, view.operand(event, 0), {}, out, work);
            work.push_back(view.operand(event, 0));
          }
          break;
        case Op::LoadAttribute: {
          // A method call on it, or a read of an attribute.
          bool read = false;
          for (std::uint32_t v = uses.first[user]; v < uses.first[user + 1]; ++v) {
            const auto [caller, position] = uses.list[v];
            if (!ssa.is_phi(caller) && view.at(caller).op == Op::Call && position == 0) {
              if (start_is_call && caller == start) walk.back_at_start = true;
              if (through_method(f, caller, out)) work.push_back(caller);
            } else {
              read = true;
            }
          }
          if (!read) break;
          const auto effects = program_.api().find_any(view.name(event));
          if (!effects.empty() && effects[0]->backward != model::Backward::None) {
            end_in_backward(f, user, out);  // who reads `.grad_fn` wants the graph
          } else if (!effects.empty() && !effects[0]->results.empty() &&
                     effects[0]->results[0].graph == model::Graph::Cut) {
            note_cut(*effects[0], out);
            cut("." + std::string(view.name(event)));
          } else if (!effects.empty() && effects[0]->attribute && !effects[0]->results.empty() &&
                     effects[0]->results[0].shape == model::Shape::Plain) {
            cut("." + std::string(view.name(event)));
          } else {
            work.push_back(user);
          }
          break;
        }
        case Op::Call:
          if (operand == 0) break;
          if (std::uint16_t held = 0; through_call(f, user, operand, out, work, held)) {
            const CallSite* called = facts.call_at(user);
            if (is_guarded(f, user) && called != nullptr &&
                (called->runs_module != Evidence::None || (called->targets.empty() && !called->effects.empty()))) {
              cut("a computation under a guard");
              break;
            }
            items.add(user, ItemKeys::kAny);
            if (auto [it, added] = positions.emplace(user, held); !added && (it->second | held) != it->second) {
              it->second |= held;
              if (user < seen.size()) seen[user] = 0;  // more positions hold it than its readers were told
            }
            work.push_back(user);
          }
          break;
        default:
          break;
      }
    }
  }
  return walk;
}

// Is an argument given that leaves the result without a graph, a dtype that has no gradients?
bool Flow::is_cut_by_argument(FuncId f, std::uint32_t event, const model::Effect& effect) const {
  if (effect.cut_by.empty()) return false;
  const View view = view_of(inference_, f);
  for (std::size_t k = 1; k < view.at(event).operand_count; ++k) {
    const ValueNo argument = view.operand(view.at(event), k);
    if (argument == kNoValue) continue;
    const Value given = inference_.expand(inference_.value_of(f, argument), f);
    const auto atoms = inference_.atoms(given);
    if (given.unknown || atoms.size() != 1 || atoms[0].kind() != AtomKind::Api) continue;
    if (std::ranges::find(effect.cut_by, program_.text(atoms[0].name())) != effect.cut_by.end()) return true;
  }
  return false;
}

// `token.method(…)`. True: the call's value carries the graph on.
bool Flow::through_method(FuncId f, std::uint32_t event, Trace& out) {
  const FunctionFacts& facts = inference_.facts(f);
  const View view = view_of(inference_, f);
  const ir::Event& call = view.at(event);
  const ir::Event& callee = view.at(view.operand(call, 0));
  const CallSite* site = facts.call_at(event);
  const std::string name = "." + std::string(view.name(callee)) + "()";
  bool keeps = false, known = false;
  auto apply = [&](const model::Effect& effect) {
    known = true;
    if (effect.backward == model::Backward::Receiver || effect.backward == model::Backward::AllArguments) {
      end_in_backward(f, event, out);
      return;
    }
    if (effect.forward == model::Forward::Guarded) {
      out.sinks.insert(name);
      return;
    }
    if (effect.raises_if_attached) raise_at(f, event, out);
    if (effect.stores_argument || effect.optimizer_step || effect.zero_grad) return;
    if (is_cut_by_argument(f, event, effect)) {
      out.sinks.insert(name);
      return;
    }
    if (effect.results.empty()) {
      keeps = !sure_;
      return;
    }
    bool any = false;
    for (const model::ResultFacts& result : effect.results) {
      any |= result.graph != model::Graph::Cut && result.shape != model::Shape::Plain;
    }
    // `x.max()` is one tensor that keeps its graph; `x.max(1)` is a pair.
    if (any) {
      keeps = true;
    } else {
      note_cut(effect, out);
      out.sinks.insert(name);
    }
  };
  // An object of the project that holds the value: what its method does with it is told by its attributes.
  bool is_project = false;
  if (site != nullptr) {
    for (const EffectUse& use : site->effects) apply(*use.effect);
    for (const CallTarget& target : site->targets)
      is_project |= target.has_receiver && target.kind != TargetKind::Spawn;
  }
  const auto effects = program_.api().find_any(view.name(callee));
  const bool by_name = !effects.empty() && effects[0]->only_if_imported.empty();
  if (is_project) {
    // A receiver that may be a tensor as well: what ends a tensor's graph is the end of it.
    const bool ends = by_name && cuts_graph(*effects[0]) &&
                      (site->maybe_other || !site->effects.empty() || !effects[0]->raises_if_attached);
    if (!ends) return !sure_;
    keeps = false;
  } else if (known) {
    return keeps;
  }
  if (!by_name) return !sure_;
  apply(*effects[0]);
  return keeps;
}

// `callee(…, token, …)`. True: the call's value carries the graph on.
bool Flow::through_call(FuncId f, std::uint32_t event, std::size_t operand, Trace& out, std::vector<ValueNo>& work,
                        std::uint16_t& positions) {
  const FunctionFacts& facts = inference_.facts(f);
  const View view = view_of(inference_, f);
  const ir::Event& call = view.at(event);
  const CallSite* site = facts.call_at(event);
  const ValueNo argument = view.operand(call, operand);
  const ValueNo callee_number = view.operand(call, 0);
  const ir::Event* callee =
      callee_number != kNoValue && callee_number < view.size() ? &view.at(callee_number) : nullptr;
  std::string name = callee != nullptr && callee->name.valid() ? std::string(view.name(*callee)) : "a call";
  if (site == nullptr) {
    positions = sure_ ? 0 : 0xffff;
    return !sure_;
  }
  const bool discarded = (call.flags & ir::flag::Discarded) != 0;
  bool keeps = false;
  std::uint16_t passes = 0;  // positions of the targets' results
  for (const CallTarget& target : site->targets) {
    if (target.kind == TargetKind::Callback || target.kind == TargetKind::Spawn ||
        target.kind == TargetKind::SpawnInherit)
      continue;
    const ir::Module& module = program_.module_of(target.function);
    const auto parameters = module.parameters_of(program_.function(target.function));
    bool found = false;
    for (std::uint32_t p = 0; p < parameters.size(); ++p) {
      bool binds = argument_for(f, event, target, p) == argument;
      if (!binds && !found &&
          (parameters[p].kind == ir::ParamKind::VarArgs || parameters[p].kind == ir::ParamKind::VarKeywords)) {
        const bool keyword = view.at(argument).op == Op::Keyword || view.at(argument).op == Op::DoubleStar;
        binds = keyword == (parameters[p].kind == ir::ParamKind::VarKeywords);
        for (std::uint32_t q = 0; binds && q < parameters.size(); ++q) {
          if (q != p && parameters[q].kind != ir::ParamKind::VarArgs &&
              parameters[q].kind != ir::ParamKind::VarKeywords && argument_for(f, event, target, q) == argument)
            binds = false;
        }
      }
      if (!binds) continue;
      found = true;
      const ValueNo value = parameter_value(target.function, p);
      if (value == kNoValue) continue;
      const Trace& inner = trace(target.function, value);
      merge(out, inner, {f, event}, argument);
      if (inner.returned) passes |= inner.positions;
      for (std::uint32_t q = 0; q < parameters.size() && q < 16; ++q) {
        if (!(inner.into_parameters >> q & 1) || q == p) continue;
        const ValueNo holder = argument_for(f, event, target, q);
        if (holder != kNoValue) keep(f, event, holder, write_by(inner, q), out, work);
      }
    }
    if (!found) keeps |= !sure_;  // star-arguments: anything may happen to it
  }
  for (const EffectUse& use : site->effects) {
    const model::Effect& effect = *use.effect;
    if (effect.backward == model::Backward::Receiver || effect.backward == model::Backward::AllArguments) {
      end_in_backward(f, event,
                      out);  // `accelerator.backward(loss)`: whoever the receiver is, the argument is differentiated
      continue;
    }
    if (effect.backward == model::Backward::Argument) {
      bool named = effect.backward_argument.position == static_cast<int>(operand) - 1;
      if (view.at(argument).op == Op::Keyword && view.name(view.at(argument)) == effect.backward_argument.keyword)
        named = true;
      if (named || !effect.backward_argument.valid()) {
        end_in_backward(f, event, out);
        continue;
      }
    }
    if (effect.optimizer_step) {
      end_in_backward(f, event, out);  // `optimizer.step(loss)` and the like
      continue;
    }
    if (effect.forward == model::Forward::Guarded) {
      out.sinks.insert(name);
      continue;
    }
    if (effect.raises_if_attached) raise_at(f, event, out);
    if (effect.in_place != model::InPlace::No && callee != nullptr && callee->op == Op::LoadAttribute) {
      if (is_guarded(f, event)) continue;
      write_by_method(f, event, effect.in_place, out, work);
      keeps = true;
      continue;
    }
    if (effect.stores_argument) {
      if (callee != nullptr && callee->op == Op::LoadAttribute) {
        const Value holder = inference_.expand(inference_.value_of(f, view.operand(*callee, 0)), f);
        bool container = holder.unknown || inference_.atoms(holder).empty();
        for (Atom atom : inference_.atoms(holder))
          container |= atom.kind() == AtomKind::Container || atom.kind() == AtomKind::Object;
        if (container) {
          keep(f, event, view.operand(*callee, 0), {}, out, work);
        }
      }
      continue;
    }
    if (effect.results.empty()) {
      keeps |= !sure_;
      continue;
    }
    bool any = false;
    for (const model::ResultFacts& result : effect.results)
      any |= result.graph != model::Graph::Cut && result.shape != model::Shape::Plain;
    if (any) {
      keeps = true;
    } else {
      for (const model::ResultFacts& result : effect.results)
        out.read_as_tensor |= result.shape == model::Shape::Tensor && result.graph == model::Graph::Cut;
      out.sinks.insert(name);
    }
  }
  if (site->constructs && site->targets.empty()) {
    keeps |= !sure_;
    for (Atom atom : inference_.atoms(inference_.value_of(f, event))) {
      if (atom.kind() == AtomKind::Object && atom.object_shape() == model::Shape::Optimizer)
        end_in_backward(f, event, out);
      if (atom.kind() == AtomKind::Plain) keeps = false;
    }
  }
  if (site->data_only) out.sinks.insert(name);
  if ((site->runs_module != Evidence::None && site->targets.empty()) || (site->maybe_other && !sure_)) keeps = true;
  if (site->unresolved && site->runs_module != Evidence::Proven) {
    if (!out.unknown_at.function.valid()) out.unknown_at = {f, event};
    out.unknown |= discarded && !is_optional(f, callee_number) ? kPassedAsStatement : kPassedInExpression;
    keeps |= !sure_;
  }
  positions = keeps ? 0xffff : passes;
  return positions != 0;
}

// -------------------------------------------------------------------------------------------------- verdicts over
// callers

Fate Flow::combine(FuncId f, const Trace& trace, Fate results) {
  return combine(f, trace, results, &results);
}

Fate Flow::combine(FuncId f, const Trace& trace, Fate results, const Fate* context) {
  Fate fate;
  if (trace.backward) return {Tri::Yes, 0, trace.backward_at};
  if (trace.unknown) fate = {Tri::Unknown, trace.unknown, trace.unknown_at};
  if (trace.returned) fate = join(fate, results);
  if (fate.tri == Tri::Yes) return fate;
  for (const Stored& stored : trace.cells) {
    fate = join(fate, of_stored(stored, stored.by == f ? context : nullptr));
    if (fate.tri == Tri::Yes) return fate;
  }
  for (std::uint32_t p = 0; trace.into_parameters >> p; ++p) {
    if (!(trace.into_parameters >> p & 1)) continue;
    bool any = false;
    for (const Caller& caller : callers_[f.index]) {
      const ValueNo holder = argument_for(caller.function, caller.event, caller.target, p);
      if (holder == kNoValue) continue;
      for (const Root& root : roots(caller.function, holder)) {
        any = true;
        if (root.local != kNoValue)
          fate = join(fate, anywhere(caller.function, root.local));
        else if (root.parameter < 0)
          fate = join(fate, of_cell(root.cell));
        else
          fate = join(fate, {Tri::Unknown, kReturnedToUnknown, {}});
      }
    }
    if (!any) fate = join(fate, {Tri::Unknown, kReturnedToUnknown, {}});
  }
  return fate;
}

Fate Flow::anywhere(FuncId f, ValueNo value) {
  const std::pair<std::uint32_t, ValueNo> key{f.index, value};
  if (auto found = fates_.find(key); found != fates_.end()) return found->second;
  if (depth_ >= kMostDepth) return {Tri::Unknown, kPassedAsStatement, {}};
  fates_.emplace(key, Fate{});  // bottom while in progress: a cycle adds nothing of its own
  ++depth_;
  const Trace inner = trace(f, value);
  Fate fate = combine(f, inner, inner.returned && !inner.backward ? results_of(f) : Fate{}, nullptr);
  --depth_;
  fates_[key] = fate;
  return fate;
}

Fate Flow::results_of(FuncId f) {
  if (auto found = result_fates_.find(f); found != result_fates_.end()) return found->second;
  result_fates_.emplace(f, Fate{});
  Fate fate;
  bool any = false;
  for (const Caller& caller : callers_[f.index]) {
    any = true;
    fate = join(fate, of_result_at(caller));
    if (fate.tri == Tri::Yes) break;
  }
  if (!any) fate = {Tri::Unknown, kReturnedToUnknown, {}};
  result_fates_[f] = fate;
  return fate;
}

Fate Flow::of_result_at(const Caller& caller) {
  if (caller.target.kind == TargetKind::Callback || caller.target.kind == TargetKind::Spawn ||
      caller.target.kind == TargetKind::SpawnInherit)
    return {Tri::Unknown, kReturnedToUnknown, {}};
  return anywhere(caller.function, caller.event);
}

std::vector<const Flow::Load*> Flow::loads_of(const CellKey& key) const {
  std::vector<const Load*> result;
  if (key.kind != CellKind::Attribute && key.kind != CellKind::AnyAttribute) {
    if (auto loads = place_loads_.find(key); loads != place_loads_.end())
      for (const Load& load : loads->second) result.push_back(&load);
    return result;
  }
  auto loads = attribute_loads_.find(NameId{key.kind == CellKind::Attribute ? key.b : key.a});
  if (loads == attribute_loads_.end()) return result;
  for (const Load& load : loads->second) {
    bool match = key.kind == CellKind::AnyAttribute;
    for (const CellKey& cell : load.cells) {
      if (cell == key || cell.kind == CellKind::AnyAttribute) match = true;
      if (cell.kind == CellKind::Attribute && key.kind == CellKind::Attribute) {
        const auto& up = inference_.ancestry(TypeId{key.a});
        const auto& down = inference_.descendants(TypeId{key.a});
        match |= std::find(up.begin(), up.end(), TypeId{cell.a}) != up.end() ||
                 std::find(down.begin(), down.end(), TypeId{cell.a}) != down.end();
      }
    }
    if (match) result.push_back(&load);
  }
  return result;
}

Fate Flow::of_cell(const CellKey& key) {
  if (auto found = cell_fates_.find(key); found != cell_fates_.end()) return found->second;
  cell_fates_.emplace(key, Fate{});
  Fate fate;
  for (const Load* load : loads_of(key)) {
    fate = join(fate, anywhere(load->function, load->event));
    if (fate.tri == Tri::Yes) break;
  }
  cell_fates_[key] = fate;
  return fate;
}

static int number_of(const Fate* context) {
  return context == nullptr ? 0 : 1 + (static_cast<int>(context->tri) << 8 | static_cast<int>(context->unknown));
}

Fate Flow::of_stored(const Stored& stored, const Fate* context) {
  if (!stored.by.valid()) return of_cell(stored.cell);
  if (depth_ >= kMostDepth) return {Tri::Unknown, kPassedAsStatement, {}};
  const std::pair memo{stored, number_of(context)};
  if (auto found = stored_fates_.find(memo); found != stored_fates_.end()) return found->second;
  stored_fates_.emplace(memo, Fate{});
  ++depth_;
  Fate fate;
  for (const Load* load : loads_of(stored.cell)) {
    fate = join(fate, of_load(*load, stored.by, context));
    if (fate.tri == Tri::Yes) break;
  }
  --depth_;
  stored_fates_[memo] = fate;
  return fate;
}

// Can what `storing` stores, in this context, not come through?
bool Flow::is_shielded(const Shield& shield, FuncId storing, const Fate* context) {
  if (!shield.holds || std::binary_search(shield.between.begin(), shield.between.end(), storing)) return false;
  return std::ranges::all_of(shield.calls, [&](const Shield::Call& call) {
    if (call.target != storing) return true;
    // Every context that this call begins trains: the one at hand is none of them.
    return context != nullptr && context->tri != Tri::Yes && modes_.of(call.caller).condition_parameters.empty() &&
           trace(call.caller, call.event).backward;
  });
}

// `event` is the load, or a call on the way to it.
Flow::OpenCallers Flow::open_callers(FuncId f, std::uint32_t event, const Access& access, FuncId storing,
                                     const Fate* context, int depth) {
  if (depth > kMostCallersUp) return {};
  auto [memo, added] = open_callers_.emplace(std::tuple{f, event, access, storing, number_of(context)}, OpenCallers{});
  if (!added) return memo->second;
  std::vector<std::pair<const Caller*, OpenCallers>> open;
  bool any = false, all = true;
  for (const Caller& caller : callers_[f.index]) {
    OpenCallers further;
    if (const auto outside = kills_.at_caller(access, caller.function, caller.event, caller.target)) {
      const Shield& shield = kills_.before(caller.function, caller.event, *outside);
      if (is_shielded(shield, storing, context))
        further = {false, false, {}};
      else if (!shield.holds && caller.function != storing)
        further = open_callers(caller.function, caller.event, *outside, storing, context, depth + 1);
    }
    any |= further.any;
    all &= further.all;
    if (further.any) open.emplace_back(&caller, further);
  }
  if (all || !is_shielded(kills_.beside(f, event, access), storing, context)) return {};
  Fate results;
  for (const auto& [caller, further] : open) {
    results = join(results, further.all ? of_result_at(*caller)
                                        : combine(caller->function, trace(caller->function, caller->event),
                                                  further.results, nullptr));
  }
  return memo->second = {any, false, results};
}

// The fate of what `storing` left in an attribute, once it is loaded here.
Fate Flow::of_load(const Load& load, FuncId storing, const Fate* context) {
  const FuncId f = load.function;
  const std::optional<Access> access = kills_.access_of(f, load.event);
  if (!access) return anywhere(f, load.event);
  const bool own = f == storing && context != nullptr;
  const Shield& shield = kills_.before(f, load.event, *access);
  if (shield.holds) {
    if (own) return combine(f, trace(f, load.event), *context);
    return is_shielded(shield, storing, context) ? Fate{} : anywhere(f, load.event);
  }
  const OpenCallers open = open_callers(f, load.event, *access, storing, context, 0);
  if (open.all) return anywhere(f, load.event);
  if (!open.any && !own) return {};
  return combine(f, trace(f, load.event), own ? join(*context, open.results) : open.results);
}

bool Flow::returns_fresh_graph(FuncId f) {
  return fresh_positions(f) != 0;
}

std::uint16_t Flow::fresh_positions(FuncId f) {
  if (auto found = fresh_.find(f); found != fresh_.end()) return found->second;
  if (depth_ >= kMostDepth) return 0;
  fresh_.emplace(f, 0);
  ++depth_;
  std::uint16_t fresh = 0;
  const FunctionFacts& facts = inference_.facts(f);
  for (const CallSite& site : facts.calls) {
    if (is_guarded(f, site.event)) continue;
    bool begins = site.runs_module >= Evidence::Duck && !site.guarded_inside && site.targets.empty();
    for (const CallTarget& target : site.targets) {
      if (begins) break;
      if (target.kind == TargetKind::Direct) begins = returns_fresh_graph(target.function);
      if (target.kind == TargetKind::Forward) begins = forward_builds_graph(target.function);
    }
    if (!begins) continue;
    const Trace& inner = trace(f, site.event);
    if (inner.returned) fresh |= inner.positions;
  }
  --depth_;
  fresh_[f] = fresh;
  return fresh;
}

// Layers run outside a guard, parameters used in functions, and layers that are not in view.
bool Flow::forward_builds_graph(FuncId f) {
  if (auto found = fresh_forwards_.find(f); found != fresh_forwards_.end()) return found->second;
  if (depth_ >= kMostDepth) return true;
  fresh_forwards_.emplace(f, 0);
  ++depth_;
  const View view = view_of(inference_, f);
  const FunctionFacts& facts = inference_.facts(f);
  bool builds = false;
  for (std::uint32_t e = 0; e < view.size() && !builds; ++e) {
    const ir::Event& event = view.at(e);
    if (is_guarded(f, e)) continue;
    if (event.op == Op::LoadAttribute) {
      const Value object = inference_.expand(inference_.value_of(f, view.operand(event, 0)), f);
      if (!inference_.may_be_module(object)) continue;
      const Value value = inference_.expand(inference_.value_of(f, e), f);
      bool inherited = value.unknown;
      for (Atom atom : inference_.atoms(value)) {
        builds |= atom.kind() == AtomKind::Tensor;
        inherited |= atom.kind() == AtomKind::ApiMethod;
      }
      // `self.weight` of a class that derives from a library layer.
      for (Atom atom : inference_.atoms(object)) {
        if (atom.kind() == AtomKind::Instance && inherited) builds |= inference_.derives_from_layer(atom.type());
      }
    } else if (event.op == Op::Call) {
      const CallSite* site = facts.call_at(e);
      if (site == nullptr || site->guarded_inside) continue;
      builds |= site->runs_module >= Evidence::Duck && site->targets.empty() && !site->without_parameters &&
                !site->named_method;
      for (const CallTarget& target : site->targets) {
        if (target.kind == TargetKind::Forward || target.kind == TargetKind::Direct)
          builds |= forward_builds_graph(target.function);
      }
      if (!site->unresolved && !site->maybe_other) continue;
      const ValueNo callee = view.operand(event, 0);
      if (callee == kNoValue || callee >= view.size()) continue;
      // A layer of its own, or something in a variable (`for layer in self.layers`); not a method of a tensor.
      bool layer = view.at(callee).op == Op::Load;
      if (view.at(callee).op == Op::LoadAttribute) {
        layer =
            inference_.may_be_module(inference_.expand(inference_.value_of(f, view.operand(view.at(callee), 0)), f));
      }
      if (layer && trace(f, e).returned) builds = true;
    }
  }
  --depth_;
  fresh_forwards_[f] = builds;
  return builds;
}

}  // namespace deadgrad::engine
