// Guards that have no effect.
#include "analyzer/engine/view.h"
#include "analyzer/query/builder.h"

namespace deadgrad {

using engine::Atom;
using engine::AtomKind;
using engine::kNoValue;
using engine::ValueNo;
using ir::Op;

static bool is_guard(const model::Effect* effect) {
  return effect != nullptr && (effect->guard == model::Guard::Off || effect->guard == model::Guard::InverseArgument ||
                               effect->guard == model::Guard::Argument);
}

// Does the flag that promised no gradients, and does nothing, reach a call of this effect? Directly as a keyword, or
// through the catch-all keywords of a helper.
static const model::Effect* dead_flag(const engine::Inference& inference, const engine::CallSite& site,
                                      std::string_view keyword, int depth) {
  for (const engine::EffectUse& use : site.effects) {
    if (!use.effect->dead_flag.empty() && use.effect->dead_flag == keyword) return use.effect;
  }
  if (depth > 3) return nullptr;
  for (const engine::CallTarget& target : site.targets) {
    const ir::Module& module = inference.program().module_of(target.function);
    bool catches = false;
    for (const ir::Parameter& parameter : module.parameters_of(inference.program().function(target.function))) {
      catches |= parameter.kind == ir::ParamKind::VarKeywords || module.text(parameter.name) == keyword;
    }
    if (!catches) continue;
    const engine::View view = engine::view_of(inference, target.function);
    for (const engine::CallSite& inner : inference.facts(target.function).calls) {
      const ir::Event& call = view.at(inner.event);
      for (std::size_t k = 1; k < call.operand_count; ++k) {
        const ValueNo argument = view.operand(call, k);
        if (argument == kNoValue) continue;
        const ir::Event& wrapper = view.at(argument);
        const bool passes =
            wrapper.op == Op::DoubleStar || (wrapper.op == Op::Keyword && view.name(wrapper) == keyword);
        if (!passes) continue;
        if (const model::Effect* effect = dead_flag(inference, inner, keyword, depth + 1)) return effect;
      }
    }
  }
  return nullptr;
}

void QueryBuilder::find_broken_guards(Query& query) {
  const model::ApiModel& api = program_.api();
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const engine::FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    const engine::View view = engine::view_of(inference_, f);
    auto report = [&](BrokenGuard::Kind kind, std::uint32_t event, std::string guard, std::optional<FixKind> fix) {
      BrokenGuard broken{kind, locate(f, event), std::move(guard), name_of(f), {}, std::nullopt};
      const bool statement = kind == BrokenGuard::Kind::Discarded || kind == BrokenGuard::Kind::NotCalled ||
                             kind == BrokenGuard::Kind::EnteredAndDropped;
      for (const Leak& leak : query.leaks_) {
        for (const LeakSite& site : leak.sites) {
          if (statement && site.where.path == broken.where.path && site.function == broken.function &&
              site.where.span.begin > broken.where.span.begin)
            broken.sites.push_back(site);
        }
      }
      if (fix) {
        FixRequest request;
        request.kind = *fix;
        request.guard =
            broken.guard.find("inference") != std::string::npos ? FixGuard::InferenceMode : FixGuard::NoGrad;
        request.language = view.module.language;
        request.safety = FixSafety::Unsafe;
        request.where = broken.where;
        request.function = broken.function;
        broken.fix = request;
      }
      query.broken_guards_.push_back(std::move(broken));
    };
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      if (event.op == Op::Call) {
        const engine::CallSite* site = facts.call_at(e);
        if (site == nullptr) continue;
        const bool discarded = (event.flags & ir::flag::Discarded) != 0;
        for (const engine::EffectUse& use : site->effects) {
          if (discarded && is_guard(use.effect) && use.effect->forms.scope && !use.effect->forms.call &&
              event.operand_count <= 2) {
            report(BrokenGuard::Kind::Discarded, e, spell(f, view.operand(event, 0)), FixKind::NameGuard);
          }
        }
        // `inference_mode().__enter__()`: the guard is undone as soon as its object is dropped.
        const ValueNo callee = view.operand(event, 0);
        if (discarded && callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute &&
            view.name(view.at(callee)) == "__enter__") {
          const ValueNo object = view.operand(view.at(callee), 0);
          if (object != kNoValue && object < view.size() && view.at(object).op == Op::Call) {
            if (const engine::CallSite* made = facts.call_at(object)) {
              for (const engine::EffectUse& use : made->effects) {
                if (is_guard(use.effect) && use.effect->undone_when_dropped)
                  report(BrokenGuard::Kind::EnteredAndDropped, e, spell(f, view.operand(view.at(object), 0)),
                         FixKind::EnterGuard);
              }
            }
          }
        }
        for (std::size_t k = 1; k < event.operand_count; ++k) {
          const ValueNo argument = view.operand(event, k);
          if (argument == kNoValue || view.at(argument).op != Op::Keyword) continue;
          const engine::Value value = inference_.value_of(f, argument);
          const auto atoms = inference_.atoms(value);
          if (value.unknown || atoms.size() != 1 || atoms[0].kind() != AtomKind::Bool || atoms[0].a() == 0) continue;
          const std::string keyword(view.name(view.at(argument)));
          if (dead_flag(inference_, *site, keyword, 0) != nullptr)
            report(BrokenGuard::Kind::DeadFlag, e, keyword, std::nullopt);
        }
      } else if (event.op == Op::Scope && (event.flags & ir::flag::Raii) == 0) {
        const engine::Value value = inference_.expand(inference_.value_of(f, view.operand(event, 0)), f);
        const auto atoms = inference_.atoms(value);
        if (!value.unknown && atoms.size() == 1 && atoms[0].kind() == AtomKind::Api) {
          const model::Effect* effect = api.find(program_.text(atoms[0].name()));
          if (is_guard(effect) && effect->forms.scope)
            report(BrokenGuard::Kind::NotCalled, view.operand(event, 0), spell(f, view.operand(event, 0)),
                   FixKind::EnterGuard);
        }
      } else if (event.op == Op::MakeFunction || event.op == Op::MakeClass) {
        const bool cls = event.op == Op::MakeClass;
        if (!cls && !view.module.functions[event.target].is_async) continue;
        for (std::size_t k = 0; k < event.operand_count; ++k) {
          const ValueNo operand = view.operand(event, k);
          if (operand == kNoValue || view.at(operand).op != Op::Decorator) continue;
          for (Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, operand), f))) {
            const model::Effect* effect = atom.kind() == AtomKind::Api ? api.find(program_.text(atom.name())) : nullptr;
            const bool guard = (atom.kind() == AtomKind::Guard && atom.guard() != model::Guard::On) ||
                               (is_guard(effect) && effect->forms.bare_decorator);
            if (!guard) continue;
            const ValueNo written = view.operand(view.at(operand), 0);
            const ValueNo named =
                written < view.size() && view.at(written).op == Op::Call ? view.operand(view.at(written), 0) : written;
            report(cls ? BrokenGuard::Kind::OnClass : BrokenGuard::Kind::OnAsync, operand, spell(f, named),
                   FixKind::MoveGuard);
          }
        }
      }
    }
  }
}

}  // namespace deadgrad
