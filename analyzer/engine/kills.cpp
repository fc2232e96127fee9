#include "analyzer/engine/kills.h"

#include <algorithm>

#include "analyzer/base/sorted.h"
#include "analyzer/engine/flow.h"
#include "analyzer/engine/view.h"

namespace deadgrad::engine {

using ir::Op;

// Past these bounds nothing is certain, and nothing is shielded.
inline constexpr int kMostCallsDown = 4;
inline constexpr std::size_t kMostNames = 5;
inline constexpr std::uint32_t kMostParameters = 8;
inline constexpr std::size_t kMostRunning = 1'000;
inline constexpr std::size_t kMostWork = 20'000'000;

Kills::Kills(const Inference& inference, const Flow& flow)
    : inference_(inference), program_(inference.program()), flow_(flow) {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated || program_.function(f).is_constructor) continue;
    const View view = view_of(inference_, f);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      if (view.at(e).op == Op::StoreAttribute)
        stores_[program_.name(program_.functions[f].module, view.at(e).name)].push_back({f, e});
    }
  }
}

const Kills::Brackets& Kills::brackets(FuncId f) {
  auto [it, added] = brackets_.emplace(f, Brackets{});
  Brackets& result = it->second;
  if (!added) return result;
  const View view = view_of(inference_, f);
  result.around.resize(view.size(), kNoValue);
  std::vector<std::uint32_t> open;
  for (std::uint32_t e = 0; e < view.size(); ++e) {
    const ir::Event& event = view.at(e);
    while (!open.empty() && end_of(f, open.back()) <= e) open.pop_back();
    if (!open.empty()) result.around[e] = open.back();
    if (event.op == Op::Loop || event.op == Op::Arm || event.op == Op::Handler || event.op == Op::Finally)
      open.push_back(e);
    if (event.op == Op::Return && result.first_return == kNoValue) result.first_return = e;
    result.yields |= event.op == Op::Yield;
  }
  return result;
}

std::uint32_t Kills::end_of(FuncId f, std::uint32_t bracket) const {
  const View view = view_of(inference_, f);
  return view.at(bracket).target - view.function.first_event.index;
}

// Whoever reaches `later` has passed `event`. Code is structured: only the bracket around the event can be skipped.
bool Kills::dominates(FuncId f, std::uint32_t event, std::uint32_t later) {
  const std::uint32_t around = brackets(f).around[event];
  return event < later && (around == kNoValue || later < end_of(f, around));
}

// `ready and self.reset()`: an operand that may not be evaluated.
bool Kills::is_conditional(FuncId f, std::uint32_t call) const {
  const View view = view_of(inference_, f);
  if (view.at(call).flags & ir::flag::Discarded) return false;
  constexpr std::uint32_t kLongestExpression = 200;
  std::vector<std::uint32_t> holders{call};
  for (std::uint32_t e = call + 1; e < view.size() && e < call + kLongestExpression; ++e) {
    const ir::Event& event = view.at(e);
    for (std::size_t k = 0; k < event.operand_count; ++k) {
      if (std::find(holders.begin(), holders.end(), view.operand(event, k)) == holders.end()) continue;
      if ((event.op == Op::Bool || event.op == Op::Select) && k > 0) return true;
      if (event.op != Op::Store) holders.push_back(e);
      break;
    }
  }
  return false;
}

std::optional<Access> Kills::access_of(FuncId f, std::uint32_t load) const {
  const View view = view_of(inference_, f);
  return access_of(f, view.operand(view.at(load), 0), program_.name(program_.functions[f].module, view.at(load).name));
}

std::optional<Access> Kills::access_of(FuncId f, ValueNo object, NameId attribute) const {
  const View view = view_of(inference_, f);
  const Ssa& ssa = inference_.facts(f).ssa;
  const ModuleId module = program_.functions[f].module;
  Access access;
  access.names.push_back(attribute);
  auto rooted = [&](Access::Root root, std::uint32_t a, std::uint32_t b) {
    access.root = root;
    access.a = a;
    access.b = b;
    std::reverse(access.names.begin(), access.names.end());
    return access;
  };
  ValueNo at = object;
  while (at != kNoValue && access.names.size() <= kMostNames) {
    if (ssa.is_phi(at)) return rooted(Access::Root::Local, at, 0);
    const ir::Event& event = view.at(at);
    switch (event.op) {
      case Op::Load:
        if (ssa.definition[at] != kNoValue) {
          at = ssa.definition[at];
          break;
        }
        if ((event.flags & ir::flag::kPlaceMask) != ir::flag::Global) return std::nullopt;
        return rooted(Access::Root::Global, module.index, program_.name(module, event.name).index);
      case Op::Store:
      case Op::Typed:
      case Op::Keyword:
        at = view.operand(event, 0);
        break;
      case Op::LoadAttribute:
        access.names.push_back(program_.name(module, event.name));
        at = view.operand(event, 0);
        break;
      case Op::Param:
        return rooted(Access::Root::Param, event.target, 0);
      default:
        return rooted(Access::Root::Local, at, 0);
    }
  }
  return std::nullopt;
}

