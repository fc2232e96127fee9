#include "analyzer/engine/contexts.h"

#include <algorithm>

#include "analyzer/base/sorted.h"
#include "analyzer/engine/view.h"

namespace deadgrad::engine {

using ir::Op;

inline constexpr std::uint16_t kMostContexts = 48;
inline constexpr std::uint16_t kMostDepth = 200;
inline constexpr std::size_t kMostBindings = 4;

Contexts::Contexts(const Inference& inference, Modes& modes, Flow& flow)
    : inference_(inference), program_(inference.program()), modes_(modes), flow_(flow) {}

void Contexts::run() {
  by_function_.resize(program_.functions.size());
  reached_.assign(program_.functions.size(), 0);
  summarize();
  collect_freezes();
  add_entries();
  drain();
  // Cycles that nothing outside enters: their first member stands for an entry.
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (reached_[i] || !inference_.facts(f).evaluated || flow_.callers(f).empty()) continue;
    bool outside = false;
    for (const Flow::Caller& caller : flow_.callers(f)) outside |= reached_[caller.function.index] != 0;
    if (outside) continue;
    Context context;
    context.function = f;
    context.results = {Tri::Unknown, kReturnedToUnknown, {}};
    context.entry = EntryKind::Cycle;
    context.from_tests = is_test_module(program_.functions[f].module);
    enqueue(std::move(context));
    drain();
  }
}

bool Contexts::is_test_module(ModuleId module) const {
  const ir::Module& m = program_.module(module);
  if (m.imports_test_framework) return true;
  const std::string_view path = m.path;
  const auto slash = path.rfind('/');
  const std::string_view file = slash == path.npos ? path : path.substr(slash + 1);
  const std::string_view folder = slash == path.npos ? std::string_view() : path.substr(0, slash);
  const bool under_tests = folder == "tests" || folder.starts_with("tests/") || folder.ends_with("/tests") ||
                           folder.find("/tests/") != folder.npos || folder == "test" || folder.starts_with("test/") ||
                           folder.ends_with("/test") || folder.find("/test/") != folder.npos;
  return under_tests && (file.starts_with("test_") || file.ends_with("_test.py"));
}

// Which functions train and which run forwards, themselves or through what they call.
void Contexts::summarize() {
  trains_.assign(program_.functions.size(), 0);
  forwards_.assign(program_.functions.size(), 0);
  std::vector<FuncId> training, forwarding;
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const FunctionFacts& facts = inference_.facts(f);
    for (const CallSite& site : facts.calls) {
      for (const EffectUse& use : site.effects) {
        if (use.effect->backward != model::Backward::None || use.effect->optimizer_step) trains_[i] = 2;
      }
      if (site.runs_module != Evidence::None && !site.without_parameters) forwards_[i] = 2;
    }
    if (trains_[i]) training.push_back(f);
    if (forwards_[i]) forwarding.push_back(f);
  }
  auto spread = [&](std::vector<FuncId> work, std::vector<char>& marks) {
    while (!work.empty()) {
      const FuncId f = work.back();
      work.pop_back();
      for (const Flow::Caller& caller : flow_.callers(f)) {
        if (marks[caller.function.index]) continue;
        marks[caller.function.index] = 1;
        work.push_back(caller.function);
      }
    }
  };
  spread(std::move(training), trains_);
  spread(std::move(forwarding), forwards_);
}

// Does a method run its object's layers, not only modules that it is given?
bool Contexts::runs_own_layers(FuncId f) const {
  const View view = view_of(inference_, f);
  for (const CallSite& site : inference_.facts(f).calls) {
    if (site.runs_module == Evidence::None && site.targets.empty()) continue;
    const ValueNo callee = view.operand(view.at(site.event), 0);
    for (const Flow::Root& root : flow_.roots(f, callee))
      if (root.parameter == 0 || root.cell.kind == CellKind::Attribute || root.cell.kind == CellKind::AnyAttribute)
        return true;
  }
  return false;
}

void Contexts::index_calls_by_name() {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const FunctionFacts& facts = inference_.facts(f);
    const ModuleId module = program_.functions[f].module;
    if (!facts.evaluated || is_test_module(module)) continue;
    const View view = view_of(inference_, f);
    for (const CallSite& site : facts.calls) {
      if (!site.targets.empty() || view.at(site.event).op != Op::Call) continue;
      const ValueNo callee = view.operand(view.at(site.event), 0);
      if (callee == kNoValue || callee >= view.size() || view.at(callee).op != Op::LoadAttribute) continue;
      const Value object = inference_.expand(inference_.value_of(f, view.operand(view.at(callee), 0)), f);
      if (!object.unknown && !inference_.may_be_module(object)) continue;
      calls_by_name_[program_.name(module, view.at(callee).name)].push_back({f, site.event});
    }
  }
}

