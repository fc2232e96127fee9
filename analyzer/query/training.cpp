// Guards that break training: a backward on a value that no graph can have, because what made it ran with autograd off.
// Everything here is proof: what is not known to lack a graph may have one.
#include <algorithm>
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"
#include "analyzer/query/training.h"

namespace deadgrad {

using engine::AtomKind;
using engine::CallSite;
using engine::CallTarget;
using engine::Context;
using engine::ContextId;
using engine::EffectUse;
using engine::Evidence;
using engine::kNoValue;
using engine::Mode;
using engine::ModeState;
using engine::TargetKind;
using engine::ValueNo;
using engine::View;
using ir::Op;

// Calls within calls that one proof follows, and values it looks at.
static constexpr int kMostDepth = 12;
static constexpr int kMostSteps = 4000;

GraphProof::Frame GraphProof::frame_of(ContextId id) {
  const Context& context = contexts_.at(id);
  Frame frame;
  frame.function = context.function;
  frame.mode = context.mode;
  frame.bindings = context.bindings;
  if (context.parent.valid() && context.starter == Mode::Inherit) {
    frames_.push_back(frame_of(context.parent));
    frame.parent = &frames_.back();
    frame.call_event = context.call_event;
    frame.target = nullptr;
    const CallSite* site = inference_.facts(frame.parent->function).call_at(context.call_event);
    if (site != nullptr) {
      for (const CallTarget& target : site->targets)
        if (target.function == context.function) frame.target = &target;
    }
  }
  return frame;
}

std::optional<GraphProof::Frame> GraphProof::enter(const Frame& from, std::uint32_t event, const CallTarget& target) {
  int depth = 0;
  for (const Frame* at = &from; at != nullptr; at = at->parent) {
    if (at->function == target.function || ++depth > kMostDepth) return std::nullopt;
  }
  if (!inference_.facts(target.function).evaluated) return std::nullopt;
  Frame frame;
  frame.function = target.function;
  frame.mode = mode_at(from, event);
  Context context;
  context.function = from.function;
  context.bindings = from.bindings;
  frame.bindings = contexts_.bind(from.function, event, target, context);
  frame.parent = &from;
  frame.call_event = event;
  frame.target = &target;
  return frame;
}

const ModeState& GraphProof::state_at(const Frame& frame, std::uint32_t event) {
  const engine::FunctionModes& modes = modes_.of(frame.function);
  if (frame.turn != nullptr && event > frame.turn->loop && event < frame.turn->end &&
      modes.state_of[event] == modes.state_of[frame.turn->loop])
    return modes.states[frame.turn->state];
  return modes.at(event);
}

Mode GraphProof::mode_at(const Frame& frame, std::uint32_t event) {
  return engine::resolve(state_at(frame, event), frame.mode, frame.bindings);
}

std::optional<GraphProof::Source> GraphProof::source_of(const Frame& frame, std::uint32_t event) {
  for (const Frame* at = &frame;; event = at->call_event, at = at->parent) {
    const ModeState& state = state_at(*at, event);
    const bool overruled = state.grad_mode_only && at->mode == Mode::Inference;
    if (!overruled && engine::resolve(state, Mode::Inherit, at->bindings) != Mode::Inherit) {
      if (state.guard_event == ~0u) return std::nullopt;
      return Source{at, state};
    }
    if (at->parent == nullptr) {
      const ModeState switched = modes_.exit_of(program_.body_of(program_.functions[at->function].module));
      if (!is_off(switched.mode) || switched.guard_event == ~0u) return std::nullopt;
      return Source{at, switched};
    }
  }
}

// Is it one element of what also feeds a module: the labels beside the images of a loader? `source` is the Iterate.
bool GraphProof::feeds_module(FuncId f, ValueNo source) {
  const View view = engine::view_of(inference_, f);
  Frame frame;
  frame.function = f;
  for (const CallSite& site : inference_.facts(f).calls) {
    if (site.runs_module >= Evidence::Duck && view.at(site.event).op == Op::Call &&
        reads({&frame, site.event}, f, source))
      return true;
  }
  return std::ranges::any_of(forwards_, [&](const Origin& forward) { return reads(forward, f, source); });
}

// Is an argument of the call made of what `source`, an event of `f`, yields?
bool GraphProof::reads(const Origin& call, FuncId f, ValueNo source) {
  const View outer = engine::view_of(inference_, call.frame->function);
  for (std::size_t k = 1; k < outer.at(call.event).operand_count; ++k) {
    const Frame* frame = call.frame;
    ValueNo at = outer.operand(outer.at(call.event), k);
    for (int hops = 0; hops < 40 && at != kNoValue; ++hops) {
      const View view = engine::view_of(inference_, frame->function);
      const engine::Ssa& ssa = inference_.facts(frame->function).ssa;
      if (frame->function == f && at == source) return true;
      if (ssa.is_phi(at)) break;
      const ir::Event& event = view.at(at);
      if (event.op == Op::Load) {
        at = ssa.definition[at];
      } else if (event.op == Op::Store || event.op == Op::Unpack || event.op == Op::Keyword ||
                 event.op == Op::LoadItem || event.op == Op::Star || event.op == Op::DoubleStar ||
                 event.op == Op::Typed) {
        at = view.operand(event, 0);
      } else if (event.op == Op::Param && frame->parent != nullptr && frame->target != nullptr) {
        at = flow_.argument_for(frame->parent->function, frame->call_event, *frame->target, event.target);
        frame = frame->parent;
      } else if (event.op == Op::Call) {
        const ValueNo callee = view.operand(event, 0);
        if (callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute) break;
        at = view.operand(view.at(callee), 0);
      } else {
        break;
      }
    }
  }
  return false;
}

bool GraphProof::all_free(const Frame& frame, const ir::Event& event, std::size_t first) {
  const View view = engine::view_of(inference_, frame.function);
  for (std::size_t k = first; k < event.operand_count; ++k)
    if (!is_free(frame, view.operand(event, k))) return false;
  return true;
}

bool GraphProof::parameter_is_free(const Frame& frame, std::uint32_t parameter) {
  if (frame.parent == nullptr || frame.target == nullptr) return false;
  const ValueNo argument = flow_.argument_for(frame.parent->function, frame.call_event, *frame.target, parameter);
  if (argument == kNoValue) return inference_.only_data(inference_.default_of(frame.function, parameter));
  return is_free(*frame.parent, argument);
}

bool GraphProof::results_are_free(const Frame& frame) {
  const View view = engine::view_of(inference_, frame.function);
  if (view.function.is_generator || view.function.is_async) return false;
  const engine::FunctionModes& modes = modes_.of(frame.function);
  bool any = false;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::Return || view.at(e).operand_count == 0) continue;
    if (engine::is_dead(modes, e, frame.bindings)) continue;
    any = true;
    if (!is_free(frame, view.operand(view.at(e), 0))) return false;
  }
  return any;
}

