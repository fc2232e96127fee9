// Statements: blocks with their RAII scopes, loops, branches, declarations.
#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"

#include "frontends/cpp/lowering.h"
#include "frontends/cpp/types.h"

using namespace clang;

namespace deadgrad::cpp {

namespace flag = ir::flag;

void Lowering::open_block() {
  frames_.back().open_scopes.push_back(0);
}

// Objects die in the reverse order of their declarations.
void Lowering::close_block(std::uint32_t end) {
  Frame& frame = frames_.back();
  for (std::size_t left = frame.open_scopes.back(); left > 0; --left) {
    out().close(frame.scopes.back(), end);
    frame.scopes.pop_back();
  }
  frame.open_scopes.pop_back();
}

void Lowering::block(const CompoundStmt* compound) {
  for (const Stmt* child : compound->body()) statement(child);
}

void Lowering::branch(EventId condition, ir::Span span, const std::function<void()>& then,
                      const std::function<void()>& otherwise) {
  const EventId bracket = out().open(Op::Branch, {condition}, span);
  for (const auto* part : {&then, &otherwise}) {
    const EventId arm = out().open(Op::Arm, {}, span);
    if (*part) (*part)();
    out().close(arm, span.end);
  }
  out().close(bracket, span.end);
}

// The value of an expression statement is not read.
void Lowering::discard(const Expr* expr) {
  const Expr* plain = expr->IgnoreParens();
  while (true) {
    if (const auto* full = dyn_cast<FullExpr>(plain))
      plain = full->getSubExpr()->IgnoreParens();
    else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(plain))
      plain = bound->getSubExpr()->IgnoreParens();
    else if (const auto* cast = dyn_cast<CastExpr>(plain);
             cast != nullptr && cast->getCastKind() != CK_UserDefinedConversion)
      plain = cast->getSubExpr()->IgnoreParens();
    else
      break;
  }
  const EventId value = evaluate(plain);
  // What follows the call, in an assignment, is a store of its value.
  if (value.valid() && out().op_of(value) == Op::Call && out().is_last(value)) out().add_flags(value, flag::Discarded);
  // A temporary of a class that owns a guard dies here.
  if (isa<CXXConstructExpr>(plain) && value.valid() && types_.is_raii(plain->getType()) &&
      types_.class_of(plain->getType()) != nullptr && is_project(types_.class_of(plain->getType()))) {
    const ir::Span span = span_of(plain);
    const EventId scope = out().open(Op::Scope, {value}, span, flag::Raii);
    out().close(scope, span.end);
  }
}

