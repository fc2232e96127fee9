#include "analyzer/program/program.h"

#include <algorithm>

namespace deadgrad {

static std::string_view last_component(std::string_view dotted) {
  auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

static std::string_view first_component(std::string_view dotted) {
  return dotted.substr(0, dotted.find('.'));
}

Program::Program(std::vector<ir::Module> modules, const model::ApiModel& api, Reach reach)
    : api_(&api), reach_(reach), modules_(std::move(modules)) {
  std::stable_sort(modules_.begin(), modules_.end(),
                   [](const ir::Module& a, const ir::Module& b) { return a.path < b.path; });
  link();
  mark_relevant();
}

void Program::link() {
  std::uint32_t events = 0;
  name_maps_.resize(modules_.size());
  globals_.resize(modules_.size());
  exports_.resize(modules_.size());
  import_roots_.resize(modules_.size());
  for (std::uint32_t m = 0; m < modules_.size(); ++m) {
    const ir::Module& module = modules_[m];
    const ModuleId id{m};
    auto& map = name_maps_[m];
    map.reserve(module.strings.size());
    for (std::uint32_t s = 0; s < module.strings.size(); ++s) map.push_back(names.intern(module.strings[StrId{s}]));
    function_base_.push_back(static_cast<std::uint32_t>(functions.size()));
    class_base_.push_back(static_cast<std::uint32_t>(classes.size()));
    event_base_.push_back(events);
    events += static_cast<std::uint32_t>(module.events.size());
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) canonical_.add(FuncId{function_base_[m] + f});
    for (std::uint32_t c = 0; c < module.classes.size(); ++c) canonical_types_.add(TypeId{class_base_[m] + c});
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      const ir::Function& function = module.functions[f];
      FunctionInfo info;
      info.module = id;
      info.local = ir::FunctionId{f};
      if (function.parent.valid()) {
        info.parent = func(id, function.parent);
        const ir::FunctionKind kind = module.functions[function.parent.index].kind;
        info.is_nested_in_function = kind == ir::FunctionKind::Function || kind == ir::FunctionKind::Lambda;
      }
      if (function.owner.valid()) info.owner = type(id, function.owner);
      info.name = name(id, function.name);
      functions.add(info);
    }
    for (std::uint32_t c = 0; c < module.classes.size(); ++c) {
      const ir::Class& cls = module.classes[c];
      ClassInfo info{id, ir::ClassId{c}, func(id, cls.body), func(id, cls.scope), name(id, cls.name)};
      classes.add(info);
    }
    for (const ir::Event& event : module.events) {
      if (event.op == ir::Op::Store && (event.flags & ir::flag::kPlaceMask) == ir::flag::Global) {
        globals_[m].emplace(name(id, event.name), true);
      }
      if (event.op == ir::Op::Import) {
        std::string_view root = first_component(module.text(event.name));
        auto& roots = import_roots_[m];
        if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
      }
    }
    read_exports(id);
    by_last_[last_component(module.name)].push_back(id);
    by_name_.emplace(module.name, id);
    for (std::size_t dot = module.name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = module.name.rfind('.', dot - 1)) {
      if (!folders_.insert(module.name.substr(0, dot)).second) break;
    }
  }
  leave_out_repeated();
  for (std::uint32_t m = 0; m < modules_.size(); ++m) {
    const ir::Module& module = modules_[m];
    const ModuleId id{m};
    if (module.language != ir::Language::Cpp) continue;
    for (const auto& [global, stored] : globals_[m]) globals_by_name_[global].push_back(id);
    for (std::uint32_t c = 0; c < module.classes.size(); ++c) {
      const ir::Class& cls = module.classes[c];
      const TypeId own{class_base_[m] + c};
      if (!(canonical_types_[own] == own)) continue;
      const StrId symbol = module.functions[cls.body.index].symbol;
      classes_by_symbol_[name(id, symbol.valid() ? symbol : cls.qualified)].push_back(own);
    }
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      const ir::Function& function = module.functions[f];
      const FuncId own{function_base_[m] + f};
      if (function.kind != ir::FunctionKind::Function || functions[own].is_left_out) continue;
      const StrId symbol = function.symbol.valid() ? function.symbol : function.qualified;
      if (!module.text(symbol).empty()) functions_by_symbol_[name(id, symbol)].push_back(own);
    }
  }
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    FunctionInfo& info = functions[FuncId{f}];
    const StrId owner = modules_[info.module.index].functions[info.local.index].owner_symbol;
    if (owner.valid() && !info.owner.valid()) info.owner = class_of_symbol(name(info.module, owner), info.module);
  }
  methods_.resize(classes.size());
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    const FunctionInfo& info = functions[FuncId{f}];
    if (info.owner.valid() && !info.is_left_out) methods_[info.owner.index].push_back(FuncId{f});
  }
}

