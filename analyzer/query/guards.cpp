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

static FixGuard written_as(model::GuardKind kind) {
  return kind == model::GuardKind::Inference ? FixGuard::InferenceMode : FixGuard::NoGrad;
}

void QueryBuilder::report_broken(BrokenGuard::Kind kind, FuncId f, std::uint32_t event, std::string guard,
                                 std::optional<FixKind> fix, model::GuardKind guard_kind, Query& query) {
  BrokenGuard broken{kind, locate(f, event), std::move(guard), name_of(f), {}, {}, std::nullopt};
  const bool is_statement = kind != BrokenGuard::Kind::OnAsync && kind != BrokenGuard::Kind::OnClass &&
                            kind != BrokenGuard::Kind::OnBareName && kind != BrokenGuard::Kind::DeadFlag;
  for (const Leak& leak : query.leaks_) {
    for (const LeakSite& site : leak.sites) {
      if (is_statement && site.where.path == broken.where.path && site.function == broken.function &&
          site.where.span.begin > broken.where.span.begin)
        broken.sites.push_back(site);
    }
  }
  if (fix) {
    FixRequest request;
    request.kind = *fix;
    request.guard = written_as(guard_kind);
    request.language = program_.module_of(f).language;
    request.safety = FixSafety::Unsafe;
    request.where = broken.where;
    request.function = broken.function;
    for (const LeakSite& site : broken.sites) request.until = std::max(request.until, site.where.span.end);
    request.keep_out = needs_autograd(f);
    broken.fix = request;
  }
  query.broken_guards_.push_back(std::move(broken));
}

void QueryBuilder::find_broken_call(FuncId f, const engine::CallSite& site, Query& query) {
  const engine::View view = engine::view_of(inference_, f);
  const std::uint32_t e = site.event;
  const ir::Event& event = view.at(e);
  const bool discarded = (event.flags & ir::flag::Discarded) != 0;
  for (const engine::EffectUse& use : site.effects) {
    if (discarded && is_guard(use.effect) && use.effect->forms.scope && !use.effect->forms.call &&
        event.operand_count <= 2) {
      report_broken(BrokenGuard::Kind::Discarded, f, e, spell(f, view.operand(event, 0)), FixKind::NameGuard,
                    use.effect->guard_kind, query);
    }
  }
  // `inference_mode().__enter__()`: the guard is undone as soon as its object is dropped.
  const ValueNo callee = view.operand(event, 0);
  if (discarded && callee != kNoValue && callee < view.size() && view.at(callee).op == Op::LoadAttribute &&
      view.name(view.at(callee)) == "__enter__") {
    const ValueNo object = view.operand(view.at(callee), 0);
    const engine::CallSite* made =
        object < view.size() && view.at(object).op == Op::Call ? inference_.facts(f).call_at(object) : nullptr;
    if (made != nullptr) {
      for (const engine::EffectUse& use : made->effects) {
        if (is_guard(use.effect) && use.effect->undone_when_dropped)
          report_broken(BrokenGuard::Kind::EnteredAndDropped, f, e, spell(f, view.operand(view.at(object), 0)),
                        FixKind::EnterGuard, use.effect->guard_kind, query);
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
    if (dead_flag(inference_, site, keyword, 0) != nullptr)
      report_broken(BrokenGuard::Kind::DeadFlag, f, e, keyword, std::nullopt, model::GuardKind::None, query);
  }
}

// `with torch.no_grad:`: the class is entered, not a guard.
void QueryBuilder::find_uncalled_guard(FuncId f, const ir::Event& scope, Query& query) {
  const ValueNo entered = engine::view_of(inference_, f).operand(scope, 0);
  const engine::Value value = inference_.expand(inference_.value_of(f, entered), f);
  const auto atoms = inference_.atoms(value);
  if (value.unknown || atoms.size() != 1 || atoms[0].kind() != AtomKind::Api) return;
  const model::Effect* effect = program_.api().find(program_.text(atoms[0].name()));
  if (is_guard(effect) && effect->forms.scope)
    report_broken(BrokenGuard::Kind::NotCalled, f, entered, spell(f, entered), FixKind::EnterGuard, effect->guard_kind,
                  query);
}

// `Guard g();`: a class is named as the result of a function, and nothing is made.
void QueryBuilder::find_declared_guard(FuncId f, std::uint32_t event, Query& query) {
  for (const Atom atom : inference_.atoms(inference_.value_of(f, event))) {
    model::GuardKind kind = model::GuardKind::None;
    if (atom.kind() == AtomKind::Api) {
      const model::Effect* effect = program_.api().find(program_.text(atom.name()));
      if (is_guard(effect)) kind = effect->guard_kind;
    } else if (atom.kind() == AtomKind::Class) {
      const engine::Mode mode = modes_.instance_state(atom.type()).mode;
      if (is_off(mode)) kind = mode == engine::Mode::Inference ? model::GuardKind::Inference : model::GuardKind::NoGrad;
    }
    if (kind != model::GuardKind::None)
      report_broken(BrokenGuard::Kind::Declared, f, event, spell(f, event), FixKind::DefineGuard, kind, query);
  }
}

model::TorchVersion QueryBuilder::torch_of(FuncId f) const {
  const auto found = options_.torch_versions.find(program_.module_of(f).path);
  return found == options_.torch_versions.end() ? model::kNewestTorch : found->second;
}

bool QueryBuilder::has_inference_mode(FuncId f) const {
  return torch_of(f) >= program_.api().first_with(model::GuardKind::Inference);
}

// `@torch.no_grad` on a function, where the guard must be called first.
void QueryBuilder::find_bare_decorators(FuncId f, const ir::Event& event, Query& query) {
  const engine::View view = engine::view_of(inference_, f);
  for (std::size_t k = 0; k < event.operand_count; ++k) {
    const ValueNo operand = view.operand(event, k);
    if (operand == kNoValue || view.at(operand).op != Op::Decorator) continue;
    for (const Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, operand), f))) {
      if (atom.kind() != AtomKind::Api) continue;
      const model::Effect* effect = program_.api().find(program_.text(atom.name()));
      if (effect == nullptr || !effect->forms.bare_decorator || torch_of(f) >= effect->bare_decorator_since) continue;
      report_broken(BrokenGuard::Kind::OnBareName, f, operand, spell(f, view.operand(view.at(operand), 0)),
                    std::nullopt, effect->guard_kind, query);
      query.broken_guards_.back().since =
          std::to_string(effect->bare_decorator_since.major) + "." + std::to_string(effect->bare_decorator_since.minor);
    }
  }
}