void Lowering::statement(const Stmt* stmt) {
  if (stmt == nullptr) return;
  Nested nested(*this);
  if (nested.too_deep()) {
    unknown("nested too deep", {}, span_of(stmt));
    return;
  }
  const ir::Span span = span_of(stmt);
  if (const auto* compound = dyn_cast<CompoundStmt>(stmt)) {
    open_block();
    block(compound);
    close_block(span.end);
  } else if (const auto* declarations = dyn_cast<DeclStmt>(stmt)) {
    declaration_statement(declarations);
  } else if (const auto* condition = dyn_cast<IfStmt>(stmt)) {
    open_block();
    statement(condition->getInit());
    if (condition->isConstexpr() || condition->isConsteval()) {
      // In an instance only the branch that is taken is there.
      std::optional<const Stmt*> taken = condition->getNondiscardedCase(context_);
      if (taken) {
        statement(*taken);
        close_block(span.end);
        return;
      }
    }
    if (condition->getConditionVariable() != nullptr) local_variable(condition->getConditionVariable());
    const EventId test =
        condition->getCond() != nullptr ? evaluate(condition->getCond()) : constant(flag::Int, "1", span);
    auto part = [this](const Stmt* body) {
      return [this, body] {
        open_block();
        statement(body);
        close_block(span_of(body).end);
      };
    };
    branch(test, span, part(condition->getThen()),
           condition->getElse() != nullptr ? std::function<void()>(part(condition->getElse())) : nullptr);
    close_block(span.end);
  } else if (isa<ForStmt>(stmt) || isa<WhileStmt>(stmt) || isa<DoStmt>(stmt) || isa<CXXForRangeStmt>(stmt)) {
    loop(stmt);
  } else if (const auto* returned = dyn_cast<ReturnStmt>(stmt)) {
    if (returned->getRetValue() != nullptr && !returned->getRetValue()->getType()->isVoidType()) {
      const EventId value = this->value(returned->getRetValue());
      emit(Op::Return, {value}, span);
    } else {
      if (returned->getRetValue() != nullptr) discard(returned->getRetValue());
      emit(Op::Return, {}, span);
    }
  } else if (const auto* finished = dyn_cast<CoreturnStmt>(stmt)) {
    if (finished->getOperand() != nullptr && !finished->getOperand()->getType()->isVoidType()) {
      const EventId value = this->value(finished->getOperand());
      emit(Op::Return, {value}, span);
    } else {
      emit(Op::Return, {}, span);
    }
  } else if (const auto* choice = dyn_cast<SwitchStmt>(stmt)) {
    switch_statement(choice);
  } else if (const auto* guarded = dyn_cast<CXXTryStmt>(stmt)) {
    const EventId bracket = out().open(Op::Try, {}, span);
    const EventId arm = out().open(Op::Arm, {}, span_of(guarded->getTryBlock()));
    statement(guarded->getTryBlock());
    out().close(arm, span_of(guarded->getTryBlock()).end);
    for (unsigned i = 0; i < guarded->getNumHandlers(); ++i) {
      const CXXCatchStmt* handler = guarded->getHandler(i);
      const ir::Span at = span_of(handler);
      const EventId caught = out().open(Op::Handler, {}, at);
      open_block();
      if (handler->getExceptionDecl() != nullptr && !handler->getExceptionDecl()->getName().empty()) {
        declare(handler->getExceptionDecl(), handler->getExceptionDecl()->getNameAsString());
        store_variable(handler->getExceptionDecl(), caught, at);
      }
      statement(handler->getHandlerBlock());
      close_block(at.end);
      out().close(caught, at.end);
    }
    out().close(bracket, span.end);
  } else if (isa<BreakStmt>(stmt)) {
    const Frame& frame = frames_.back();
    if (!frame.break_is_loop.empty() && frame.break_is_loop.back()) emit(Op::Break, {}, span);
  } else if (isa<ContinueStmt>(stmt)) {
    emit(Op::Continue, {}, span);
  } else if (const auto* labelled = dyn_cast<LabelStmt>(stmt)) {
    statement(labelled->getSubStmt());
  } else if (const auto* attributed = dyn_cast<AttributedStmt>(stmt)) {
    statement(attributed->getSubStmt());
  } else if (const auto* part = dyn_cast<SwitchCase>(stmt)) {
    statement(part->getSubStmt());
  } else if (const auto* captured = dyn_cast<CapturedStmt>(stmt)) {
    statement(captured->getCapturedStmt());
  } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(stmt)) {
    const Stmt* body = directive->hasAssociatedStmt() ? directive->getRawStmt() : nullptr;
    if (body == nullptr) return;
    if (!isOpenMPParallelDirective(directive->getDirectiveKind()) &&
        !isOpenMPTaskingDirective(directive->getDirectiveKind())) {
      statement(body);
      return;
    }
    // The body runs on the threads of a team.
    const EventId callee = symbol("omp::parallel", span);
    const EventId run = body_as_lambda(body, span);
    out().add_flags(emit_call(callee, std::initializer_list<EventId>{run}, span), flag::Discarded);
  } else if (const auto* expr = dyn_cast<Expr>(stmt)) {
    discard(expr);
  }
}

void Lowering::loop_body(const Stmt* body) {
  Frame& frame = frames_.back();
  frame.break_is_loop.push_back(true);
  open_block();
  statement(body);
  close_block(span_of(body).end);
  frames_.back().break_is_loop.pop_back();
}