// A header is told once by each unit that includes it: of modules with one path, the first that tells a function or a
// class wins. A template's pattern stands back for its instances, which have its span.
void Program::leave_out_repeated() {
  for (std::uint32_t first = 0, last = 0; first < modules_.size(); first = last) {
    while (last < modules_.size() && modules_[last].path == modules_[first].path) ++last;
    if (modules_[first].language != ir::Language::Cpp) continue;
    std::unordered_map<NameId, FuncId> told;
    std::unordered_map<NameId, TypeId> classes_told;
    std::vector<ir::Span> instances;
    for (std::uint32_t m = first; m < last; ++m) {
      const ir::Module& module = modules_[m];
      for (std::uint32_t c = 0; c < module.classes.size(); ++c) {
        const StrId symbol = module.functions[module.classes[c].body.index].symbol;
        if (!symbol.valid()) continue;
        const TypeId own{class_base_[m] + c};
        canonical_types_[own] = classes_told.emplace(name(ModuleId{m}, symbol), own).first->second;
      }
      for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        const ir::Function& function = module.functions[f];
        const FuncId own{function_base_[m] + f};
        if (function.symbol.valid()) {
          canonical_[own] = told.emplace(name(ModuleId{m}, function.symbol), own).first->second;
          functions[own].is_left_out = !(canonical_[own] == own);
        }
        if (function.kind == ir::FunctionKind::Function && !function.is_pattern) instances.push_back(function.span);
      }
    }
    std::sort(instances.begin(), instances.end());
    for (std::uint32_t m = first; m < last; ++m) {
      const ir::Module& module = modules_[m];
      for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        const ir::Function& function = module.functions[f];
        FunctionInfo& info = functions[FuncId{function_base_[m] + f}];
        if (function.is_pattern && function.kind == ir::FunctionKind::Function)
          info.is_left_out |= std::binary_search(instances.begin(), instances.end(), function.span);
        // Parents come first. What stands in a function that is left out goes with it, but not what stands in a class:
        // each of its functions is told apart.
        if (info.is_nested_in_function) info.is_left_out |= functions[info.parent].is_left_out;
      }
    }
  }
}

static std::string_view unit_of(const ir::Module& module) {
  return module.unit.empty() ? std::string_view(module.path) : std::string_view(module.unit);
}

// Of several definitions of one name: the module's own, else its unit's, else the one with the longest common path,
// else the first.
template <class T, class ModuleOf>
T Program::nearest(const std::vector<T>& candidates, ModuleId from, ModuleOf module_of) const {
  if (candidates.size() == 1) return candidates[0];
  const std::string& path = modules_[from.index].path;
  T best = candidates[0];
  std::size_t most = 0;
  for (T candidate : candidates) {
    const std::string& other = modules_[module_of(candidate).index].path;
    std::size_t same = 0, common = 0;
    while (same < path.size() && same < other.size() && path[same] == other[same]) {
      if (path[same++] == '/') common = same;
    }
    const ir::Module& home = modules_[module_of(candidate).index];
    if (unit_of(home) == unit_of(modules_[from.index])) common = path.size() + 1;
    if (module_of(candidate) == from) common = path.size() + 2;
    if (common > most) best = candidate, most = common;
  }
  return best;
}

