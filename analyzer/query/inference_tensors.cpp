// What inference mode made and training cannot use: autograd may not save it for backward, and nothing may change it in
// place. Everything here is proof: a value is followed only while it is the tensor itself.
#include <deque>

#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::AtomKind;
using engine::CallSite;
using engine::CallTarget;
using engine::Context;
using engine::Contexts;
using engine::Evidence;
using engine::kNoValue;
using engine::Mode;
using engine::TargetKind;
using engine::Tri;
using engine::ValueNo;
using engine::View;
using ir::Op;

namespace {

constexpr int kMostDepth = 8;
constexpr std::size_t kMostTokens = 500;

// A function as it is entered: a context, or a call followed from one.
struct Place {
  Context context;
  const Place* caller = nullptr;
  int depth = 0;
};

struct Token {
  const Place* place;
  ValueNo value;
  int position;  // of the tuple that holds it; -1: the value itself
  auto operator<=>(const Token&) const = default;
};

}  // namespace

// Is the value the result of a module that builds a graph here?
static bool builds_graph(const engine::Inference& inference, engine::Contexts& contexts, const Context& context,
                         ValueNo value) {
  const View view = engine::view_of(inference, context.function);
  const engine::FunctionFacts& facts = inference.facts(context.function);
  for (int hops = 0; hops < 12 && value != kNoValue && !facts.ssa.is_phi(value); ++hops) {
    const ir::Event& event = view.at(value);
    if (event.op == Op::Load) {
      value = facts.ssa.definition[value];
    } else if (event.op == Op::Store || event.op == Op::Typed) {
      value = view.operand(event, 0);
    } else if (event.op == Op::Call) {
      const CallSite* site = facts.call_at(value);
      return site != nullptr && site->runs_module == Evidence::Proven && !site->without_parameters &&
             !site->guarded_inside && contexts.mode_at(context, value) == Mode::On &&
             !contexts.is_frozen(context.function, value);
    } else {
      return false;
    }
  }
  return false;
}