void Lowering::loop(const Stmt* stmt) {
  const ir::Span span = span_of(stmt);
  open_block();
  if (const auto* counted = dyn_cast<ForStmt>(stmt)) {
    statement(counted->getInit());
    const EventId bracket = out().open(Op::Loop, {}, span, flag::For);
    if (counted->getConditionVariable() != nullptr) local_variable(counted->getConditionVariable());
    if (counted->getCond() != nullptr) discard(counted->getCond());
    loop_body(counted->getBody());
    if (counted->getInc() != nullptr) discard(counted->getInc());
    out().close(bracket, span.end);
  } else if (const auto* repeated = dyn_cast<WhileStmt>(stmt)) {
    const EventId bracket = out().open(Op::Loop, {}, span, flag::While);
    open_block();
    if (repeated->getConditionVariable() != nullptr) local_variable(repeated->getConditionVariable());
    if (repeated->getCond() != nullptr) discard(repeated->getCond());
    loop_body(repeated->getBody());
    close_block(span.end);
    out().close(bracket, span.end);
  } else if (const auto* until = dyn_cast<DoStmt>(stmt)) {
    const EventId bracket = out().open(Op::Loop, {}, span, flag::While);
    loop_body(until->getBody());
    if (until->getCond() != nullptr) discard(until->getCond());
    out().close(bracket, span.end);
  } else if (const auto* ranged = dyn_cast<CXXForRangeStmt>(stmt)) {
    statement(ranged->getInit());
    const EventId range = value(ranged->getRangeInit());
    const EventId bracket = out().open(Op::Loop, {}, span, flag::For);
    const VarDecl* variable = ranged->getLoopVariable();
    const ir::Span at = variable != nullptr ? span_of(variable->getSourceRange()) : span;
    const EventId element = emit(Op::Iterate, {range}, at);
    if (variable != nullptr) {
      if (isa<DecompositionDecl>(variable)) {
        structured_binding(variable, element);
      } else {
        declare(variable, variable->getNameAsString());
        store_variable(variable, typed(element, variable->getType(), at), at);
      }
    }
    const bool refers = variable != nullptr && variable->getType()->isLValueReferenceType() &&
                        !variable->getType()->getPointeeType().isConstQualified();
    if (refers) frames_.back().elements.emplace_back(variable, range);
    loop_body(ranged->getBody());
    if (refers) frames_.back().elements.pop_back();
    out().close(bracket, span.end);
  }
  close_block(span.end);
}

// Is what stands behind the statement reached from it?
static bool completes(const Stmt* stmt) {
  if (isa<BreakStmt, ContinueStmt, ReturnStmt, CoreturnStmt, GotoStmt>(stmt)) return false;
  if (const auto* compound = dyn_cast<CompoundStmt>(stmt)) return std::ranges::all_of(compound->body(), completes);
  if (const auto* label = dyn_cast<SwitchCase>(stmt)) return completes(label->getSubStmt());
  if (const auto* attributed = dyn_cast<AttributedStmt>(stmt)) return completes(attributed->getSubStmt());
  if (const auto* condition = dyn_cast<IfStmt>(stmt))
    return condition->getElse() == nullptr || completes(condition->getThen()) || completes(condition->getElse());
  const auto* expr = dyn_cast<Expr>(stmt);
  if (expr == nullptr) return true;
  if (isa<CXXThrowExpr>(expr->IgnoreParenImpCasts())) return false;
  const auto* call = dyn_cast<CallExpr>(expr->IgnoreParenImpCasts());
  return call == nullptr || call->getDirectCallee() == nullptr || !call->getDirectCallee()->isNoReturn();
}

// The statements behind one label, or behind several at once.
struct Lowering::Case {
  std::vector<const Stmt*> body;
  bool falls_through() const { return std::ranges::all_of(body, completes); }
};