// Is every call of a method of this name, on whatever object, under a guard in its function? One that is not may well
// mean another class, but then nothing speaks for a guard either.
bool Contexts::is_guarded_by_name(FuncId method) {
  const FunctionInfo& info = program_.functions[method];
  const auto calls = info.owner.valid() ? calls_by_name_.find(info.name) : calls_by_name_.end();
  return calls != calls_by_name_.end() && std::ranges::all_of(calls->second, [&](const NamedCall& call) {
           const ModeState& state = modes_.of(call.function).at(call.event);
           return !state.condition.valid() && is_off(state.mode);
         });
}

void Contexts::add_entries() {
  index_calls_by_name();
  std::vector<Context> entries;
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    const FunctionInfo& info = program_.functions[f];
    const ir::Function& function = program_.function(f);
    Context context;
    context.function = f;
    context.from_tests = is_test_module(info.module);
    if (function.kind == ir::FunctionKind::ClassBody) continue;
    if (function.kind == ir::FunctionKind::ModuleBody) {
      context.entry = EntryKind::ModuleBody;
      entries.push_back(context);
      continue;
    }
    if (facts.entry != model::Entry::None) {
      context.entry = EntryKind::Handler;
      // What the module's body switched holds on the thread that imported it, which also runs the event loop.
      const Mode switched = modes_.exit_of(program_.body_of(info.module)).mode;
      if (facts.entry == model::Entry::Guarded)
        context.mode = Mode::NoGrad;
      else if (switched == Mode::NoGrad || switched == Mode::Inference)
        (function.is_async ? context.mode : context.starter) = switched;
      entries.push_back(context);
      continue;
    }
    bool called = false;
    for (const Flow::Caller& caller : flow_.callers(f)) {
      // Calls from tests do not make a function any less an entry for its users.
      if (caller.function == f) continue;
      if (!context.from_tests && is_test_module(program_.functions[caller.function].module)) continue;
      called = true;
      break;
    }
    if (info.owner.valid()) {
      const model::HookFacts* hook = nullptr;
      for (NameId base : inference_.api_bases(info.owner)) {
        if ((hook = program_.api().find_hook(program_.text(base), program_.text(info.name)))) break;
      }
      if (hook != nullptr && hook->mode != model::HookMode::Caller) {
        context.entry = EntryKind::Hook;
        if (hook->mode == model::HookMode::Train) context.results = {Tri::Yes, 0, {}};
        if (hook->mode == model::HookMode::Guarded) context.mode = Mode::NoGrad;
        if (hook->mode == model::HookMode::Unguarded) context.results = {Tri::Unknown, kReturnedToUnknown, {}};
        entries.push_back(context);
        continue;
      }
      if (called) continue;
      // A module's own forward, and other methods that hand their layers' graph on, run in whatever mode their caller
      // has.
      if (inference_.is_module_class(info.owner)) {
        const std::string_view name = program_.text(info.name);
        if (name == "forward" || name == "__call__" || hook != nullptr ||
            (flow_.returns_fresh_graph(f) && runs_own_layers(f)))
          context.in_model = true;
      }
    }
    if (called) continue;
    context.entry = EntryKind::Uncalled;
    context.results = {Tri::Unknown, kReturnedToUnknown, {}};
    // A global switch in the module's body holds for what is later called on the same thread.
    const ModeState exit = modes_.exit_of(program_.body_of(info.module));
    if (is_off(exit.mode)) {
      context.mode = exit.mode;
    } else if (is_guarded_by_name(f)) {
      context.mode = Mode::NoGrad;
      context.entry = EntryKind::ByName;
    }
    entries.push_back(context);
  }
  for (Context& entry : entries) enqueue(std::move(entry));
}

void Contexts::enqueue(Context context) {
  reached_[context.function.index] = 1;
  if (!forwards_[context.function.index]) return;  // nothing below it can be exposed
  std::vector<std::pair<std::uint8_t, std::uint64_t>> bindings;
  for (const Binding& binding : context.bindings) bindings.emplace_back(binding.parameter, binding.value.bits);
  auto key = std::make_tuple(context.function.index, context.mode, context.results.tri, context.results.unknown,
                             context.in_model, context.from_tests, std::move(bindings));
  if (known_.contains(key)) return;
  if (context.depth > kMostDepth || by_function_[context.function.index].size() >= kMostContexts) return;
  const ContextId id{static_cast<std::uint32_t>(contexts_.size())};
  by_function_[context.function.index].push_back(id);
  contexts_.push_back(std::move(context));
  known_.emplace(std::move(key), id);
  next_.push_back(id);
}

