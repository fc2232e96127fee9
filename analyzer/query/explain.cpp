// Why a forward is reported, or quiet.
#include <algorithm>
#include <set>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"
#include "analyzer/query/state.h"

namespace deadgrad {

using engine::Context;
using engine::ContextId;
using engine::Contexts;
using engine::Evidence;
using engine::Exposure;
using engine::kNoValue;
using engine::Mode;
using engine::TargetKind;
using engine::Tri;
using engine::ValueNo;
using ir::Op;

// Paths and guards that an answer names; the rest is counted.
inline constexpr std::size_t kMostTold = 4;

std::string QueryBuilder::callee_of(FuncId f, std::uint32_t event) const {
  const engine::View view = engine::view_of(inference_, f);
  return spell(f, view.operand(view.at(event), 0));
}

// Which guards hold on the paths that lead to a forward.
void QueryBuilder::tell_guards(const std::vector<const Exposure*>& exposures, Explanation& told) {
  std::set<Location> seen;
  for (const Exposure* exposure : exposures) {
    if (exposure->mode == Mode::On) continue;
    const Contexts::ModeSource source = contexts_.source_of(exposure->context, exposure->event);
    Location where;
    std::string text;
    if (source.state != nullptr && source.state->guard_event != ~0u) {
      where = guard_location(*source.state);
      text = "`" + guard_text(*source.state) + (exposure->mode == Mode::Maybe ? "` may hold" : "` holds") +
             " from here on";
    } else {
      const FuncId entry = contexts_.at(source.context).function;
      if (exposure->mode == Mode::Maybe) continue;
      where = header_of(entry);
      switch (contexts_.at(source.context).entry) {
        case engine::EntryKind::Hook:
          text = "a framework calls `" + name_of(entry) + "` under a guard";
          break;
        case engine::EntryKind::ByName:
          text = "every call of a method named as `" + name_of(entry) + "` is under a guard";
          break;
        default:
          text = "the module of `" + name_of(entry) + "` switches autograd off when it is loaded";
      }
    }
    if (!seen.insert(where).second) continue;
    if (seen.size() <= kMostTold) told.facts.push_back({Role::Other, where, text});
  }
  if (seen.size() > kMostTold && !told.facts.empty())
    told.facts.back().text += ", and so do " + std::to_string(seen.size() - kMostTold) + " more guards on other paths";
}

void QueryBuilder::tell_path(const Exposure& exposure, Explanation& told) {
  for (const PathStep& step : path_to({exposure.function, exposure.event, exposure.context, true})) {
    if (step.where != told.where) told.facts.push_back({Role::Other, step.where, step.text});
  }
}

void QueryBuilder::tell_end(const Exposure& exposure, Explanation& told) {
  if (!exposure.fate.at.function.valid()) return;
  const std::string callee = callee_of(exposure.fate.at.function, exposure.fate.at.event);
  const Location where = locate(exposure.fate.at.function, exposure.fate.at.event);
  if (exposure.fate.tri == Tri::Yes)
    told.facts.push_back({Role::Other, where, "`" + callee + "` differentiates what is made of its result"});
  else
    told.facts.push_back(
        {Role::Other, where, "what is made of its result is handed to `" + callee + "`, which is not in view"});
}

static std::string reasons(std::uint8_t unknown) {
  std::string text;
  auto add = [&](std::string_view one) { text += (text.empty() ? "" : " and ") + std::string(one); };
  if (unknown & engine::kReturnedToUnknown) add("returned to callers that are not in view");
  if (unknown & (engine::kPassedAsStatement | engine::kPassedInExpression)) add("handed to code that is not in view");
  return text;
}

void QueryBuilder::tell_evidence(const Judgement& judgement, Explanation& told) {
  const Exposure& exposure = *judgement.exposure;
  const Evidences evidence = this->evidence(exposure.function, exposure.event, exposure);
  for (const auto& [points, text] : evidence.list)
    told.evidence.push_back((points > 0 ? "+" : "") + std::to_string(points) + " " + std::string(text));
  if (evidence.list.empty()) told.evidence.push_back("none");
  tell_end(exposure, told);
}

void QueryBuilder::tell(const Judgement& judgement, const std::vector<const Exposure*>& exposures, Explanation& told) {
  const Exposure& exposure = *judgement.exposure;
  told.verdict = judgement.verdict;
  switch (judgement.verdict) {
    case Verdict::Proven:
      told.text =
          "it runs with autograd on, and " + make_site({exposure.function, exposure.event, exposure.context, true}).why;
      tell_path(exposure, told);
      break;
    case Verdict::Likely:
      told.text = "it runs with autograd on; its result is " + reasons(exposure.fate.unknown) +
                  ", and enough speaks for inference";
      if (exposure.fate.unknown == 0)
        told.text = "it runs with autograd on and no backward follows; that it is a model is likely, not proven";
      tell_path(exposure, told);
      tell_evidence(judgement, told);
      break;
    case Verdict::Unknown:
      told.text = exposure.fate.unknown == 0
                      ? "no backward follows, but only its name says that it is a model"
                      : "its result is " + reasons(exposure.fate.unknown) + ", and too little speaks for inference";
      tell_evidence(judgement, told);
      break;
    case Verdict::Trains:
      told.text = "its graph reaches backward";
      if (!exposure.fate.at.function.valid()) told.text = "a framework trains with its result";
      tell_end(exposure, told);
      break;
    case Verdict::TrainsForSome:
      told.text =
          "its graph reaches backward for some callers; for others it is told where they call, or where memory grows";
      tell_end(exposure, told);
      break;
    case Verdict::Guarded:
      told.text = std::ranges::any_of(exposures, [](const Exposure* one) { return one->mode == Mode::Maybe; })
                      ? "every path to it is, or may be, under a guard"
                      : "every path to it is under a guard";
      tell_guards(exposures, told);
      break;
    case Verdict::Frozen:
      told.text = "its module is frozen: none of its parameters takes gradients";
      break;
    case Verdict::WouldRaise:
      told.text = "its result is read by what raises on a tensor with a graph, so it has none";
      if (const engine::Place at = flow_.trace(exposure.function, exposure.event).raises_at; at.function.valid())
        told.facts.push_back({Role::Other, locate(at.function, at.event),
                              "`" + callee_of(at.function, at.event) + "` raises on a tensor with a graph"});
      break;
    case Verdict::MaybeNoModel:
      told.text = "it is merely named or used like a model, and no loop feeds its result back";
      break;
    case Verdict::InTests:
      told.text = "only tests run it with autograd on (see --include-tests)";
      break;
    default:
      break;
  }
}

// A call that runs a module, or leads to one, but is no forward of its own.
bool QueryBuilder::tell_other_call(FuncId f, const engine::CallSite& site, Explanation& told) {
  const bool forwards = std::any_of(site.targets.begin(), site.targets.end(), [](const engine::CallTarget& target) {
    return target.kind == TargetKind::Forward;
  });
  if (site.guarded_inside) {
    told.verdict = Verdict::GuardedInside;
    told.text = "the library runs it under a guard of its own";
  } else if (site.runs_module == Evidence::None && !forwards) {
    return false;
  } else if (site.without_parameters) {
    told.verdict = Verdict::NoGraph;
    told.text = "its module has no parameters";
  } else if (contexts_.of(f).empty()) {
    told.verdict = Verdict::NotReached;
    told.text = "no entry point leads to it";
  } else {
    bool in_model = false, dead = true;
    for (ContextId id : contexts_.of(f)) {
      in_model |= contexts_.at(id).in_model;
      dead &= contexts_.is_dead(contexts_.at(id), site.event);
    }
    told.verdict = dead ? Verdict::NotReached : in_model ? Verdict::PartOfForward : Verdict::NoGraph;
    told.text = dead       ? "the tests around it rule it out for every caller"
                : in_model ? "it is part of a forward: what counts is the mode in which that is called"
                           : "it builds no graph of its own, or its module trains inside";
  }
  return true;
}

std::vector<Explanation> QueryBuilder::explain(const Location& asked) {
  collect_evidence();
  const SiteMap by_site = sites();
  std::vector<Explanation> result;
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    if (!inference_.facts(f).evaluated || program_.module_of(f).path != asked.path) continue;
    for (const engine::CallSite& site : inference_.facts(f).calls) {
      Explanation told;
      told.where = locate(f, site.event);
      if (told.where.span.begin < asked.span.begin || told.where.span.begin >= asked.span.end) continue;
      told.callee = callee_of(f, site.event);
      told.function = name_of(f);
      if (auto found = by_site.find({f, site.event}); found != by_site.end())
        tell(judge(f, site.event, found->second), found->second, told);
      else if (!tell_other_call(f, site, told))
        continue;
      result.push_back(std::move(told));
    }
  }
  std::sort(result.begin(), result.end(),
            [](const Explanation& a, const Explanation& b) { return a.where.span.begin < b.where.span.begin; });
  return result;
}

std::vector<Explanation> explain(const Analysis& analysis, const Location& where) {
  AnalysisState& state = *analysis.state;
  return QueryBuilder(state.inference, state.modes, *state.flow, *state.contexts, state.options).explain(where);
}

}  // namespace deadgrad