void QueryBuilder::follow_inference_tensor(const engine::Exposure& made, Query& query) {
  const Contexts::ModeSource source = contexts_.source_of(made.context, made.event);
  if (source.state == nullptr || source.state->guard_event == ~0u) return;
  std::deque<Place> places;
  // The contexts from the entry down to the forward.
  std::vector<engine::ContextId> chain;
  for (engine::ContextId at = made.context; at.valid(); at = contexts_.at(at).parent) {
    chain.push_back(at);
    if (contexts_.at(at).starter != Mode::Inherit) break;
  }
  const Place* caller = nullptr;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    places.push_back({contexts_.at(*at), caller, 0});
    caller = &places.back();
  }
  const View made_in = engine::view_of(inference_, made.function);
  const std::string maker = spell(made.function, made_in.operand(made_in.at(made.event), 0));
  auto report = [&](GuardIssue::Kind kind, FuncId f, std::uint32_t event, std::string callee) {
    GuardIssue issue = issue_of(kind, *source.state);
    issue.related.push_back({Role::Guard, issue.where, "`" + maker + "` runs under this guard"});
    issue.related.push_back({Role::Other, locate(made.function, made.event), "the tensor is made here"});
    issue.where = locate(f, event);
    issue.function = name_of(f);
    issue.callee = std::move(callee);
    for (const GuardIssue& known : query.guard_issues_)
      if (known.kind == kind && known.where == issue.where) return;
    query.guard_issues_.push_back(std::move(issue));
  };

  std::vector<Token> work{{caller, made.event, -1}};
  std::set<Token> seen;
  while (!work.empty() && seen.size() < kMostTokens) {
    const Token token = work.back();
    work.pop_back();
    if (!seen.insert(token).second) continue;
    const Place& place = *token.place;
    const Context& context = place.context;
    const FuncId f = context.function;
    const View view = engine::view_of(inference_, f);
    const engine::FunctionFacts& facts = inference_.facts(f);
    for (const auto& [user, operand] : flow_.readers(f, token.value)) {
      // What depends on another path into a loop or branch is not known to be the tensor.
      if (facts.ssa.is_phi(user)) continue;
      if (contexts_.is_dead(context, user)) continue;
      const ir::Event& event = view.at(user);
      const bool whole = token.position < 0;
      const Mode mode = contexts_.mode_at(context, user);
      auto trains = [&] {
        return flow_.combine(f, flow_.trace(f, user, context.bindings), context.results).tri == Tri::Yes;
      };
      switch (event.op) {
        case Op::Load:
        case Op::Typed:
        case Op::Await:
          if (operand == 0) work.push_back({&place, user, token.position});
          break;
        case Op::Store:
          if ((event.flags & ir::flag::kPlaceMask) != ir::flag::Captured)
            work.push_back({&place, user, token.position});
          break;
        case Op::Keyword:
          work.push_back({&place, user, token.position});
          break;
        case Op::MakeTuple:
          if (whole) work.push_back({&place, user, operand});
          break;
        case Op::Unpack:
          if (token.position == static_cast<int>(event.target) && !(event.flags & ir::flag::kUnpackMask))
            work.push_back({&place, user, -1});
          break;
        case Op::Return:
          if (place.caller != nullptr && !view.function.is_generator && !view.function.is_async)
            work.push_back({place.caller, context.call_event, token.position});
          break;
        case Op::Binary: {
          if (!whole) break;
          const std::string_view name = view.name(event);
          if ((event.flags & ir::flag::InPlace) && operand == 0) {
            if (mode != Mode::Inference && mode != Mode::Maybe)
              report(GuardIssue::Kind::ChangedInPlace, f, user, std::string(name));
            break;
          }
          if (name != "*" && name != "@" && name != "/") break;
          const ValueNo other = view.operand(event, operand == 0 ? 1 : 0);
          if (mode == Mode::On && builds_graph(inference_, contexts_, context, other) && trains())
            report(GuardIssue::Kind::SavedForBackward, f, user, std::string(name));
          break;
        }
        case Op::StoreItem:
          if (whole && operand == 0 && mode != Mode::Inference && mode != Mode::Maybe)
            report(GuardIssue::Kind::ChangedInPlace, f, user, "[]=");
          break;
        case Op::Call: {
          if (operand == 0 || !whole) break;
          const CallSite* site = facts.call_at(user);
          if (site == nullptr || site->maybe_other) break;
          if (site->targets.empty()) {
            if (mode == Mode::On && site->runs_module == Evidence::Proven && site->library_module &&
                !site->without_parameters && !site->guarded_inside && !contexts_.is_frozen(f, user) && trains())
              report(GuardIssue::Kind::SavedForBackward, f, user, spell(f, view.operand(event, 0)));
            break;
          }
          if (place.depth >= kMostDepth || site->targets.size() != 1) break;
          const CallTarget& target = site->targets[0];
          if (target.kind != TargetKind::Direct && target.kind != TargetKind::Forward) break;
          if (site->runs_module != Evidence::None && contexts_.is_frozen(f, user)) break;
          const View inside = engine::view_of(inference_, target.function);
          for (std::uint32_t e = 0; e < inside.size(); ++e) {
            if (inside.at(e).op != Op::Param) continue;
            if (flow_.argument_for(f, user, target, inside.at(e).target) != view.operand(event, operand)) continue;
            Context entered;
            entered.function = target.function;
            entered.mode = mode;
            entered.bindings = contexts_.bind(f, user, target, context);
            entered.results = flow_.combine(f, flow_.trace(f, user, context.bindings), context.results);
            entered.call_event = user;
            places.push_back({entered, &place, place.depth + 1});
            work.push_back({&places.back(), e, -1});
          }
          break;
        }
        default:
          break;
      }
    }
  }
}

void QueryBuilder::find_inference_tensors(Query& query) {
  for (const engine::Exposure& exposure : contexts_.exposures()) {
    if (exposure.mode != Mode::Inference) continue;
    const Context& context = contexts_.at(exposure.context);
    if (!options_.include_tests &&
        (context.from_tests || contexts_.is_test_module(program_.functions[exposure.function].module)))
      continue;
    const CallSite* site = inference_.facts(exposure.function).call_at(exposure.event);
    if (site == nullptr || site->runs_module < Evidence::Duck) continue;
    follow_inference_tensor(exposure, query);
  }
}

}  // namespace deadgrad