void Contexts::drain() {
  while (!next_.empty()) {
    level_.swap(next_);
    next_.clear();
    std::stable_sort(level_.begin(), level_.end(), [&](ContextId a, ContextId b) {
      return contexts_[a.index].function < contexts_[b.index].function;
    });
    for (ContextId id : level_) visit(id);
    level_.clear();
  }
}

Mode Contexts::mode_at(const Context& context, std::uint32_t event) {
  return resolve(modes_.of(context.function).at(event), context.mode, context.bindings);
}

Contexts::ModeSource Contexts::source_of(ContextId id, std::uint32_t event) {
  for (;;) {
    const Context& context = contexts_[id.index];
    const ModeState& state = modes_.of(context.function).at(event);
    const bool overruled = state.grad_mode_only && context.mode == Mode::Inference;
    if (!overruled && resolve(state, Mode::Inherit, context.bindings) != Mode::Inherit) return {id, event, &state};
    if (!context.parent.valid() || context.starter != Mode::Inherit) return {id, event, nullptr};
    event = context.call_event;
    id = context.parent;
  }
}

bool Contexts::is_dead(const Context& context, std::uint32_t event) {
  return engine::is_dead(modes_.of(context.function), event, context.bindings);
}

Bindings Contexts::bind(FuncId f, std::uint32_t event, const CallTarget& target, const Context& context) {
  Bindings result;
  const FunctionModes& modes = modes_.of(target.function);
  std::vector<std::uint8_t> wanted = modes.condition_parameters;
  // Parameters that are handed on to a function which tests them.
  std::sort(wanted.begin(), wanted.end());
  for (std::uint8_t parameter : wanted) {
    if (result.size() >= kMostBindings) break;
    const ValueNo argument = flow_.argument_for(f, event, target, parameter);
    Value value =
        argument == kNoValue ? inference_.default_of(target.function, parameter) : inference_.value_of(f, argument);
    if (argument != kNoValue && value.params != 0 && value.set.index == 0) {
      for (const Binding& own : context.bindings) {
        if (value.params == 1u << own.parameter) result.push_back({parameter, own.value});
      }
      continue;
    }
    const auto atoms = inference_.atoms(value);
    if (value.unknown || value.params != 0 || atoms.size() != 1) continue;
    switch (atoms[0].kind()) {
      case AtomKind::Bool:
      case AtomKind::None:
      case AtomKind::Text:
      case AtomKind::Number:
        result.push_back({parameter, atoms[0]});
        break;
      default:
        break;
    }
  }
  return result;
}

bool Contexts::has_parameters(TypeId type, int depth) {
  if (auto found = has_parameters_.find(type); found != has_parameters_.end()) return found->second;
  if (depth > 6) return true;
  has_parameters_[type] = true;
  bool any = false;
  for (NameId base : inference_.api_bases(type)) {
    const model::ClassFacts* facts = program_.api().find_class(program_.text(base));
    // Deriving from a library module other than the bare base brings that module's parameters.
    if (facts == nullptr || (!facts->is_bare && facts->has_parameters && facts->shape == model::Shape::Module))
      any = true;
  }
  for (TypeId ancestor : inference_.ancestry(type)) {
    for (FuncId f : program_.methods_of(ancestor)) {
      if (any) break;
      const View view = view_of(inference_, f);
      for (std::uint32_t e = 0; e < view.size() && !any; ++e) {
        const ir::Event& event = view.at(e);
        if (event.op == Op::StoreAttribute) {
          const Value value = inference_.expand(inference_.value_of(f, view.operand(event, 1)), f);
          for (Atom atom : inference_.atoms(value)) {
            if (atom.kind() == AtomKind::Object && atom.object_shape() == model::Shape::Module) {
              const model::ClassFacts* facts = program_.api().find_class(program_.text(atom.name()));
              any |= facts == nullptr || facts->has_parameters;
            }
            if (atom.kind() == AtomKind::Instance && inference_.is_module_class(atom.type()) && atom.type() != type)
              any |= has_parameters(atom.type(), depth + 1);
            if (atom.kind() == AtomKind::Tensor) {
              any = true;  // nn.Parameter
            }
          }
        } else if (event.op == Op::Call) {
          const CallSite* site = inference_.facts(f).call_at(e);
          if (site == nullptr) continue;
          if (site->unresolved) {
            // A layer whose origin is not in view: `self.body(x)`.
            const ValueNo callee = view.operand(event, 0);
            if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute &&
                !program_.function(f).is_constructor) {
              const Value object = inference_.expand(inference_.value_of(f, view.operand(view.at(callee), 0)), f);
              for (Atom atom : inference_.atoms(object))
                any |= atom.kind() == AtomKind::Instance && atom.type() == type;
            }
          }
        }
      }
    }
  }
  has_parameters_[type] = any;
  return any;
}