static std::vector<const Stmt*> statements_of(const Stmt* body) {
  const auto* compound = dyn_cast_or_null<CompoundStmt>(body);
  if (compound != nullptr) return {compound->body_begin(), compound->body_end()};
  return body != nullptr ? std::vector<const Stmt*>{body} : std::vector<const Stmt*>{};
}

void Lowering::case_body(const Case& part) {
  open_block();
  for (const Stmt* child : part.body) statement(child);
  close_block(span_of(part.body.back()).end);
}

// Cases each of which falls through to the next: the one behind runs wherever the switch enters, what stands before it
// perhaps.
void Lowering::case_chain(std::span<const Case> chain, EventId test) {
  const ir::Span span{span_of(chain.front().body.front()).begin, span_of(chain.back().body.back()).end};
  const EventId arm = out().open(Op::Arm, {}, span);
  std::vector<std::pair<EventId, EventId>> open;  // branches, each with its first arm
  for (std::size_t k = 1; k < chain.size(); ++k) {
    const EventId branch = out().open(Op::Branch, {test}, span, flag::Match);
    open.emplace_back(branch, out().open(Op::Arm, {}, span));
  }
  for (const Case& part : chain) {
    case_body(part);
    if (open.empty()) continue;
    const std::uint32_t end = span_of(part.body.back()).end;
    out().close(open.back().second, end);
    out().close(out().open(Op::Arm, {}, {end, end}), end);
    out().close(open.back().first, end);
    open.pop_back();
  }
  out().close(arm, span.end);
}

void Lowering::switch_statement(const SwitchStmt* stmt) {
  constexpr std::size_t kMostFallThrough = 64;
  const ir::Span span = span_of(stmt);
  open_block();
  statement(stmt->getInit());
  if (stmt->getConditionVariable() != nullptr) local_variable(stmt->getConditionVariable());
  const EventId test = stmt->getCond() != nullptr ? evaluate(stmt->getCond()) : constant(flag::Int, "0", span);
  std::vector<Case> cases;
  bool has_default = false;
  for (const Stmt* child : statements_of(stmt->getBody())) {
    if (isa<SwitchCase>(child) || cases.empty()) cases.emplace_back();
    while (const auto* label = dyn_cast<SwitchCase>(child)) {
      has_default |= isa<DefaultStmt>(label);
      child = label->getSubStmt();
    }
    cases.back().body.push_back(child);
  }
  frames_.back().break_is_loop.push_back(false);
  const EventId bracket = out().open(Op::Branch, {test}, span, flag::Match);
  for (std::size_t first = 0; first < cases.size();) {
    std::size_t last = first;
    while (last + 1 < cases.size() && last - first < kMostFallThrough && cases[last].falls_through()) ++last;
    case_chain(std::span(cases).subspan(first, last + 1 - first), test);
    first = last + 1;
  }
  if (!has_default) out().close(out().open(Op::Arm, {}, span), span.end);
  out().close(bracket, span.end);
  frames_.back().break_is_loop.pop_back();
  close_block(span.end);
}

// ---- declarations

void Lowering::declaration_statement(const DeclStmt* stmt) {
  for (const Decl* decl : stmt->decls()) {
    if (const auto* variable = dyn_cast<VarDecl>(decl)) {
      local_variable(variable);
    } else if (const auto* record = dyn_cast<CXXRecordDecl>(decl)) {
      class_definition(record);
    } else if (const auto* function = dyn_cast<FunctionDecl>(decl)) {
      // `Guard g();` declares a function; whoever wrote it meant an object. The class is named, and nothing is made.
      const ir::Span span = span_of(function->getSourceRange());
      if (function->getNumParams() == 0 && types_.is_raii(function->getReturnType()))
        out().add_flags(symbol_of(types_.class_of(function->getReturnType()), span), flag::Discarded);
    }
  }
}