std::pair<FuncId, std::uint32_t> Program::locate(std::uint32_t number) const {
  auto module_after = std::upper_bound(event_base_.begin(), event_base_.end(), number);
  const auto m = static_cast<std::uint32_t>(module_after - event_base_.begin() - 1);
  const std::uint32_t local = number - event_base_[m];
  const ir::Module& module = modules_[m];
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const ir::Function& function = module.functions[f];
    if (local >= function.first_event.index && local < function.first_event.index + function.event_count) {
      return {func(ModuleId{m}, ir::FunctionId{f}), local - function.first_event.index};
    }
  }
  return {};
}

FuncId Program::function_of_symbol(NameId symbol, ModuleId from) const {
  auto found = functions_by_symbol_.find(symbol);
  if (found == functions_by_symbol_.end()) return {};
  return nearest(found->second, from, [&](FuncId f) { return functions[f].module; });
}

TypeId Program::class_of_symbol(NameId symbol, ModuleId from) const {
  auto found = classes_by_symbol_.find(symbol);
  if (found == classes_by_symbol_.end()) return {};
  return nearest(found->second, from, [&](TypeId c) { return classes[c].module; });
}

ModuleId Program::module_of_global(NameId name, ModuleId from) const {
  auto found = globals_by_name_.find(name);
  if (found == globals_by_name_.end() || modules_[from.index].language != ir::Language::Cpp) return {};
  return nearest(found->second, from, [](ModuleId m) { return m; });
}

void Program::read_exports(ModuleId id) {
  const ir::Module& module = modules_[id.index];
  std::unordered_set<NameId> listed;
  bool found = false;
  for (const ir::Event& event : module.events) {
    if (event.op != ir::Op::Store || module.text(event.name) != "__all__") continue;
    found = true;
    const ir::Event* list = &module.event(module.operands_of(event)[0]);
    // `__all__ += [...]`
    if (list->op == ir::Op::Binary && (list->flags & ir::flag::InPlace))
      list = &module.event(module.operands_of(*list)[1]);
    if (list->op != ir::Op::MakeList && list->op != ir::Op::MakeTuple) return;
    for (ir::EventId element : module.operands_of(*list)) {
      const ir::Event& name = module.event(element);
      if (name.op != ir::Op::Const || (name.flags & ir::flag::kConstMask) != ir::flag::String) return;
      listed.insert(this->name(id, name.name));
    }
  }
  if (found) exports_[id.index] = std::move(listed);
}

bool Program::exports(ModuleId module, NameId name) const {
  const auto& listed = exports_[module.index];
  return !listed || listed->contains(name);
}

bool Program::imports_root(ModuleId module, std::string_view root) const {
  const auto& roots = import_roots_[module.index];
  return std::find(roots.begin(), roots.end(), root) != roots.end();
}

// An absolute import is looked up as sys.path would: the importing file's own directory and each directory above it are
// candidate roots (scripts next to each other, a `src` layout, the project itself). The deepest root wins; failing
// these, a module elsewhere in the tree whose dotted name ends in `dotted`, if there is exactly one.
ModuleId Program::find_module(std::string_view dotted, ModuleId importer, bool exact) const {
  if (dotted.empty()) return {};
  if (exact) {
    auto found = by_name_.find(dotted);
    if (found == by_name_.end() || modules_[found->second.index].language != modules_[importer.index].language)
      return {};
    return found->second;
  }
  auto candidates = by_last_.find(last_component(dotted));
  if (candidates == by_last_.end()) return {};
  const ir::Module& from = modules_[importer.index];
  ModuleId best, only;
  std::size_t best_length = 0, elsewhere = 0;
  const std::string_view first = dotted.substr(0, dotted.find('.'));
  const bool is_library = api_->is_torch_root(first) || api_->is_data_only(first);
  for (ModuleId candidate : candidates->second) {
    if (modules_[candidate.index].language != from.language) continue;
    std::string_view full = modules_[candidate.index].name;
    if (candidate == importer && full != dotted) continue;
    if (full.size() < dotted.size() || !full.ends_with(dotted)) continue;
    std::string_view root = full.substr(0, full.size() - dotted.size());
    if (!root.empty()) {
      if (root.back() != '.') continue;
      root.remove_suffix(1);
    }
    // `import torch` means the library, not the module `torch` of a package.
    if (is_library && by_name_.contains(root)) continue;
    std::string_view own = from.name;
    const bool above =
        root.empty() || (own.starts_with(root) && (own.size() == root.size() || own[root.size()] == '.'));
    if (above) {
      if (!best.valid() || root.size() >= best_length) best = candidate, best_length = root.size();
    } else {
      ++elsewhere;
      only = candidate;
    }
  }
  if (best.valid()) return best;
  // A single component is too common a name to be guessed from somewhere else in the tree, unless it is unique.
  return elsewhere == 1 ? only : ModuleId{};
}

