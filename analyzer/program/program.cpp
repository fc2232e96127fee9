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

Program::Program(std::vector<ir::Module> modules, const model::ApiModel& api)
    : api_(&api), modules_(std::move(modules)) {
  std::sort(modules_.begin(), modules_.end(), [](const ir::Module& a, const ir::Module& b) { return a.path < b.path; });
  link();
  mark_relevant();
}

void Program::link() {
  std::uint32_t events = 0;
  name_maps_.resize(modules_.size());
  globals_.resize(modules_.size());
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
    if (module.language == ir::Language::Cpp) {
      for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        const StrId qualified = module.functions[f].qualified;
        if (!module.text(qualified).empty() && module.functions[f].kind == ir::FunctionKind::Function)
          cpp_functions_.emplace(name(id, qualified), func(id, ir::FunctionId{f}));
      }
      for (std::uint32_t c = 0; c < module.classes.size(); ++c)
        cpp_classes_.emplace(name(id, module.classes[c].qualified), type(id, ir::ClassId{c}));
    }
    by_last_[last_component(module.name)].push_back(id);
    by_name_.emplace(module.name, id);
  }
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

FuncId Program::function_of_symbol(NameId qualified) const {
  auto found = cpp_functions_.find(qualified);
  return found == cpp_functions_.end() ? FuncId{} : found->second;
}

TypeId Program::class_of_symbol(NameId qualified) const {
  auto found = cpp_classes_.find(qualified);
  return found == cpp_classes_.end() ? TypeId{} : found->second;
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
