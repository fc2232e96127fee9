// Objects coming into being: constructors, initializer lists, what a variable without initializer holds.
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "frontends/cpp/lowering.h"
#include "frontends/cpp/types.h"

using namespace clang;

namespace deadgrad::cpp {

namespace flag = ir::flag;

static const CXXRecordDecl* plain_class(QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

ir::EventId Lowering::default_value(QualType type, ir::Span span) {
  if (type.isNull() || type->isReferenceType() || type->isPointerType()) return constant(flag::None, "nullptr", span);
  if (type->isArrayType()) return emit(Op::MakeList, {}, span);
  const CXXRecordDecl* record = plain_class(type);
  if (record == nullptr) {
    if (types_.class_of(type) == nullptr && type->isDependentType()) return unknown("dependent", {}, span);
    if (types_.class_of(type) == nullptr) return constant(flag::Int, "0", span);
    return construct_class(type, {}, span);
  }
  if (in_std(record)) {
    if (is_container(record)) return emit(Op::MakeList, {}, span);
    if (is_tuple(record)) return emit(Op::MakeTuple, {}, span);
    return constant(flag::None, "nullptr", span);
  }
  // A handle that is a template's instance (`intrusive_ptr<T>`) starts empty; a class derived from one makes its
  // object.
  if (types_.is_transparent(record) && isa<ClassTemplateSpecializationDecl>(record) && types_.class_of(type) != record)
    return constant(flag::None, "nullptr", span);
  return construct_class(type, {}, span);
}

// A new object of the class, made from `arguments`.
ir::EventId Lowering::construct_class(QualType type, std::span<const EventId> arguments, ir::Span span) {
  const CXXRecordDecl* record = plain_class(type);
  if (record == nullptr) record = types_.class_of(type);
  if (record == nullptr) return arguments.empty() ? constant(flag::None, "nullptr", span) : arguments[0];
  if (is_container(record)) return out().emit(Op::MakeList, arguments, span);
  if (is_tuple(record)) return out().emit(Op::MakeTuple, arguments, span);
  if (is_callable_wrapper(record) && !arguments.empty()) return arguments[0];
  if (in_std(record) && types_.is_transparent(record))
    return arguments.empty() ? constant(flag::None, "nullptr", span) : arguments[0];
  // A handle's instance stands for what it holds.
  if (types_.is_transparent(record) && types_.class_of(type) != nullptr) record = types_.class_of(type);
  return emit_call(symbol_of(record, span), arguments, span);
}

ir::EventId Lowering::new_object(const CXXNewExpr* expr, bool kept) {
  const ir::Span span = span_of(expr);
  if (expr->isArray()) return emit(Op::MakeList, {}, span);
  const EventId object =
      expr->getInitializer() != nullptr ? value(expr->getInitializer()) : default_value(expr->getAllocatedType(), span);
  if (!kept && types_.is_raii(expr->getAllocatedType())) emit(Op::Hold, {object}, span);
  return object;
}

ir::EventId Lowering::kept_value(const Expr* expr) {
  const auto* made = dyn_cast<CXXNewExpr>(without_wrappers(expr));
  return made != nullptr ? new_object(made, /*kept=*/true) : value(expr);
}

ir::EventId Lowering::construct(const CXXConstructExpr* expr) {
  const ir::Span span = span_of(expr);
  const CXXConstructorDecl* constructor = expr->getConstructor();
  const CXXRecordDecl* record = constructor->getParent();
  const unsigned count = expr->getNumArgs();
  const Expr* first = count > 0 ? expr->getArg(0) : nullptr;
  if (first != nullptr && isa<CXXDefaultArgExpr>(first->IgnoreImplicit())) first = nullptr;
  if (first != nullptr && (constructor->isCopyOrMoveConstructor() || expr->isElidable() || record->isLambda()))
    return value(first);
  if (types_.is_transparent(record)) {
    if (first != nullptr) {
      const Expr* plain = first->IgnoreParenImpCasts();
      if (isa<CXXNullPtrLiteralExpr>(plain)) return constant(flag::None, "nullptr", span);
      // Made from another handle or a pointer to the same kind of object.
      const CXXRecordDecl* held = types_.class_of(expr->getType());
      const CXXRecordDecl* inner = types_.held_class(record);
      const CXXRecordDecl* given = types_.class_of(first->getType());
      auto derived = [](const CXXRecordDecl* from, const CXXRecordDecl* to) {
        return from != nullptr && to != nullptr &&
               (from->getCanonicalDecl() == to->getCanonicalDecl() ||
                (from->hasDefinition() && to->hasDefinition() && from->isDerivedFrom(to)));
      };
      if (in_std(record) || (count == 1 && (derived(given, held) || derived(given, inner)))) return kept_value(first);
    } else if (in_std(record)) {
      return constant(flag::None, "nullptr", span);
    }
  }
  if (in_std(record)) {
    if (first == nullptr) return default_value(expr->getType(), span);
    if (is_container(record)) {
      const Expr* plain = first->IgnoreImplicit();
      if (isa<CXXStdInitializerListExpr>(plain) || isa<InitListExpr>(plain)) return value(first);
      Events elements;
      // `vector(n, value)`, `vector(begin, end)`
      for (unsigned i = 0; i < count && i < 2; ++i) {
        if (isa<CXXDefaultArgExpr>(expr->getArg(i)->IgnoreImplicit())) break;
        const EventId given = value(expr->getArg(i));
        if (!expr->getArg(i)->getType()->isIntegerType()) elements.push_back(given);
      }
      return out().emit(Op::MakeList, std::span<const EventId>(elements), span);
    }
  }
  const Events given = arguments(expr->getArgs(), expr->getArgs() + count);
  return construct_class(expr->getType(), given, span);
}

ir::EventId Lowering::initializer_list(const InitListExpr* expr) {
  if (const InitListExpr* semantic = expr->isSemanticForm() ? expr : expr->getSemanticForm()) expr = semantic;
  const ir::Span span = span_of(expr);
  const QualType type = expr->getType();
  const CXXRecordDecl* record = plain_class(type);
  Events elements;
  auto evaluate_all = [&] {
    for (const Expr* element : expr->inits()) {
      if (isa<ImplicitValueInitExpr>(element)) continue;
      elements.push_back(value(element));
    }
  };
  if (record != nullptr && !in_std(record) && record->hasDefinition() && is_project(record)) {
    const EventId object = construct_class(type, {}, span);
    auto field = record->getDefinition()->field_begin();
    const unsigned bases = record->getDefinition()->getNumBases();
    unsigned number = 0;
    for (const Expr* element : expr->inits()) {
      if (number++ < bases) {
        value(element);
        continue;
      }
      if (field == record->getDefinition()->field_end()) break;
      if (!isa<ImplicitValueInitExpr>(element) && !isa<CXXDefaultInitExpr>(element)) {
        const EventId given = value(element);
        emit(Op::StoreAttribute, {object, given}, span_of(element), field->getNameAsString());
      }
      ++field;
    }
    return object;
  }
  // `std::array` holds a plain array.
  if (is_container(record) && expr->getNumInits() == 1 && isa<InitListExpr>(expr->getInit(0)) &&
      expr->getInit(0)->getType()->isArrayType())
    return initializer_list(cast<InitListExpr>(expr->getInit(0)));
  evaluate_all();
  if (record != nullptr && !is_container(record)) return construct_class(type, elements, span);
  if (record == nullptr && !type->isArrayType() && !type->isDependentType() && !type->isVoidType() &&
      elements.size() == 1)
    return elements[0];
  return out().emit(Op::MakeList, std::span<const EventId>(elements), span);
}

}  // namespace deadgrad::cpp