void Program::mark_relevant() {
  const std::size_t count = modules_.size();
  relevant_.assign(count, 0);
  std::vector<std::vector<std::uint32_t>> neighbours(count), imports(count);
  std::vector<std::uint32_t> work;
  for (std::uint32_t m = 0; m < count; ++m) {
    const ir::Module& module = modules_[m];
    for (const ir::Event& event : module.events) {
      std::string_view text;
      bool torch = false;
      if (event.op == ir::Op::Symbol) {
        text = module.text(event.name);
        const NameId symbol = name(ModuleId{m}, event.name);
        const FuncId f = function_of_symbol(symbol, ModuleId{m});
        const TypeId c = f.valid() ? TypeId{} : class_of_symbol(symbol, ModuleId{m});
        if (f.valid() || c.valid()) {
          const std::uint32_t target = f.valid() ? functions[f].module.index : classes[c].module.index;
          if (target != m) {
            neighbours[m].push_back(target);
            neighbours[target].push_back(m);
          }
          continue;
        }
        torch = api_->is_torch_root(text.substr(0, text.find(':'))) || api_->is_torch_root(first_component(text)) ||
                api_->find(text) != nullptr || api_->find_class(text) != nullptr;
      } else if (event.op == ir::Op::Import) {
        text = module.text(event.name);
        const bool exact = (event.flags & ir::flag::Relative) != 0;
        ModuleId target = find_module(text, ModuleId{m}, exact);
        if (!target.valid() && !exact) torch = api_->is_torch_root(first_component(text));
        // `from package import module` names the module in an attribute load; any module of the package may be meant.
        for (std::string_view part = text; target.valid() == false && part.find('.') != part.npos;) {
          part = part.substr(0, part.rfind('.'));
          target = find_module(part, ModuleId{m}, exact);
        }
        if (target.valid()) {
          imports[m].push_back(target.index);
          neighbours[m].push_back(target.index);
          neighbours[target.index].push_back(m);
        }
        if (auto found = by_last_.find(last_component(text)); found != by_last_.end() && !target.valid()) {
          for (ModuleId other : found->second) neighbours[m].push_back(other.index);
        }
      }
      if (torch && !relevant_[m]) {
        relevant_[m] = 1;
        work.push_back(m);
      }
    }
    // Submodules are reached through their package.
    if (auto dot = module.name.rfind('.'); dot != std::string::npos) {
      if (auto package = by_name_.find(std::string_view(module.name).substr(0, dot)); package != by_name_.end()) {
        neighbours[m].push_back(package->second.index);
        neighbours[package->second.index].push_back(m);
      }
    }
  }
  // Post-order over imports: what a module imports comes before it, cycles aside.
  import_rank_.assign(count, ~0u);
  std::uint32_t rank = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;
  std::vector<char> entered(count, 0);
  for (std::uint32_t m = 0; m < count; ++m) {
    if (!entered[m]) path.emplace_back(m, 0);
    entered[m] = 1;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == imports[at].size()) {
        import_rank_[at] = rank++;
        path.pop_back();
        continue;
      }
      const std::uint32_t target = imports[at][next++];
      if (entered[target]) continue;
      entered[target] = 1;
      path.emplace_back(target, 0);
    }
  }
  while (!work.empty()) {
    const std::uint32_t m = work.back();
    work.pop_back();
    for (std::uint32_t next : neighbours[m]) {
      if (relevant_[next]) continue;
      relevant_[next] = 1;
      work.push_back(next);
    }
  }
}

}  // namespace deadgrad