// A guard as decorator of a class or a coroutine function.
void QueryBuilder::find_misused_decorators(FuncId f, const ir::Event& event, Query& query) {
  const engine::View view = engine::view_of(inference_, f);
  const bool is_class = event.op == Op::MakeClass;
  if (!is_class && !view.module.functions[event.target].is_async) return;
  for (std::size_t k = 0; k < event.operand_count; ++k) {
    const ValueNo operand = view.operand(event, k);
    if (operand == kNoValue || view.at(operand).op != Op::Decorator) continue;
    for (const Atom atom : inference_.atoms(inference_.expand(inference_.value_of(f, operand), f))) {
      model::GuardKind kind = model::GuardKind::None;
      if (atom.kind() == AtomKind::Guard && atom.guard() != model::Guard::On) kind = atom.guard_kind();
      if (atom.kind() == AtomKind::Api) {
        const model::Effect* effect = program_.api().find(program_.text(atom.name()));
        if (is_guard(effect) && effect->forms.bare_decorator) kind = effect->guard_kind;
      }
      if (kind == model::GuardKind::None) continue;
      const ValueNo written = view.operand(view.at(operand), 0);
      const ValueNo named =
          written < view.size() && view.at(written).op == Op::Call ? view.operand(view.at(written), 0) : written;
      report_broken(is_class ? BrokenGuard::Kind::OnClass : BrokenGuard::Kind::OnAsync, f, operand, spell(f, named),
                    FixKind::MoveGuard, kind, query);
      FixRequest& move = *query.broken_guards_.back().fix;
      if (!is_class) move.onto = Location{view.module.path, view.module.functions[event.target].header};
    }
  }
}

void QueryBuilder::find_broken_guards(Query& query) {
  for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
    const FuncId f{i};
    const engine::FunctionFacts& facts = inference_.facts(f);
    if (!facts.evaluated) continue;
    if (!options_.include_tests && contexts_.is_test_module(program_.functions[f].module)) continue;
    for (const engine::CallSite& site : facts.calls) find_broken_call(f, site, query);
    const engine::View view = engine::view_of(inference_, f);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const ir::Event& event = view.at(e);
      if (event.op == Op::Scope && (event.flags & ir::flag::Raii) == 0) find_uncalled_guard(f, event, query);
      if (event.op == Op::Symbol && (event.flags & ir::flag::Discarded)) find_declared_guard(f, e, query);
      if (event.op == Op::MakeFunction || event.op == Op::MakeClass) find_misused_decorators(f, event, query);
      if (event.op == Op::MakeFunction) find_bare_decorators(f, event, query);
    }
  }
}

}  // namespace deadgrad