// A value is free if no graph hangs on it.
bool GraphProof::is_free(const Frame& frame, ValueNo value) {
  if (value == kNoValue || ++steps_ > kMostSteps) return false;
  const FuncId f = frame.function;
  const engine::FunctionFacts& facts = inference_.facts(f);
  const std::pair<const Frame*, ValueNo> key{&frame, value};
  // What is in progress adds nothing of its own.
  if (auto [at, added] = known_.emplace(key, true); !added) return at->second;
  touched_.insert({f, value});
  const bool free = facts.ssa.is_phi(value)
                        ? phi_is_free(frame, value)
                        : inference_.only_data(inference_.value_of(f, value)) || event_is_free(frame, value);
  known_[key] = free;
  return free;
}

bool GraphProof::phi_is_free(const Frame& frame, ValueNo value) {
  const engine::Ssa& ssa = inference_.facts(frame.function).ssa;
  const engine::Phi& phi = ssa.phi(value);
  bool any = false;
  for (std::uint32_t o = 0; o < phi.count; ++o) {
    const ValueNo operand = ssa.phi_operands[phi.first + o];
    if (operand == kNoValue) continue;
    any = true;
    if (!is_free(frame, operand)) return false;
  }
  return any;
}

bool GraphProof::event_is_free(const Frame& frame, ValueNo value) {
  const FuncId f = frame.function;
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  const ir::Event& event = view.at(value);
  switch (event.op) {
    case Op::Const:
    case Op::Format:
    case Op::Compare:
      return true;
    case Op::Load:
      return ssa.definition[value] != kNoValue && is_free(frame, ssa.definition[value]);
    case Op::Store:
    case Op::Typed:
    case Op::Keyword:
    case Op::Star:
      return is_free(frame, view.operand(event, 0));
    case Op::Unpack:
    case Op::LoadItem: {
      const ValueNo whole = view.operand(event, 0);
      return is_free(frame, whole);
    }
    case Op::Iterate: {
      const ValueNo iterable = view.operand(event, 0);
      for (const engine::Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, iterable), f)))
        if (atom.kind() == AtomKind::Container || atom.kind() == AtomKind::Generator) return false;
      elements_.push_back({&frame, value});
      return true;
    }
    case Op::Binary:
      if (is_off(mode_at(frame, value))) {
        operations_.push_back({&frame, value});
        return true;
      }
      return all_free(frame, event, 0);
    case Op::Unary:
      return all_free(frame, event, 0);
    case Op::Bool:
      return all_free(frame, event, 0);
    case Op::Select:
      return all_free(frame, event, 1);
    case Op::MakeTuple:
    case Op::MakeList:
      return event.operand_count > 0 && all_free(frame, event, 0);
    case Op::LoadAttribute: {
      const auto effects = program_.api().find_any(view.name(event));
      if (!effects.empty() && !effects[0]->results.empty() && effects[0]->results[0].graph == model::Graph::Cut)
        return true;
      // A field of what a guarded forward returned; not of an object of the project.
      for (const engine::Atom atom :
           inference_.atoms(inference_.expand(inference_.value_of(f, view.operand(event, 0)), f)))
        if (atom.kind() != AtomKind::Tensor && atom.kind() != AtomKind::Object) return false;
      return is_free(frame, view.operand(event, 0));
    }
    case Op::Param:
      return parameter_is_free(frame, event.target);
    case Op::Call:
      return call_is_free(frame, value);
    default:
      return false;
  }
}

