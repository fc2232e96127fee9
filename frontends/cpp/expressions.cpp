// Expressions: what they evaluate, in which order, and where they store.
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"

#include "frontends/cpp/lowering.h"
#include "frontends/cpp/types.h"

using namespace clang;

namespace deadgrad::cpp {

namespace flag = ir::flag;

static constexpr std::size_t kMostText = 200;

ir::EventId Lowering::constant(std::uint8_t kind, std::string_view text, ir::Span span) {
  return emit(Op::Const, {}, span, text.substr(0, kMostText), kind);
}

ir::EventId Lowering::unknown(std::string_view what, std::span<const EventId> operands, ir::Span span) {
  return out().emit(Op::Unknown, operands, span, out().intern(what));
}

ir::EventId Lowering::unknown_children(std::string_view what, const Stmt* stmt) {
  Events operands;
  for (const Stmt* child : stmt->children()) {
    const auto* expr = dyn_cast_or_null<Expr>(child);
    if (expr == nullptr) continue;
    if (const EventId value = this->value(expr); value.valid()) operands.push_back(value);
  }
  return unknown(what, operands, span_of(stmt));
}

// `this` inside a lambda is the enclosing method's.
ir::EventId Lowering::this_value(ir::Span span) {
  const bool inside = current_function().kind == ir::FunctionKind::Lambda;
  return emit(Op::Load, {}, span, "this", inside ? flag::Captured : flag::Local);
}

// A template of the project may keep more than its arguments say.
bool Lowering::is_project_template(QualType type) {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && is_project(record);
}

// Adds what the static type says, where that is a class of the project or of a library that is not the standard one.
ir::EventId Lowering::typed(EventId value, QualType type, ir::Span span) {
  if (!value.valid() || type.isNull()) return value;
  // Whatever a call or a member gives, a number holds no tensor.
  if (const Op op = out().op_of(value); op == Op::Call || op == Op::LoadAttribute || op == Op::LoadItem ||
                                        op == Op::Iterate || op == Op::Unpack || op == Op::Unknown) {
    if (const std::string data = is_project_template(type) ? std::string() : data_name(type); !data.empty()) {
      const EventId named = symbol(data, span);
      return emit(Op::Typed, {value, named}, span, {}, flag::Certain);
    }
  }
  const CXXRecordDecl* record = types_.class_of(type);
  if (record == nullptr || in_std(record) || record->isLambda() || record->getDeclName().isEmpty()) return value;
  // What stands in for unknown code says nothing.
  if (!is_project(record) && qualified_name(record).starts_with("deadgrad_")) return value;
  const EventId named = symbol_of(record, span);
  return emit(Op::Typed, {value, named}, span, {}, flag::Certain);
}

// Events whose value says itself what it is: a declared type adds nothing.
static bool needs_type(const Expr* plain) {
  if (const auto* construct = dyn_cast<CXXConstructExpr>(plain)) return construct->getNumArgs() == 1;
  return !isa<CXXThisExpr>(plain) && !isa<InitListExpr>(plain) && !isa<LambdaExpr>(plain) &&
         !isa<CXXNullPtrLiteralExpr>(plain) && !isa<IntegerLiteral>(plain) && !isa<StringLiteral>(plain) &&
         !isa<FloatingLiteral>(plain) && !isa<CXXBoolLiteralExpr>(plain) && !isa<BinaryOperator>(plain);
}

ir::EventId Lowering::value(const Expr* expr) {
  expr = without_wrappers(expr);
  const EventId value = evaluate(expr);
  if (const auto* named = dyn_cast<DeclRefExpr>(expr); named != nullptr && variables_.contains(named->getDecl()))
    return value;  // told where it was stored
  return needs_type(expr) ? typed(value, expr->getType(), span_of(expr)) : value;
}

ir::EventId Lowering::evaluate(const Expr* expr) {
  Nested nested(*this);
  if (nested.too_deep()) return unknown("nested too deep", {}, span_of(expr));
  return evaluate_kind(expr);
}

// Sees through what changes nothing: parentheses, temporaries, casts, and conversions that a library's class makes by
// itself (an `IValue` from a tensor is what it was).
const Expr* Lowering::without_wrappers(const Expr* expr) {
  while (true) {
    if (const auto* paren = dyn_cast<ParenExpr>(expr)) {
      expr = paren->getSubExpr();
    } else if (const auto* full = dyn_cast<FullExpr>(expr)) {
      expr = full->getSubExpr();
    } else if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr)) {
      expr = temporary->getSubExpr();
    } else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(expr)) {
      expr = bound->getSubExpr();
    } else if (const auto* replaced = dyn_cast<SubstNonTypeTemplateParmExpr>(expr)) {
      expr = replaced->getReplacement();
    } else if (const auto* list = dyn_cast<CXXStdInitializerListExpr>(expr)) {
      expr = list->getSubExpr();
    } else if (const auto* by_default = dyn_cast<CXXDefaultInitExpr>(expr);
               by_default != nullptr && by_default->getExpr() != nullptr) {
      expr = by_default->getExpr();
    } else if (const auto* cast = dyn_cast<CastExpr>(expr)) {
      expr = cast->getSubExpr();
    } else if (const auto* chosen = dyn_cast<GenericSelectionExpr>(expr);
               chosen != nullptr && !chosen->isResultDependent()) {
      expr = chosen->getResultExpr();
    } else if (const auto* copied = dyn_cast<ArrayInitLoopExpr>(expr)) {
      expr = copied->getCommonExpr();
    } else if (const auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expr)) {
      expr = rewritten->getSemanticForm();
    } else if (const auto* opaque = dyn_cast<OpaqueValueExpr>(expr); opaque != nullptr && opaque->getSourceExpr()) {
      expr = opaque->getSourceExpr();
    } else if (const Expr* converted = converted_value(expr)) {
      expr = converted;
    } else {
      return expr;
    }
  }
}

