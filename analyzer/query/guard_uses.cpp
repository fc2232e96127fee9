// Guards that work: which forwards rely on each.
#include <algorithm>
#include <map>

#include "analyzer/query/builder.h"
#include "analyzer/query/state.h"

namespace deadgrad {

using engine::Context;
using engine::ContextId;
using engine::Exposure;
using engine::Mode;
using engine::ModeState;

// The mode at a guard of `f`, had nobody written it; `state` is what the guard makes of it.
static const ModeState& state_before(const engine::FunctionModes& modes, const ModeState& state) {
  static const ModeState kAsEntered;
  for (const engine::GuardScope& scope : modes.scopes) {
    if (scope.event + 1 < modes.state_of.size() && modes.at(scope.event + 1).guard_event == state.guard_event)
      return modes.at(scope.event);
  }
  return kAsEntered;
}

// Does some path outside tests come to the guard with autograd on?
bool QueryBuilder::is_needed(FuncId f, const ModeState& guard) {
  const ModeState& before = state_before(modes_.of(f), guard);
  return std::ranges::any_of(contexts_.of(f), [&](ContextId id) {
    const Context& context = contexts_.at(id);
    return !context.from_tests && engine::resolve(before, context.mode, context.bindings) == Mode::On;
  });
}

std::vector<GuardUse> QueryBuilder::guard_uses() {
  std::map<Location, GuardUse> uses;
  for (const Exposure& exposure : contexts_.exposures()) {
    if (!engine::is_off(exposure.mode) || contexts_.at(exposure.context).from_tests ||
        contexts_.is_test_module(program_.functions[exposure.function].module))
      continue;
    const engine::Contexts::ModeSource source = contexts_.source_of(exposure.context, exposure.event);
    if (source.state == nullptr || source.state->guard_event == ~0u) continue;
    const Location where = guard_location(*source.state);
    auto [use, added] = uses.emplace(where, GuardUse{});
    if (added) {
      use->second.where = where;
      use->second.guard = guard_text(*source.state);
    }
    use->second.is_needed |= is_needed(contexts_.at(source.context).function, *source.state);
    const Location forward = locate(exposure.function, exposure.event);
    if (std::ranges::find(use->second.forwards, forward) == use->second.forwards.end())
      use->second.forwards.push_back(forward);
  }
  std::vector<GuardUse> result;
  for (auto& [where, use] : uses) {
    std::ranges::sort(use.forwards);
    result.push_back(std::move(use));
  }
  return result;
}

std::vector<GuardUse> guard_uses(const Analysis& analysis) {
  AnalysisState& state = *analysis.state;
  return QueryBuilder(state.inference, state.modes, *state.flow, *state.contexts, state.options).guard_uses();
}

}  // namespace deadgrad