std::optional<Access> Kills::at_caller(const Access& access, FuncId caller, std::uint32_t call,
                                       const CallTarget& target) const {
  if (target.kind != TargetKind::Direct && target.kind != TargetKind::Forward) return std::nullopt;
  if (access.root == Access::Root::Global) return access;
  if (access.root == Access::Root::Local) return std::nullopt;
  const ValueNo argument = flow_.argument_for(caller, call, target, access.a);
  if (argument == kNoValue) return std::nullopt;
  std::optional<Access> result = access_of(caller, argument, access.names.front());
  if (!result) return std::nullopt;
  result->names.insert(result->names.end(), access.names.begin() + 1, access.names.end());
  if (result->names.size() > kMostNames) return std::nullopt;
  return result;
}

// The last event before `before` that certainly overwrites the attribute, or kNoValue.
std::uint32_t Kills::last_overwriting(FuncId f, std::uint32_t before, const Access& access, int depth) {
  const View view = view_of(inference_, f);
  std::uint32_t last = kNoValue;
  auto certain = [&](std::uint32_t event) {
    if (event >= before) return false;
    if (before < view.size()) return dominates(f, event, before);
    return brackets(f).around[event] == kNoValue && event < brackets(f).first_return;
  };
  if (auto stores = stores_.find(access.names.back()); stores != stores_.end()) {
    auto at = std::lower_bound(stores->second.begin(), stores->second.end(), std::pair{f, 0u});
    for (; at != stores->second.end() && at->first == f; ++at) {
      if (certain(at->second) && access_of(f, view.operand(view.at(at->second), 0), access.names.back()) == access)
        last = at->second;
    }
  }
  for (const CallSite& site : inference_.facts(f).calls) {
    if (last != kNoValue && site.event < last) continue;
    if (++work_ > kMostWork) return kNoValue;
    if (!site.targets.empty() && certain(site.event) && call_overwrites(f, site, access, depth) &&
        !is_conditional(f, site.event))
      last = site.event;
  }
  return last;
}

bool Kills::call_overwrites(FuncId f, const CallSite& site, const Access& access, int depth) {
  if (depth >= kMostCallsDown) return false;
  return std::all_of(site.targets.begin(), site.targets.end(), [&](const CallTarget& target) {
    const ir::Function& function = program_.function(target.function);
    if ((target.kind != TargetKind::Direct && target.kind != TargetKind::Forward) || function.is_generator ||
        function.is_async)
      return false;
    if (access.root == Access::Root::Global && overwrites(target.function, access, depth + 1)) return true;
    for (std::uint32_t p = 0; p < std::min(function.parameter_count, kMostParameters); ++p) {
      const ValueNo argument = flow_.argument_for(f, site.event, target, p);
      if (argument == kNoValue) continue;
      const std::optional<Access> handed = access_of(f, argument, access.names.back());
      if (!handed || handed->root != access.root || handed->a != access.a || handed->b != access.b ||
          handed->names.size() > access.names.size())
        continue;
      const std::size_t shared = handed->names.size() - 1;
      if (!std::equal(access.names.begin(), access.names.begin() + static_cast<std::ptrdiff_t>(shared),
                      handed->names.begin()))
        continue;
      Access inside{
          Access::Root::Param, p, 0, {access.names.begin() + static_cast<std::ptrdiff_t>(shared), access.names.end()}};
      if (overwrites(target.function, inside, depth + 1)) return true;
    }
    return false;
  });
}