bool GraphProof::call_is_free(const Frame& frame, ValueNo value) {
  const FuncId f = frame.function;
  const View view = engine::view_of(inference_, f);
  const ir::Event& call = view.at(value);
  const CallSite* site = inference_.facts(f).call_at(value);
  const ValueNo callee = view.operand(call, 0);
  if (site == nullptr || callee == kNoValue || callee >= view.size()) return false;
  for (std::size_t k = 1; k < call.operand_count; ++k) {
    const ValueNo argument = view.operand(call, k);
    if (argument != kNoValue && view.at(argument).op == Op::Keyword && view.name(view.at(argument)) == "requires_grad")
      return false;
  }
  const bool off = is_off(mode_at(frame, value));
  const bool method = view.at(callee).op == Op::LoadAttribute;
  if (method && view.name(view.at(callee)) == "requires_grad_") return false;
  // Bodies in view decide for themselves.
  if (!site->targets.empty()) {
    if (site->maybe_other || site->constructs) return false;
    for (const CallTarget& target : site->targets) {
      if (target.kind != TargetKind::Direct && target.kind != TargetKind::Forward) return false;
      auto inside = enter(frame, value, target);
      if (!inside) return false;
      frames_.push_back(std::move(*inside));
      if (!results_are_free(frames_.back())) return false;
    }
    if (site->runs_module != Evidence::None && off) forwards_.push_back({&frame, value});
    return true;
  }
  if (site->guarded_inside) return true;
  if (site->runs_module != Evidence::None) {
    if (off && site->runs_module >= Evidence::Duck) {
      forwards_.push_back({&frame, value});
      return true;
    }
    return site->without_parameters && all_free(frame, call, 1);
  }
  bool known = false, cut = !site->effects.empty();
  for (const EffectUse& use : site->effects) {
    const model::Effect& effect = *use.effect;
    // `scaler.scale(loss)` is as its argument is, whatever the scaler is.
    if (effect.results.size() == 1 && effect.results[0].shape == model::Shape::Argument)
      return all_free(frame, call, 1);
    if (effect.calls_callee || effect.spawns || effect.makes_super || effect.reads_attribute) return false;
    known = true;
    bool ends = !effect.results.empty();
    for (const model::ResultFacts& result : effect.results)
      ends &= result.graph == model::Graph::Cut || result.shape == model::Shape::Plain;
    cut &= ends;
  }
  if (cut) return true;
  if (site->data_only) return true;
  const engine::Value object =
      method ? inference_.expand(inference_.value_of(f, view.operand(view.at(callee), 0)), f) : engine::Value{};
  bool api = false, tensor_method = method;
  for (const engine::Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, callee), f)))
    api |= atom.kind() == AtomKind::Api;
  for (const engine::Atom atom : inference_.atoms(object))
    tensor_method &= atom.kind() != AtomKind::Instance && atom.kind() != AtomKind::Module;
  if (api && known) {
    if (off) {
      operations_.push_back({&frame, value});
      return true;
    }
    return all_free(frame, call, 1);
  }
  if (!tensor_method) return false;
  if (!is_free(frame, view.operand(view.at(callee), 0))) return false;
  return all_free(frame, call, 1);
}