const Expr* Lowering::converted_value(const Expr* expr) {
  const auto* made = dyn_cast<CXXConstructExpr>(expr);
  if (made == nullptr || isa<CXXTemporaryObjectExpr>(expr) || made->getNumArgs() == 0) return nullptr;
  const CXXConstructorDecl* constructor = made->getConstructor();
  if (is_project(constructor) || types_.is_raii(made->getType()) || is_container(constructor->getParent()))
    return nullptr;
  const Expr* given = made->getArg(0);
  for (unsigned i = 1; i < made->getNumArgs(); ++i)
    if (!isa<CXXDefaultArgExpr>(made->getArg(i))) return nullptr;
  if (isa<CXXDefaultArgExpr>(given)) return nullptr;
  if (constructor->isCopyOrMoveConstructor()) return given;
  // Where the source names no class, the language made the conversion.
  const SourceLocation at = made->getLocation();
  const bool implicit = !made->isListInitialization() && at == given->getBeginLoc() &&
                        constructor->isConvertingConstructor(/*AllowExplicit=*/false);
  const bool list = made->isListInitialization() && isa<CXXStdInitializerListExpr>(given->IgnoreImplicit());
  return implicit || list || made->isStdInitListInitialization() ? given : nullptr;
}

static std::string literal_text(const StringLiteral* literal) {
  if (literal->getCharByteWidth() != 1) return {};
  return literal->getString().substr(0, kMostText).str();
}