void Lowering::local_variable(const VarDecl* variable) {
  const ir::Span span = span_of(variable->getSourceRange());
  if (variable->hasExternalStorage()) return;
  const Expr* initializer = variable->getInit();
  EventId value;
  if (is_alias(variable)) {
    aliases_[variable] = initializer;
    return;
  }
  if (isa<DecompositionDecl>(variable)) {
    if (initializer != nullptr) structured_binding(variable, this->value(initializer));
    return;
  }
  if (initializer != nullptr) {
    value = this->value(initializer);
  } else {
    value = variable->isInvalidDecl() ? unknown("not understood", {}, span) : default_value(variable->getType(), span);
  }
  declare(variable, variable->getNameAsString());
  store_variable(variable, value, span);
  hold_if_raii(variable, value, !variable->isStaticLocal(), span);
}

// Is `initializer` a place that names the same object whenever it is evaluated?
static bool is_steady_place(const Expr* place, int depth) {
  place = place->IgnoreParenImpCasts();
  if (depth > 8) return false;
  if (const auto* access = dyn_cast<MemberExpr>(place)) {
    if (!isa<FieldDecl>(access->getMemberDecl())) return false;
    return access->isImplicitAccess() || isa<CXXThisExpr>(access->getBase()) ||
           is_steady_place(access->getBase(), depth + 1);
  }
  if (const auto* op = dyn_cast<CXXOperatorCallExpr>(place))
    return op->getOperator() == OO_Subscript && op->getNumArgs() == 2 &&
           is_container(op->getArg(0)->getType().getNonReferenceType()->getAsCXXRecordDecl()) &&
           is_steady_place(op->getArg(0), depth + 1) &&
           (isa<DeclRefExpr>(op->getArg(1)->IgnoreParenImpCasts()) ||
            isa<IntegerLiteral>(op->getArg(1)->IgnoreParenImpCasts()));
  const auto* named = dyn_cast<DeclRefExpr>(place);
  return named != nullptr && isa<VarDecl>(named->getDecl());
}

// `Tensor& hidden = state.hidden;`: another name for a place. What is not assigned to need not be told apart.
bool Lowering::is_alias(const VarDecl* variable) {
  const QualType type = variable->getType();
  if (!type->isLValueReferenceType() || type->getPointeeType().isConstQualified()) return false;
  const CXXRecordDecl* record = types_.class_of(type);
  if (record == nullptr || is_project(record) || variable->getInit() == nullptr) return false;
  return is_steady_place(variable->getInit(), 0);
}

void Lowering::hold_if_raii(const ValueDecl* variable, EventId value, bool scoped, ir::Span span) {
  if (!types_.is_raii(variable->getType())) return;
  if (!scoped || frames_.back().open_scopes.empty()) {
    if (out().op_of(value) == Op::Const) return;  // an empty pointer
    emit(Op::Hold, {value}, span);
    return;
  }
  const EventId object = reference(variable, span, variable->getType());
  Frame& frame = frames_.back();
  frame.scopes.push_back(out().open(Op::Scope, {object}, span, flag::Raii));
  ++frame.open_scopes.back();
}

void Lowering::structured_binding(const VarDecl* variable, EventId value) {
  const auto* decomposition = cast<DecompositionDecl>(variable);
  const CXXRecordDecl* record = types_.class_of(variable->getType());
  const bool fields = record != nullptr && !in_std(record) && is_project(record);
  std::uint32_t number = 0;
  for (const BindingDecl* binding : decomposition->bindings()) {
    const ir::Span span = span_of(SourceRange(binding->getLocation()));
    EventId element;
    const FieldDecl* field = nullptr;
    if (fields && binding->getBinding() != nullptr) {
      if (const auto* member = dyn_cast<MemberExpr>(binding->getBinding()->IgnoreParenImpCasts()))
        field = dyn_cast<FieldDecl>(member->getMemberDecl());
    }
    element = field != nullptr ? emit(Op::LoadAttribute, {value}, span, field->getNameAsString())
                               : emit(Op::Unpack, {value}, span, {}, 0, number);
    declare(binding, binding->getNameAsString());
    store_variable(binding, typed(element, binding->getType(), span), span);
    ++number;
  }
}

}  // namespace deadgrad::cpp