// A module's method, called from outside, that runs its layers and hands their graph on: the call is the forward site,
// and what happens inside is the module's business. A method that drives the module itself (a sampling loop) is looked
// into instead.
bool Contexts::is_opaque_method(const CallSite& site, const CallTarget& target) {
  if (!site.module_method || !target.has_receiver) return false;
  if (trains_[target.function.index]) return false;
  return flow_.returns_fresh_graph(target.function);
}

bool Contexts::is_site(FuncId f, const CallSite& site, const Context& context) {
  if (context.in_model || site.guarded_inside || site.without_parameters) return false;
  const View view = view_of(inference_, f);
  if (view.at(site.event).op != Op::Call) return false;
  // A module takes its input as an argument: `default()` is some factory.
  if (site.runs_module != Evidence::None && view.at(site.event).operand_count < 2) return false;
  if (site.runs_module == Evidence::None) {
    for (const CallTarget& target : site.targets)
      if (is_opaque_method(site, target)) return true;
    return false;
  }
  if (site.targets.empty()) return true;
  // A project module: it must have parameters, and its forward must not differentiate by itself.
  const ValueNo callee = view.operand(view.at(site.event), 0);
  bool any = site.library_module;
  Value value = inference_.expand(inference_.value_of(f, callee), f);
  if (callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute) {
    const auto atoms = inference_.atoms(value);
    bool bound = false;
    for (Atom atom : atoms) bound |= atom.kind() == AtomKind::Bound;
    if (bound) value = inference_.expand(inference_.value_of(f, view.operand(view.at(callee), 0)), f);
  }
  for (Atom atom : inference_.atoms(value)) {
    if (atom.kind() == AtomKind::Instance && inference_.is_module_class(atom.type())) {
      any |= has_parameters(atom.type());
      if (atom.b() == 0 || inference_.descendants(atom.type()).size() > kMostDescendants) continue;
      for (TypeId below : inference_.descendants(atom.type())) any = any || has_parameters(below);
    }
    if (atom.kind() == AtomKind::Object && atom.object_shape() == model::Shape::Module) any = true;
  }
  if (!any) return false;
  bool builds = site.library_module || site.maybe_other;
  for (const CallTarget& target : site.targets) {
    if (target.kind != TargetKind::Forward) continue;
    if (trains_[target.function.index]) return false;
    builds |= flow_.forward_builds_graph(target.function);
  }
  return builds;
}

// Attributes that a forward leaves values in: a loss kept on its module may be differentiated later.
const std::vector<CellKey>& Contexts::stores_of(FuncId f, int depth) {
  if (auto found = side_stores_.find(f); found != side_stores_.end()) return found->second;
  side_stores_[f];
  std::vector<CellKey> cells;
  const View view = view_of(inference_, f);
  const ModuleId module = program_.functions[f].module;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    if (event.op != Op::StoreAttribute) continue;
    if (inference_.only_data(inference_.value_of(f, view.operand(event, 1)))) continue;
    for (const CellKey& key : inference_.attribute_cells(
             inference_.expand(inference_.value_of(f, view.operand(event, 0)), f), program_.name(module, event.name))) {
      if (key.kind == CellKind::Attribute) add_sorted(cells, key);
    }
  }
  if (depth < 6) {
    for (const CallSite& site : inference_.facts(f).calls) {
      for (const CallTarget& target : site.targets) {
        if (target.kind != TargetKind::Forward && !(target.kind == TargetKind::Direct && target.has_receiver)) continue;
        for (const CellKey& key : stores_of(target.function, depth + 1)) add_sorted(cells, key);
      }
    }
  }
  return side_stores_[f] = std::move(cells);
}