ir::EventId Lowering::evaluate_kind(const Expr* expr) {
  expr = without_wrappers(expr);
  const ir::Span span = span_of(expr);
  if (const auto* call = dyn_cast<CallExpr>(expr)) return this->call(call);
  if (const auto* named = dyn_cast<DeclRefExpr>(expr)) return reference(named->getDecl(), span, named->getType());
  if (isa<MemberExpr>(expr)) return member(expr);
  if (isa<CXXThisExpr>(expr)) return this_value(span);
  if (const auto* construct = dyn_cast<CXXConstructExpr>(expr)) return this->construct(construct);
  if (const auto* list = dyn_cast<InitListExpr>(expr)) return initializer_list(list);
  if (const auto* lambda = dyn_cast<LambdaExpr>(expr)) return this->lambda(lambda);
  if (const auto* literal = dyn_cast<IntegerLiteral>(expr)) {
    llvm::SmallString<24> text;
    literal->getValue().toStringSigned(text);
    return constant(flag::Int, std::string_view(text.data(), text.size()), span);
  }
  if (const auto* literal = dyn_cast<CXXBoolLiteralExpr>(expr))
    return constant(literal->getValue() ? flag::True : flag::False, literal->getValue() ? "true" : "false", span);
  if (const auto* literal = dyn_cast<StringLiteral>(expr)) return constant(flag::String, literal_text(literal), span);
  if (isa<FloatingLiteral>(expr)) return constant(flag::Float, "0.0", span);
  if (isa<CXXNullPtrLiteralExpr>(expr) || isa<GNUNullExpr>(expr) || isa<ImplicitValueInitExpr>(expr))
    return constant(flag::None, "nullptr", span);
  if (isa<CharacterLiteral>(expr) || isa<UnaryExprOrTypeTraitExpr>(expr) || isa<TypeTraitExpr>(expr) ||
      isa<SizeOfPackExpr>(expr) || isa<OffsetOfExpr>(expr) || isa<CXXNoexceptExpr>(expr))
    return constant(flag::Int, "0", span);
  if (const auto* binary = dyn_cast<BinaryOperator>(expr)) {
    if (binary->getOpcode() == BO_Assign) {
      const EventId value = this->value(binary->getRHS());
      assign(binary->getLHS(), value, span);
      return value;
    }
    if (binary->isCompoundAssignmentOp()) {
      const EventId left = this->value(binary->getLHS());
      const EventId right = this->value(binary->getRHS());
      const EventId result = emit(Op::Binary, {left, right}, span, std::string(binary->getOpcodeStr()), flag::InPlace);
      assign(binary->getLHS(), result, span);
      return result;
    }
    if (binary->isPtrMemOp()) {
      const EventId object = value(binary->getLHS());
      const EventId member = value(binary->getRHS());
      const EventId operands[] = {object, member};
      return unknown("pointer to member", operands, span);
    }
    const EventId left = value(binary->getLHS());
    const EventId right = value(binary->getRHS());
    if (binary->getOpcode() == BO_Comma) return right;
    if (binary->isLogicalOp())
      return emit(Op::Bool, {left, right}, span, binary->getOpcode() == BO_LAnd ? "and" : "or");
    if (binary->isComparisonOp()) return emit(Op::Compare, {left, right}, span, std::string(binary->getOpcodeStr()));
    return emit(Op::Binary, {left, right}, span, std::string(binary->getOpcodeStr()));
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expr)) {
    switch (unary->getOpcode()) {
      case UO_Deref:
      case UO_AddrOf:
      case UO_Plus:
      case UO_Extension:
      case UO_Real:
        return evaluate(unary->getSubExpr());
      case UO_Coawait: {
        const EventId awaited = value(unary->getSubExpr());
        return emit(Op::Await, {awaited}, span);
      }
      case UO_PreInc:
      case UO_PreDec:
      case UO_PostInc:
      case UO_PostDec: {
        const EventId old = value(unary->getSubExpr());
        const Expr* place = unary->getSubExpr()->IgnoreParenImpCasts();
        if (!isa<DeclRefExpr>(place) || unary->getType()->isPointerType()) return old;
        const EventId one = constant(flag::Int, "1", span);
        const EventId next = emit(Op::Binary, {old, one}, span, unary->isIncrementOp() ? "+=" : "-=", flag::InPlace);
        assign(place, next, span);
        return unary->isPrefix() ? next : old;
      }
      default: {
        const EventId operand = value(unary->getSubExpr());
        return emit(
            Op::Unary, {operand}, span,
            unary->getOpcode() == UO_LNot ? "not" : std::string(UnaryOperator::getOpcodeStr(unary->getOpcode())));
      }
    }
  }
  if (const auto* choice = dyn_cast<AbstractConditionalOperator>(expr)) {
    const EventId condition = evaluate(choice->getCond());
    const EventId then = value(choice->getTrueExpr());
    const EventId otherwise = value(choice->getFalseExpr());
    return emit(Op::Select, {condition, then, otherwise}, span);
  }
  if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
    const EventId object = value(subscript->getBase());
    const EventId index = value(subscript->getIdx());
    return item(object, index, span);
  }
  if (const auto* made = dyn_cast<CXXNewExpr>(expr)) return new_object(made, /*kept=*/false);
  if (const auto* deleted = dyn_cast<CXXDeleteExpr>(expr)) {
    const EventId object = value(deleted->getArgument());
    if (types_.is_raii(deleted->getDestroyedType())) emit(Op::Release, {object}, span);
    return object;
  }
  if (const auto* thrown = dyn_cast<CXXThrowExpr>(expr)) {
    if (thrown->getSubExpr() != nullptr) {
      const EventId value = this->value(thrown->getSubExpr());
      emit(Op::Raise, {value}, span);
    } else {
      emit(Op::Raise, {}, span);
    }
    return constant(flag::None, "nullptr", span);
  }
  if (const auto* awaited = dyn_cast<CoroutineSuspendExpr>(expr)) {
    const Expr* operand = awaited->getOperand();
    if (!isa<CoyieldExpr>(awaited)) {
      const EventId value = this->value(operand);
      return emit(Op::Await, {value}, span);
    }
    // The operand is a call of the promise's yield_value.
    if (const auto* given = dyn_cast<CXXMemberCallExpr>(operand->IgnoreImplicit());
        given != nullptr && given->getNumArgs() == 1)
      operand = given->getArg(0);
    const EventId value = this->value(operand);
    current_function().is_generator = true;
    current_function().is_async = false;
    return emit(Op::Yield, {value}, span);
  }
  if (const auto* scalar = dyn_cast<CXXScalarValueInitExpr>(expr)) return default_value(scalar->getType(), span);
  if (const auto* written = dyn_cast<CXXUnresolvedConstructExpr>(expr)) {
    Events given;
    for (const Expr* argument : written->arguments()) given.push_back(value(argument));
    return construct_class(written->getTypeAsWritten(), given, span);
  }
  if (const auto* list = dyn_cast<ParenListExpr>(expr)) {
    EventId last = constant(flag::None, "nullptr", span);
    for (unsigned i = 0; i < list->getNumExprs(); ++i) last = value(list->getExpr(i));
    return last;
  }
  if (const auto* dependent = dyn_cast<CXXDependentScopeMemberExpr>(expr)) {
    const EventId object = dependent->isImplicitAccess() ? this_value(span) : value(dependent->getBase());
    return emit(Op::LoadAttribute, {object}, span, dependent->getMember().getAsString());
  }
  if (const auto* unresolved = dyn_cast<UnresolvedMemberExpr>(expr)) {
    const EventId object = unresolved->isImplicitAccess() ? this_value(span) : value(unresolved->getBase());
    return emit(Op::LoadAttribute, {object}, span, unresolved->getMemberName().getAsString());
  }
  if (const auto* overloaded = dyn_cast<UnresolvedLookupExpr>(expr)) {
    // In a template: any of the functions of this name may be meant.
    for (const NamedDecl* decl : overloaded->decls()) {
      if (const auto* templated = dyn_cast<FunctionTemplateDecl>(decl)) decl = templated->getTemplatedDecl();
      if (isa<FunctionDecl>(decl)) return symbol_of(decl, span);
    }
    return symbol(overloaded->getName().getAsString(), span);
  }
  if (const auto* expansion = dyn_cast<PackExpansionExpr>(expr)) return value(expansion->getPattern());
  if (const auto* folded = dyn_cast<CXXFoldExpr>(expr)) return value(folded->getPattern());
  if (const auto* block = dyn_cast<StmtExpr>(expr)) {
    statement(block->getSubStmt());
    return unknown("statement expression", {}, span);
  }
  if (const auto* by_default = dyn_cast<CXXDefaultArgExpr>(expr)) {
    (void)by_default;
    return constant(flag::None, "nullptr", span);
  }
  if (const auto* initialized = dyn_cast<CXXParenListInitExpr>(expr)) {
    Events given;
    for (const Expr* argument : initialized->getInitExprs()) given.push_back(value(argument));
    return construct_class(initialized->getType(), given, span);
  }
  if (const auto* broken = dyn_cast<RecoveryExpr>(expr)) return recovered(broken);
  return unknown_children(expr->getStmtClassName(), expr);
}

