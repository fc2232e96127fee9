#include "analyzer/query/query.h"

#include <algorithm>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"
#include "analyzer/query/state.h"

namespace deadgrad {

using engine::kNoValue;
using ir::Op;

Analysis::Analysis() = default;
Analysis::~Analysis() = default;

std::unique_ptr<Analysis> analyze(std::vector<ir::Module> modules, const model::ApiModel& api,
                                  const AnalysisOptions& options) {
  auto analysis = std::make_unique<Analysis>();
  analysis->state = std::make_unique<AnalysisState>(std::move(modules), api, options);
  AnalysisState& state = *analysis->state;
  state.inference.run();
  state.flow = std::make_unique<engine::Flow>(state.inference, state.modes);
  state.contexts = std::make_unique<engine::Contexts>(state.inference, state.modes, *state.flow);
  state.contexts->run();
  const Program& program = state.program;
  AnalysisStatistics& statistics = analysis->statistics;
  statistics.modules = program.modules().size();
  statistics.functions = program.functions.size();
  for (const ir::Module& module : program.modules()) statistics.events += module.events.size();
  for (std::uint32_t f = 0; f < program.functions.size(); ++f)
    statistics.relevant_functions += state.inference.facts(FuncId{f}).evaluated;
  statistics.contexts = state.contexts->all().size();
  analysis->results =
      QueryBuilder(state.inference, state.modes, *state.flow, *state.contexts, options).build(statistics);
  return analysis;
}

Location QueryBuilder::locate(FuncId f, std::uint32_t event) const {
  const engine::View view = engine::view_of(inference_, f);
  return {view.module.path, view.at(event).span};
}

Location QueryBuilder::header_of(FuncId f) const {
  return {program_.module_of(f).path, program_.function(f).header};
}

std::string QueryBuilder::name_of(FuncId f) const {
  const ir::Function& function = program_.function(f);
  const std::string_view qualified = program_.module_of(f).text(function.qualified);
  return std::string(qualified.empty() ? "<module>" : qualified);
}

// The last component of a canonical name, or the name of what the project defines under it.
std::string QueryBuilder::spell_symbol(FuncId f, std::string_view symbol) const {
  const ModuleId module = program_.functions[f].module;
  const NameId name = program_.names.find(symbol);
  if (const FuncId function = program_.function_of_symbol(name, module); function.valid()) return name_of(function);
  if (const TypeId type = program_.class_of_symbol(name, module); type.valid())
    return std::string(program_.text(program_.classes[type].name));
  std::size_t colon = symbol.rfind("::");
  if (colon == std::string_view::npos) return std::string(symbol);
  // A function of a class is called by both names: `GradMode::set_enabled`.
  const std::size_t before = colon == 0 ? std::string_view::npos : symbol.rfind("::", colon - 1);
  const std::size_t owner = before == std::string_view::npos ? 0 : before + 2;
  const bool is_class = symbol[owner] >= 'A' && symbol[owner] <= 'Z';
  return std::string(symbol.substr(is_class ? owner : colon + 2));
}

static bool is_this(const engine::View& view, engine::ValueNo value) {
  return value < view.size() && view.at(value).op == Op::Load && view.name(view.at(value)) == "this";
}

std::string QueryBuilder::spell(FuncId f, engine::ValueNo value, int depth) const {
  const engine::View view = engine::view_of(inference_, f);
  if (value == kNoValue || value >= view.size() || depth > 6) return "…";
  const ir::Event& event = view.at(value);
  switch (event.op) {
    case Op::Load:
    case Op::Store:
    case Op::Param:
      // A name that is declared more than once in a function is told apart by a number.
      return std::string(view.name(event).substr(0, view.name(event).find('~')));
    case Op::Import:
      return std::string(view.name(event));
    case Op::Symbol:
      return spell_symbol(f, view.name(event));
    case Op::LoadAttribute:
    case Op::StoreAttribute:
      // `this->net` is written `net`.
      if (is_this(view, view.operand(event, 0))) return std::string(view.name(event));
      return spell(f, view.operand(event, 0), depth + 1) + "." + std::string(view.name(event));
    case Op::LoadItem:
      return spell(f, view.operand(event, 0), depth + 1) + "[…]";
    case Op::Call:
      return spell(f, view.operand(event, 0), depth + 1) + "(…)";
    case Op::Typed:
    case Op::Await:
      return spell(f, view.operand(event, 0), depth + 1);
    default:
      return "…";
  }
}

static auto place(const Location& where) {
  return std::tie(where.path, where.span.begin, where.span.end);
}

Query QueryBuilder::build(AnalysisStatistics& statistics) {
  Query query;
  collect_evidence();
  // Group by the declaration that would cover the site: a function on the path, else the region in the site's own
  // function.
  std::map<std::pair<FuncId, FuncId>, std::vector<Believed>> groups;
  for (const Believed& believed : believe(statistics)) {
    const FuncId declared = declaration_of(believed.context);
    groups[{declared, declared.valid() ? FuncId{} : believed.function}].push_back(believed);
    believed_.emplace(believed.function, believed.event);
  }
  for (const auto& [key, sites] : groups) query.leaks_.push_back(make_leak(sites, key.first));
  std::sort(query.leaks_.begin(), query.leaks_.end(),
            [](const Leak& a, const Leak& b) { return place(a.sites[0].where) < place(b.sites[0].where); });
  find_kept_graphs(sites(), query);
  find_broken_guards(query);
  std::sort(query.broken_guards_.begin(), query.broken_guards_.end(),
            [](const BrokenGuard& a, const BrokenGuard& b) { return place(a.where) < place(b.where); });
  find_guard_issues(query);
  std::stable_sort(query.guard_issues_.begin(), query.guard_issues_.end(),
                   [](const GuardIssue& a, const GuardIssue& b) {
                     return std::tuple(place(a.where), a.kind) < std::tuple(place(b.where), b.kind);
                   });
  return query;
}

}  // namespace deadgrad