// Is it one of the values that the proof rests on?
bool GraphProof::is_touched(FuncId f, ValueNo value) const {
  const View view = engine::view_of(inference_, f);
  const engine::Ssa& ssa = inference_.facts(f).ssa;
  for (int hops = 0; hops < 12 && value != kNoValue; ++hops) {
    if (touched_.contains({f, value})) return true;
    if (ssa.is_phi(value)) return false;
    const ir::Event& event = view.at(value);
    if (event.op == Op::Load)
      value = ssa.definition[value];
    else if (event.op == Op::Store || event.op == Op::Typed)
      value = view.operand(event, 0);
    else
      return false;
  }
  return false;
}

// Was anything that the proof rests on made to require gradients afterwards? What went into a guarded forward does not
// matter.
bool GraphProof::revived() {
  std::set<FuncId> functions;
  for (const auto& [f, value] : touched_) functions.insert(f);
  for (const FuncId f : functions) {
    const View view = engine::view_of(inference_, f);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      ValueNo wanted = kNoValue;
      if (event.op == Op::StoreAttribute && view.name(event) == "requires_grad") {
        if (!is_touched(f, view.operand(event, 0))) continue;
        wanted = view.operand(event, 1);
      } else if (event.op == Op::Call) {
        const ValueNo callee = view.operand(event, 0);
        if (callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute ||
            view.name(view.at(callee)) != "requires_grad_")
          continue;
        if (!is_touched(f, view.operand(view.at(callee), 0))) continue;
        if (event.operand_count < 2) return true;
        wanted = view.operand(event, 1);
      } else {
        continue;
      }
      const auto atoms = inference_.atoms(inference_.value_of(f, wanted));
      if (atoms.size() != 1 || atoms[0].kind() != AtomKind::Bool || atoms[0].a() != 0) return true;
    }
  }
  return false;
}

// Does the event run whenever its function is entered (or the event `after` has run), as far as tests are concerned?
bool GraphProof::always_runs(const Frame& frame, std::uint32_t event, std::uint32_t after) {
  const View view = engine::view_of(inference_, frame.function);
  const engine::FunctionModes& modes = modes_.of(frame.function);
  std::vector<std::uint32_t> open;  // arms of branches around the present event
  std::vector<std::uint32_t> brackets;
  auto decided = [&](std::uint32_t arm_event) {
    const std::uint32_t arm = modes.arm_of[arm_event];
    if (arm == ~0u || modes.arms[arm].conditions.empty()) return false;
    for (const engine::Condition& condition : modes.arms[arm].conditions)
      if (!engine::holds(condition, frame.bindings)) return false;
    return true;
  };
  const bool here = after != ~0u;
  std::set<std::uint32_t> around_guard;
  for (std::uint32_t e = 0; e <= event && e < view.size(); ++e) {
    const ir::Event& one = view.at(e);
    if (e == after) around_guard.insert(open.begin(), open.end());
    if (one.op == Op::End) {
      if (!brackets.empty()) {
        if (!open.empty() && open.back() == brackets.back()) open.pop_back();
        brackets.pop_back();
      }
      continue;
    }
    const bool bracket = one.op == Op::Loop || one.op == Op::Branch || one.op == Op::Arm || one.op == Op::Try ||
                         one.op == Op::Handler || one.op == Op::Finally || one.op == Op::Scope;
    if (one.op == Op::Arm && !brackets.empty() && view.at(brackets.back()).op == Op::Branch) open.push_back(e);
    if (bracket) brackets.push_back(e);
    // `if not train: return`: what follows is conditional.
    const bool leaves = one.op == Op::Return || one.op == Op::Continue || one.op == Op::Break;
    if (leaves && !open.empty() && (!here || e > after) && !engine::is_dead(modes, e, frame.bindings) &&
        !decided(open.back()))
      return false;
  }
  for (const std::uint32_t arm : open)
    if (!(here && around_guard.contains(arm)) && !decided(arm)) return false;
  return true;
}

bool GraphProof::runs_under(const Frame& frame, std::uint32_t event, const Source& source) {
  for (const Frame* at = &frame;; event = at->call_event, at = at->parent) {
    std::uint32_t guard = ~0u;
    if (at == source.frame) {
      const auto [holder, local] = program_.locate(source.state.guard_event);
      if (holder == at->function) guard = local;
      // What a turn of the loop leaves behind meets the next turn from its start.
      if (at->turn != nullptr && guard != ~0u && guard > event) guard = at->turn->loop;
    }
    if (!always_runs(*at, event, guard)) return false;
    if (at == source.frame || at->parent == nullptr) return true;
  }
}