// What Clang could not understand. A variable whose initializer is like that is still the variable of that name.
ir::EventId Lowering::recovered(const RecoveryExpr* expr) {
  const ArrayRef<const Expr*> parts = expr->subExpressions();
  if (parts.size() == 1 && isa<DeclRefExpr>(parts[0])) return evaluate(parts[0]);
  if (!parts.empty()) return unknown_children("not understood", expr);
  const ir::Span span = span_of(expr);
  const llvm::StringRef text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(expr->getSourceRange()), sources_, context_.getLangOpts());
  if (auto named = variable_named_.find(std::string(text)); named != variable_named_.end())
    return reference(named->second, span, named->second->getType());
  return unknown("not understood", {}, span);
}

ir::EventId Lowering::reference(const ValueDecl* decl, ir::Span span, QualType type) {
  if (const auto alias = aliases_.find(decl); alias != aliases_.end()) return evaluate(alias->second);
  if (const auto found = variables_.find(decl); found != variables_.end()) {
    const bool own = found->second.frame == frames_.back().number;
    return emit(Op::Load, {}, span, found->second.name, own ? flag::Local : flag::Captured);
  }
  if (const auto* variable = dyn_cast<VarDecl>(decl)) {
    if (variable->isStaticDataMember()) {
      if (const auto* owner = dyn_cast<CXXRecordDecl>(variable->getDeclContext())) {
        const EventId cls = symbol_of(owner, span);
        return emit(Op::LoadAttribute, {cls}, span, member_name(variable));
      }
    }
    if (variable->isFileVarDecl()) {
      if (!is_project(variable)) return symbol(qualified_name(variable), span);
      return emit(Op::Load, {}, span, qualified_name(variable), flag::Global);
    }
    return emit(Op::Load, {}, span, variable->getNameAsString(), flag::Local);
  }
  if (isa<FunctionDecl>(decl)) {
    return symbol_of(decl, span);
  }
  if (const auto* field = dyn_cast<FieldDecl>(decl))  // `&Net::layer`
    return symbol(qualified_name(field), span);
  if (isa<EnumConstantDecl>(decl)) {
    return is_project(decl) ? constant(flag::Int, qualified_name(decl), span) : symbol(qualified_name(decl), span);
  }
  (void)type;
  return unknown("name", {}, span);
}