// Whoever returns from `f` has overwritten the attribute.
bool Kills::overwrites(FuncId f, const Access& access, int depth) {
  auto [it, added] = overwrites_.emplace(std::pair{f, access}, false);
  if (!added) return it->second;
  const std::uint32_t end = view_of(inference_, f).size();
  const std::uint32_t at = last_overwriting(f, end, access, depth);
  return overwrites_[{f, access}] = at != kNoValue && !is_rebound(f, at, end, access);
}

// Does a name on the way to the attribute come to mean another object?
bool Kills::is_rebound(FuncId f, std::uint32_t from, std::uint32_t to, const Access& access) const {
  const View view = view_of(inference_, f);
  const ModuleId module = program_.functions[f].module;
  for (std::uint32_t e = from; e < to; ++e) {
    const ir::Event& event = view.at(e);
    if (event.op == Op::StoreAttribute) {
      if (std::find(access.names.begin(), access.names.end() - 1, program_.name(module, event.name)) !=
          access.names.end() - 1)
        return true;
    } else if (event.op == Op::Store && access.root == Access::Root::Global &&
               (event.flags & ir::flag::kPlaceMask) == ir::flag::Global &&
               program_.name(module, event.name).index == access.b) {
      return true;
    }
  }
  return false;
}

// Up to where code may run between the two events: later turns of loops around the second count.
std::uint32_t Kills::window_end(FuncId f, std::uint32_t from, std::uint32_t event) const {
  const Ssa& ssa = inference_.facts(f).ssa;
  std::uint32_t end = event;
  for (std::uint32_t loop = ssa.loop_of[event]; loop != kNoValue && loop >= from; loop = ssa.loop_of[loop])
    end = end_of(f, loop);
  return end;
}

// Adds all that the function's calls between two events may run. False: too much to follow.
bool Kills::add_running(FuncId f, std::uint32_t from, std::uint32_t to, std::uint32_t without, Shield& shield) {
  std::vector<FuncId> work;
  for (const CallSite& site : inference_.facts(f).calls) {
    if (site.event < from || site.event >= to || site.event == without) continue;
    for (const CallTarget& target : site.targets) {
      add_sorted(shield.calls, {f, site.event, target.function});
      work.push_back(target.function);
    }
  }
  std::vector<FuncId> followed;
  while (!work.empty()) {
    const FuncId at = work.back();
    work.pop_back();
    if (std::binary_search(followed.begin(), followed.end(), at)) continue;
    if (followed.size() > kMostRunning || ++work_ > kMostWork) return false;
    add_sorted(followed, at);
    for (const CallSite& site : inference_.facts(at).calls) {
      for (const CallTarget& target : site.targets) {
        add_sorted(shield.between, target.function);
        work.push_back(target.function);
      }
    }
  }
  return true;
}

// Frameworks call their hooks and handlers without overwriting anything.
bool Kills::called_only_in_view(FuncId f) const {
  const FunctionInfo& info = program_.functions[f];
  const ir::Function& function = program_.function(f);
  if (inference_.facts(f).entry != model::Entry::None || function.is_generator || function.is_async) return false;
  if (!info.owner.valid()) return true;
  for (NameId base : inference_.api_bases(info.owner)) {
    const model::HookFacts* hook = program_.api().find_hook(program_.text(base), program_.text(info.name));
    if (hook != nullptr) return hook->mode == model::HookMode::Caller;
  }
  return true;
}

const Shield& Kills::before(FuncId f, std::uint32_t event, const Access& access) {
  auto [it, added] = before_.emplace(std::tuple{f, event, access}, Shield{});
  Shield& shield = it->second;
  if (!added) return shield;
  const std::uint32_t at = last_overwriting(f, event, access, 0);
  if (at == kNoValue) return shield;
  const std::uint32_t end = window_end(f, at, event);
  if (is_rebound(f, at, end, access)) return shield;
  const View view = view_of(inference_, f);
  for (std::uint32_t e = at; e < end; ++e)
    if (view.at(e).op == Op::Yield) return shield;
  shield.holds = add_running(f, at, end, event, shield);
  add_sorted(shield.between, f);
  return shield;
}

const Shield& Kills::beside(FuncId f, std::uint32_t event, const Access& access) {
  auto [it, added] = beside_.emplace(std::tuple{f, event, access}, Shield{});
  Shield& shield = it->second;
  if (!added || !called_only_in_view(f) || is_rebound(f, 0, window_end(f, 0, event), access)) return shield;
  shield.holds = add_running(f, 0, view_of(inference_, f).size(), event, shield);
  return shield;
}

}  // namespace deadgrad::engine