// The value that a call differentiates, or none.
ValueNo GraphProof::differentiated(FuncId f, const CallSite& site) const {
  const View view = engine::view_of(inference_, f);
  const ir::Event& call = view.at(site.event);
  if (call.op != Op::Call || !site.targets.empty()) return kNoValue;
  const ValueNo callee = view.operand(call, 0);
  for (const EffectUse& use : site.effects) {
    const model::Effect& effect = *use.effect;
    if (effect.backward == model::Backward::Receiver) {
      if (callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute) return kNoValue;
      return view.operand(view.at(callee), 0);
    }
    if (effect.backward != model::Backward::Argument) continue;
    int position = 0;
    for (std::size_t k = 1; k < call.operand_count; ++k) {
      const ValueNo argument = view.operand(call, k);
      if (argument == kNoValue) continue;
      const ir::Event& wrapper = view.at(argument);
      if (wrapper.op == Op::Star || wrapper.op == Op::DoubleStar) return kNoValue;
      if (wrapper.op == Op::Keyword) {
        if (view.name(wrapper) == effect.backward_argument.keyword) return argument;
        continue;
      }
      if (position++ == effect.backward_argument.position) return argument;
    }
  }
  return kNoValue;
}

void GraphProof::check(const Frame& frame, bool descend, std::vector<Broken>& out) {
  const FuncId f = frame.function;
  const engine::FunctionModes& modes = modes_.of(f);
  for (const CallSite& site : inference_.facts(f).calls) {
    if (frame.turn != nullptr && (site.event < frame.turn->loop || site.event > frame.turn->end ||
                                  modes.state_of[site.event] != modes.state_of[frame.turn->loop]))
      continue;
    if (engine::is_dead(modes, site.event, frame.bindings)) continue;
    if (const ValueNo value = differentiated(f, site); value != kNoValue) {
      known_.clear();
      touched_.clear();
      forwards_.clear();
      operations_.clear();
      elements_.clear();
      steps_ = 0;
      const bool free = is_free(frame, value) && !revived() && std::ranges::all_of(elements_, [&](const Origin& one) {
                          return feeds_module(one.frame->function, one.event);
                        });
      if (free) {
        const auto& origins = forwards_.empty() ? operations_ : forwards_;
        if (!origins.empty()) {
          const Origin origin = origins.front();
          const auto source = source_of(*origin.frame, origin.event);
          // From the guard to the backward nothing may decide against training.
          const Frame* holder = source ? source->frame : nullptr;
          bool shared = false;
          for (const Frame* at = &frame; at != nullptr; at = at->parent) shared |= at == holder;
          const bool proven = source && (shared ? runs_under(frame, site.event, *source)
                                                : runs_under_own_guard(frame, site.event, *origin.frame));
          if (proven) {
            Broken broken{source->state, f, site.event, {}};
            for (const Origin& one : origins) broken.origins.emplace_back(one.frame->function, one.event);
            out.push_back(std::move(broken));
          }
        }
      }
      continue;
    }
    for (const CallTarget& target : site.targets) {
      if (target.kind != TargetKind::Direct || !contexts_.trains_below(target.function)) continue;
      // Functions without a forward have no contexts.
      if (!descend && contexts_.forwards_below(target.function)) continue;
      if (auto inside = enter(frame, site.event, target)) {
        frames_.push_back(std::move(*inside));
        check(frames_.back(), descend, out);
      }
    }
  }
}

// The guard lies in a callee of the function that calls backward: only the way to the call counts.
bool GraphProof::runs_under_own_guard(const Frame& frame, std::uint32_t event, const Frame& origin) {
  const Frame* at = &origin;
  while (at->parent != nullptr && at->parent != &frame) at = at->parent;
  if (at->parent != &frame) return false;
  return always_runs(frame, event, at->call_event);
}

std::vector<GraphProof::Broken> GraphProof::run(bool include_tests) {
  std::vector<Broken> found;
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated || !contexts_.trains_below(f)) continue;
    if (!include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    for (const ContextId id : contexts_.of(f)) {
      const Context& context = contexts_.at(id);
      if (context.from_tests && !include_tests) continue;
      frames_.clear();
      Frame frame = frame_of(id);
      check(frame, false, found);
      // What one turn of a loop switches off is off in the next.
      for (const engine::LoopTail& tail : modes_.of(f).tails) {
        const ModeState& left = modes_.of(f).states[tail.state];
        if (!left.lasts || !is_off(engine::resolve(left, Mode::Inherit, context.bindings))) continue;
        if (engine::resolve(modes_.of(f).at(tail.loop), context.mode, context.bindings) != Mode::On) continue;
        frames_.clear();
        Frame next = frame_of(id);
        next.turn = &tail;
        check(next, true, found);
      }
    }
  }
  return found;
}

}  // namespace deadgrad