ir::EventId Lowering::member(const Expr* expr) {
  const auto* access = cast<MemberExpr>(expr);
  const ir::Span span = span_of(expr);
  const ValueDecl* decl = access->getMemberDecl();
  if (const auto* variable = dyn_cast<VarDecl>(decl)) return reference(variable, span, expr->getType());
  if (const auto* method = dyn_cast<CXXMethodDecl>(decl); method != nullptr && method->isStatic())
    return symbol_of(method, span);
  if (isa<EnumConstantDecl>(decl)) return reference(decl, span, expr->getType());
  const Expr* base = access->getBase();
  const EventId object = access->isImplicitAccess() ? this_value(span) : value(base);
  const CXXRecordDecl* record = types_.class_of(base->getType());
  if (is_tuple(record) && (decl->getName() == "first" || decl->getName() == "second")) {
    const EventId index = constant(flag::Int, decl->getName() == "first" ? "0" : "1", span);
    return item(object, index, span);
  }
  if (const auto* field = dyn_cast<FieldDecl>(decl); field != nullptr && field->isAnonymousStructOrUnion())
    return object;
  return emit(Op::LoadAttribute, {object}, span, member_name(decl));
}

ir::EventId Lowering::item(EventId object, EventId index, ir::Span span) {
  return emit(Op::LoadItem, {object, index}, span);
}