std::vector<CellKey> Contexts::side_stores(FuncId f, const CallSite& site) {
  std::vector<CellKey> cells;
  for (const CallTarget& target : site.targets) {
    if (target.kind != TargetKind::Forward) continue;
    for (const CellKey& key : stores_of(target.function, 0)) add_sorted(cells, key);
  }
  // A container of modules runs each of them.
  const View view = view_of(inference_, f);
  for (Atom atom :
       inference_.atoms(inference_.expand(inference_.value_of(f, view.operand(view.at(site.event), 0)), f))) {
    if (atom.kind() != AtomKind::Container) continue;
    const Value* elements = inference_.cell({CellKind::Element, atom.a(), 0});
    if (elements == nullptr) continue;
    for (Atom element : inference_.atoms(*elements)) {
      if (element.kind() != AtomKind::Instance) continue;
      for (FuncId forward :
           inference_.methods(element.type(), const_cast<Program&>(program_).names.intern("forward"), false)) {
        for (const CellKey& key : stores_of(forward, 0)) add_sorted(cells, key);
      }
    }
  }
  return cells;
}

// `net(x); net.loss.backward()`: what the forward left on the module is differentiated here.
bool Contexts::differentiates_attribute(FuncId f, const CallSite& site) {
  const View view = view_of(inference_, f);
  const std::uint32_t event = site.event;
  const std::vector<CellKey> stored = side_stores(f, site);
  const std::vector<Flow::Root> modules = flow_.roots(f, view.operand(view.at(event), 0));
  const auto same = [&](const Flow::Root& root) {
    for (const Flow::Root& module : modules) {
      if (module.local != kNoValue ? module.local == root.local
                                   : module.parameter == root.parameter && module.cell == root.cell)
        return true;
    }
    return false;
  };
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    if (view.at(e).op != Op::LoadAttribute || !flow_.trace(f, e).backward) continue;
    // Something that the forward stores, or a property made of it; not a parameter.
    const NameId name = program_.name(program_.functions[f].module, view.at(e).name);
    bool left_behind = inference_.facts(f).call_at(e) != nullptr;
    for (const CellKey& cell : stored) left_behind |= cell.b == name.index;
    if (!left_behind) continue;
    for (const Flow::Root& root : flow_.roots(f, view.operand(view.at(e), 0)))
      if (same(root)) return true;
  }
  return false;
}

void Contexts::visit(ContextId id) {
  const Context context = contexts_[id.index];
  const FuncId f = context.function;
  const FunctionFacts& facts = inference_.facts(f);
  for (const CallSite& site : facts.calls) {
    bool matters = site.runs_module != Evidence::None;
    for (const CallTarget& target : site.targets) {
      matters |= forwards_[target.function.index] != 0;
      reached_[target.function.index] = 1;
    }
    if (!matters || is_dead(context, site.event)) continue;
    const Mode mode = mode_at(context, site.event);
    const bool site_here = is_site(f, site, context);
    if (site_here) {
      Exposure exposure{f, site.event, id, mode, {}};
      const Trace& trace = flow_.trace(f, site.event, context.bindings);
      exposure.fate = flow_.combine(f, trace, context.results);
      if (exposure.fate.tri != Tri::Yes && trains_itself(f) && differentiates_attribute(f, site))
        exposure.fate = {Tri::Yes, 0, {}};
      // Called for what it leaves behind, not for its result.
      if (view_of(inference_, f).at(site.event).flags & ir::flag::Discarded) {
        for (const CellKey& cell : side_stores(f, site)) {
          if (exposure.fate.tri != Tri::Yes) exposure.fate = join(exposure.fate, flow_.of_cell(cell));
        }
      }
      exposures_.push_back(exposure);
    }
    for (const CallTarget& target : site.targets) {
      if (!forwards_[target.function.index]) continue;
      Context child;
      child.function = target.function;
      child.mode = mode;
      child.parent = id;
      child.call_event = site.event;
      child.depth = static_cast<std::uint16_t>(context.depth + 1);
      child.from_tests = context.from_tests;
      child.through_thread = context.through_thread;
      child.in_model = context.in_model || target.kind == TargetKind::Forward || is_opaque_method(site, target);
      switch (target.kind) {
        case TargetKind::Callback:
          child.results = {Tri::Unknown, kReturnedToUnknown, {}};
          break;
        case TargetKind::Spawn:
          child.mode = Mode::On;
          child.starter = mode;
          child.through_thread = true;
          child.results = {Tri::Unknown, kReturnedToUnknown, {}};
          break;
        case TargetKind::SpawnInherit:
          child.results = {Tri::Unknown, kReturnedToUnknown, {}};
          break;
        default: {
          const Trace& trace = flow_.trace(f, site.event, context.bindings);
          child.results = flow_.combine(f, trace, context.results);
          child.bindings = bind(f, site.event, target, context);
        }
      }
      enqueue(std::move(child));
    }
  }
}

}  // namespace deadgrad::engine