// ---- places

void Lowering::store_variable(const ValueDecl* variable, EventId value, ir::Span span) {
  if (const auto found = variables_.find(variable); found != variables_.end()) {
    const bool own = found->second.frame == frames_.back().number;
    emit(Op::Store, {value}, span, found->second.name, own ? flag::Local : flag::Captured);
    if (const auto* given = dyn_cast<ParmVarDecl>(variable)) {
      const auto* function = dyn_cast<FunctionDecl>(given->getDeclContext());
      if (const std::string name = out_parameter(function, given->getFunctionScopeIndex()); !name.empty())
        emit(Op::Store, {value}, span, name, flag::Global);
    }
  } else if (const auto* global = dyn_cast<VarDecl>(variable)) {
    if (global->isStaticDataMember()) {
      if (const auto* owner = dyn_cast<CXXRecordDecl>(global->getDeclContext())) {
        const EventId cls = symbol_of(owner, span);
        emit(Op::StoreAttribute, {cls, value}, span, member_name(global));
      }
    } else {
      emit(Op::Store, {value}, span, qualified_name(global), flag::Global);
    }
  }
}

// `outs = {…}` for a parameter that refers to the caller's container replaces what that holds.
void Lowering::fill_container_parameter(const DeclRefExpr* parameter, EventId value, ir::Span span) {
  const auto* given = dyn_cast<ParmVarDecl>(parameter->getDecl());
  if (given == nullptr || (!given->getType()->isLValueReferenceType() && !given->getType()->isPointerType())) return;
  if (!is_container(given->getType()->getPointeeType()->getAsCXXRecordDecl())) return;
  const EventId container = reference(given, span, given->getType());
  const EventId none = constant(flag::None, "nullptr", span);
  emit(Op::StoreItem, {container, emit(Op::MakeSlice, {none, none, none}, span), value}, span);
}

void Lowering::assign(const Expr* place, EventId value, ir::Span span) {
  place = place->IgnoreParenImpCasts();
  while (true) {
    if (const auto* unary = dyn_cast<UnaryOperator>(place);
        unary != nullptr &&
        (unary->getOpcode() == UO_Deref || unary->getOpcode() == UO_AddrOf || unary->isIncrementDecrementOp()))
      place = unary->getSubExpr()->IgnoreParenImpCasts();
    else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(place))
      place = bound->getSubExpr()->IgnoreParenImpCasts();
    else if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(place))
      place = temporary->getSubExpr()->IgnoreParenImpCasts();
    else
      break;
  }
  const bool raii = types_.is_raii(place->getType());
  const bool cleared = out().op_of(value) == Op::Const || out().op_of(value) == Op::Symbol;  // nullptr, nullopt
  auto hold = [&](EventId object) {
    if (raii) emit(cleared ? Op::Release : Op::Hold, {object}, span);
  };
  if (const auto* named = dyn_cast<DeclRefExpr>(place)) {
    if (const auto alias = aliases_.find(named->getDecl()); alias != aliases_.end()) {
      assign(alias->second, value, span);
      return;
    }
    if (is_std(named->getDecl(), "ignore")) return;
    fill_container_parameter(named, value, span);
    store_variable(named->getDecl(), value, span_of(place));
    for (const auto& [variable, range] : frames_.back().elements)
      if (variable == named->getDecl())
        emit(Op::StoreItem, {range, unknown("which element", {}, span), value}, span_of(place));
    if (raii) hold(reference(named->getDecl(), span, place->getType()));
    return;
  }
  if (const auto* access = dyn_cast<MemberExpr>(place)) {
    if (const auto* variable = dyn_cast<VarDecl>(access->getMemberDecl())) {
      store_variable(variable, value, span_of(place));
      hold(value);
      return;
    }
    const EventId object = access->isImplicitAccess() ? this_value(span_of(place)) : this->value(access->getBase());
    const IdentifierInfo* field = access->getMemberDecl()->getIdentifier();
    if (is_tuple(types_.class_of(access->getBase()->getType())) && field != nullptr &&
        (field->isStr("first") || field->isStr("second"))) {
      const EventId index = constant(flag::Int, field->isStr("first") ? "0" : "1", span);
      emit(Op::StoreItem, {object, index, value}, span_of(place));
      return;
    }
    emit(Op::StoreAttribute, {object, value}, span_of(place), member_name(access->getMemberDecl()));
    hold(value);
    return;
  }
  if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(place)) {
    const EventId object = this->value(subscript->getBase());
    const EventId index = this->value(subscript->getIdx());
    emit(Op::StoreItem, {object, index, value}, span_of(place));
    return;
  }
  if (const auto* dependent = dyn_cast<CXXDependentScopeMemberExpr>(place)) {
    const EventId object =
        dependent->isImplicitAccess() ? this_value(span_of(place)) : this->value(dependent->getBase());
    emit(Op::StoreAttribute, {object, value}, span_of(place), dependent->getMember().getAsString());
    return;
  }
  if (const auto* op = dyn_cast<CXXOperatorCallExpr>(place)) {
    if (op->getOperator() == OO_Subscript && op->getNumArgs() == 2) {
      const EventId object = this->value(op->getArg(0));
      const EventId index = this->value(op->getArg(1));
      emit(Op::StoreItem, {object, index, value}, span_of(place));
      return;
    }
    if ((op->getOperator() == OO_Star || op->getOperator() == OO_Arrow) && op->getNumArgs() >= 1) {
      assign(op->getArg(0), value, span);
      return;
    }
  }
  if (const auto* call = dyn_cast<CallExpr>(place)) {
    if (const FunctionDecl* function = call->getDirectCallee()) {
      if (is_std(function, "tie")) {
        std::uint32_t number = 0;
        for (const Expr* argument : call->arguments()) {
          const EventId element = emit(Op::Unpack, {value}, span_of(argument), {}, 0, number++);
          assign(argument, typed(element, argument->getType(), span_of(argument)), span_of(argument));
        }
        return;
      }
      if (is_std(function, "get") && call->getNumArgs() == 1) {
        const EventId object = this->value(call->getArg(0));
        emit(Op::StoreItem, {object, constant(flag::Int, "0", span), value}, span_of(place));
        return;
      }
    }
    if (const auto* method = dyn_cast<CXXMemberCallExpr>(call); method != nullptr && method->getNumArgs() <= 1) {
      // `v.back() = x`, `m.at(k) = x`
      const EventId object = this->value(method->getImplicitObjectArgument());
      const EventId index =
          method->getNumArgs() == 1 ? this->value(method->getArg(0)) : constant(flag::None, "nullptr", span);
      emit(Op::StoreItem, {object, index, value}, span_of(place));
      return;
    }
  }
  const EventId target = evaluate(place);
  const EventId operands[] = {target, value};
  unknown("assignment", operands, span);
}

}  // namespace deadgrad::cpp
