// Calls: of functions, methods, operators, and of the standard library's helpers that only hand something on.
#include <array>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "frontends/cpp/lowering.h"
#include "frontends/cpp/types.h"

using namespace clang;

namespace deadgrad::cpp {

namespace flag = ir::flag;

template <std::size_t N>
static bool is_one_of(llvm::StringRef name, const std::array<std::string_view, N>& names) {
  for (std::string_view one : names)
    if (name == llvm::StringRef(one)) return true;
  return false;
}

static llvm::StringRef name_of(const NamedDecl* decl) {
  return decl->getIdentifier() != nullptr ? decl->getName() : llvm::StringRef();
}

ir::EventId Lowering::emit_call(EventId callee, std::span<const EventId> arguments, ir::Span span) {
  Events operands{callee};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return out().emit(Op::Call, std::span<const EventId>(operands), span);
}

std::string Lowering::out_parameter(const FunctionDecl* function, unsigned number) {
  if (function == nullptr || number >= function->getNumParams() || !is_project(function)) return {};
  const QualType type = function->getParamDecl(number)->getType();
  if (!type->isLValueReferenceType() && !type->isPointerType()) return {};
  const QualType held = type->getPointeeType();
  const CXXRecordDecl* record = types_.class_of(held);
  if (held.isConstQualified() || record == nullptr) return {};
  const std::string name = qualified_name(record);
  if (name != "at::Tensor" && name != "c10::IValue") return {};
  if (const FunctionDecl* pattern = function->getTemplateInstantiationPattern()) function = pattern;
  if (const auto* method = dyn_cast<CXXMethodDecl>(function)) {
    for (int depth = 0; depth < 64 && method->size_overridden_methods() > 0; ++depth)
      method = *method->begin_overridden_methods();
    function = method;
  }
  return qualified_name(function) + "(" + std::to_string(number + 1) + ")";
}

void Lowering::take_out_parameters(const FunctionDecl* function, const Expr* const* begin, const Expr* const* end,
                                   ir::Span span) {
  if (function == nullptr || !is_project(function)) return;
  for (unsigned i = 0; i < static_cast<unsigned>(end - begin); ++i) {
    const std::string name = out_parameter(function, i);
    if (name.empty()) continue;
    const Expr* place = begin[i]->IgnoreParenImpCasts();
    if (const auto* address = dyn_cast<UnaryOperator>(place); address != nullptr && address->getOpcode() == UO_AddrOf)
      place = address->getSubExpr()->IgnoreParenImpCasts();
    if (!isa<DeclRefExpr>(place) && !isa<MemberExpr>(place)) continue;
    // Whether it was assigned to is not known here.
    const EventId old = evaluate(place);
    const EventId assigned = emit(Op::Load, {}, span, name, flag::Global);
    const EventId whether = unknown("assigned to", {}, span);
    const EventId now = emit(Op::Select, {whether, assigned, old}, span);
    assign(place, typed(now, place->getType(), span), span);
  }
}

// `&Worker::run`, as an argument.
static const CXXMethodDecl* method_pointer(const Expr* expr) {
  const auto* address = dyn_cast<UnaryOperator>(expr->IgnoreImplicit()->IgnoreParens());
  if (address == nullptr || address->getOpcode() != UO_AddrOf) return nullptr;
  const auto* named = dyn_cast<DeclRefExpr>(address->getSubExpr()->IgnoreParens());
  const auto* method = named == nullptr ? nullptr : dyn_cast<CXXMethodDecl>(named->getDecl());
  return method != nullptr && method->isInstance() ? method : nullptr;
}

Lowering::Events Lowering::arguments(const Expr* const* begin, const Expr* const* end) {
  Events given;
  for (const Expr* const* at = begin; at != end; ++at) {
    const Expr* argument = *at;
    if (isa<CXXDefaultArgExpr>(argument->IgnoreImplicit())) break;
    // `std::thread(&Worker::run, this)`: a method and its object are one bound method.
    if (const CXXMethodDecl* method = method_pointer(without_wrappers(argument)); method != nullptr && at + 1 != end) {
      const CXXRecordDecl* object_class = types_.class_of((*(at + 1))->getType());
      if (object_class != nullptr && !in_std(object_class)) {
        const EventId object = value(*(at + 1));
        given.push_back(emit(Op::LoadAttribute, {object}, span_of(argument), member_name(method)));
        ++at;
        continue;
      }
    }
    EventId value = this->value(argument);
    if (isa<PackExpansionExpr>(argument->IgnoreImplicit())) value = emit(Op::Star, {value}, span_of(argument));
    given.push_back(value);
  }
  return given;
}

ir::EventId Lowering::method_call(EventId object, const Expr* object_expr, std::string_view name,
                                  std::span<const EventId> arguments, ir::Span name_span, ir::Span span) {
  ir::Span callee_span = name_span;
  if (object_expr != nullptr) {
    const ir::Span from = span_of(object_expr);
    if (from.end > from.begin && from.begin < name_span.begin) callee_span.begin = from.begin;
  }
  const EventId callee = emit(Op::LoadAttribute, {object}, callee_span, name);
  return emit_call(callee, arguments, span);
}

ir::EventId Lowering::call(const CallExpr* expr) {
  const ir::Span span = span_of(expr);
  if (isa<UserDefinedLiteral>(expr)) return constant(flag::Int, "0", span);
  if (const auto* member = dyn_cast<CXXMemberCallExpr>(expr)) return member_call(member);
  if (const auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) return operator_call(op);
  // In templates, and where an argument could not be understood, the call of a method is a plain call.
  if (const auto* access = dyn_cast<MemberExpr>(expr->getCallee()->IgnoreParenImpCasts())) {
    const auto* method = dyn_cast<CXXMethodDecl>(access->getMemberDecl());
    if (method == nullptr || (method->isInstance() && !isa<CXXDestructorDecl>(method))) {
      const EventId object = access->isImplicitAccess() ? this_value(span_of(access)) : value(access->getBase());
      const Events given = arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs());
      const EventId result = method_call(object, access->isImplicitAccess() ? nullptr : access->getBase(),
                                         member_name(access->getMemberDecl()), given, span_of(access), span);
      return method == nullptr ? result : typed(result, method->getReturnType(), span);
    }
  }
  if (const FunctionDecl* function = expr->getDirectCallee()) {
    if (std::optional<EventId> known = well_known_call(expr, function)) return *known;
    return function_call(expr, function);
  }
  const Expr* callee = expr->getCallee()->IgnoreParens();
  if (isa<CXXPseudoDestructorExpr>(callee)) return constant(flag::None, "nullptr", span);
  if (const auto* through = dyn_cast<BinaryOperator>(callee->IgnoreImplicit());
      through != nullptr && through->isPtrMemOp()) {
    const EventId object = value(through->getLHS());
    const EventId function = value(through->getRHS());
    Events given{object};
    for (EventId argument : arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs())) given.push_back(argument);
    return emit_call(function, given, span);
  }
  const EventId function = evaluate(callee);
  return emit_call(function, arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs()), span);
}

ir::EventId Lowering::function_call(const CallExpr* expr, const FunctionDecl* function) {
  const EventId callee = symbol_of(function, span_of(expr->getCallee()));
  const EventId result =
      emit_call(callee, arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs()), span_of(expr));
  if (!isa<CXXOperatorCallExpr>(expr))
    take_out_parameters(function, expr->getArgs(), expr->getArgs() + expr->getNumArgs(), span_of(expr));
  return result;
}

// The number of `std::placeholders::_1`, or 0.
static unsigned placeholder(const Expr* expr) {
  const auto* named = dyn_cast<DeclRefExpr>(expr->IgnoreImplicit()->IgnoreParens());
  const auto* variable = named == nullptr ? nullptr : dyn_cast<VarDecl>(named->getDecl());
  unsigned number = 0;
  if (variable == nullptr || !name_of(variable).starts_with("_")) return 0;
  return name_of(variable).drop_front().getAsInteger(10, number) ? 0 : number;
}

// `std::bind`, `boost::bind`, `std::bind_front`: a lambda that calls what is bound with what is bound to it. Where
// nothing is bound but the object of a method, what is called is the bound method itself.
ir::EventId Lowering::bound_call(std::span<const Expr* const> given, bool in_front, ir::Span span) {
  const CXXMethodDecl* method = method_pointer(without_wrappers(given[0]));
  const std::size_t first = method != nullptr && given.size() > 1 ? 2 : 1;
  Events bound = arguments(given.data(), given.data() + first);
  if (bound.size() > 1) return bound[0];  // the object is of no class that is known
  unsigned parameters = 0;
  bool in_order = true;
  std::vector<unsigned> places{0};  // of each argument among the lambda's parameters; 0: bound
  for (const Expr* argument : given.subspan(first)) {
    places.push_back(placeholder(argument));
    parameters = std::max(parameters, places.back());
    in_order &= places.back() == places.size() - 1;
    bound.push_back(places.back() == 0 ? value(argument) : EventId{});
  }
  if (in_order) return bound[0];
  if (in_front) {
    const auto* named = dyn_cast<DeclRefExpr>(without_wrappers(given[0])->IgnoreParenImpCasts());
    const auto* function = method != nullptr  ? method
                           : named != nullptr ? dyn_cast<FunctionDecl>(named->getDecl())
                                              : nullptr;
    if (function == nullptr) return bound[0];
    while (places.size() <= function->getNumParams()) places.push_back(++parameters);
    bound.resize(places.size());
  }
  auto name_of_bound = [&](std::size_t k) {
    return "bound at " + std::to_string(span.begin) + " " + std::to_string(k);
  };
  for (std::size_t k = 0; k < bound.size(); ++k)
    if (places[k] == 0) emit(Op::Store, {bound[k]}, span, name_of_bound(k), flag::Local);
  return make_lambda(span, [&] {
    Events values(parameters);
    for (unsigned number = 0; number < parameters; ++number) {
      const std::string name = "argument " + std::to_string(number);
      out().add_parameter({out().intern(name), ir::ParamKind::Positional, false, span});
      values[number] = emit(Op::Param, {}, span, name, flag::Local, number);
    }
    Events operands;
    for (std::size_t k = 0; k < bound.size(); ++k)
      operands.push_back(places[k] == 0 ? emit(Op::Load, {}, span, name_of_bound(k), flag::Captured)
                                        : values[places[k] - 1]);
    emit(Op::Return, {emit_call(operands[0], std::span<const EventId>(operands).subspan(1), span)}, span);
  });
}

// The standard library's helpers: casts and wrappers hand their argument on, factories make an object.
std::optional<ir::EventId> Lowering::well_known_call(const CallExpr* expr, const FunctionDecl* function) {
  static constexpr std::array<std::string_view, 15> kHandOn{"move",
                                                            "forward",
                                                            "ref",
                                                            "cref",
                                                            "addressof",
                                                            "__addressof",
                                                            "as_const",
                                                            "launder",
                                                            "static_pointer_cast",
                                                            "dynamic_pointer_cast",
                                                            "const_pointer_cast",
                                                            "reinterpret_pointer_cast",
                                                            "move_if_noexcept",
                                                            "begin",
                                                            "make_move_iterator"};
  const ir::Span span = span_of(expr);
  const llvm::StringRef name = name_of(function);
  const unsigned count = expr->getNumArgs();
  if (in_std(function)) {
    if (count == 1 && is_one_of(name, kHandOn)) return value(expr->getArg(0));
    if (name == "make_pair" || name == "make_tuple" || name == "forward_as_tuple" || name == "tie") {
      const Events given = arguments(expr->getArgs(), expr->getArgs() + count);
      return out().emit(Op::MakeTuple, std::span<const EventId>(given), span);
    }
    if (name == "get" && count == 1) {
      const EventId object = value(expr->getArg(0));
      std::string position;
      if (const TemplateArgumentList* chosen = function->getTemplateSpecializationArgs();
          chosen != nullptr && chosen->size() > 0 && (*chosen)[0].getKind() == TemplateArgument::Integral)
        position = std::to_string((*chosen)[0].getAsIntegral().getExtValue());
      return item(object, constant(position.empty() ? flag::None : flag::Int, position, span), span);
    }
    if (name == "swap" && count == 2) {
      const EventId left = value(expr->getArg(0)), right = value(expr->getArg(1));
      assign(expr->getArg(0), right, span);
      assign(expr->getArg(1), left, span);
      return constant(flag::None, "nullptr", span);
    }
    if (name == "exchange" && count == 2) {
      const EventId old = value(expr->getArg(0)), next = value(expr->getArg(1));
      assign(expr->getArg(0), next, span);
      return old;
    }
    if (name == "invoke" && count > 0) {
      const Events given = arguments(expr->getArgs(), expr->getArgs() + count);
      return emit_call(given[0], std::span<const EventId>(given).subspan(1), span);
    }
  }
  if ((name == "bind" || name == "bind_front") && count > 0 && !is_project(function))
    return bound_call(std::span(expr->getArgs(), count), name == "bind_front", span);
  // `make_shared<T>(…)`, `make_intrusive<T>(…)`: a handle to a new T.
  if (is_project(function) || name.empty() || !name.starts_with("make_")) return std::nullopt;
  const TemplateArgumentList* chosen = function->getTemplateSpecializationArgs();
  if (chosen == nullptr || chosen->size() == 0 || (*chosen)[0].getKind() != TemplateArgument::Type) return std::nullopt;
  const CXXRecordDecl* made = types_.class_of((*chosen)[0].getAsType());
  if (made == nullptr || types_.class_of(function->getReturnType()) != made) return std::nullopt;
  const Events given = arguments(expr->getArgs(), expr->getArgs() + count);
  return construct_class((*chosen)[0].getAsType(), given, span);
}

ir::EventId Lowering::member_call(const CXXMemberCallExpr* expr) {
  const ir::Span span = span_of(expr);
  const auto* access = dyn_cast<MemberExpr>(expr->getCallee()->IgnoreParens());
  const CXXMethodDecl* method = expr->getMethodDecl();
  if (access == nullptr || method == nullptr) {
    // `(object.*pointer)(…)`
    if (const auto* through = dyn_cast<BinaryOperator>(expr->getCallee()->IgnoreParens());
        through != nullptr && through->isPtrMemOp()) {
      Events given{value(through->getLHS())};
      const EventId function = value(through->getRHS());
      for (EventId argument : arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs()))
        given.push_back(argument);
      return emit_call(function, given, span);
    }
    const EventId callee = evaluate(expr->getCallee());
    return emit_call(callee, arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs()), span);
  }
  const Expr* object_expr = access->getBase();
  if (isa<CXXDestructorDecl>(method)) {
    const EventId object = value(object_expr);
    if (types_.is_raii(object_expr->getType())) emit(Op::Release, {object}, span);
    return object;
  }
  if (isa<CXXConversionDecl>(method) && !is_project(method)) return value(object_expr);
  if (std::optional<EventId> known = well_known_method(object_expr, method, expr)) return *known;
  const EventId object = access->isImplicitAccess() ? this_value(span_of(access)) : value(object_expr);
  const Events given = arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs());
  if (access->hasQualifier() && is_project(method)) {
    // `Base::forward(x)`: exactly that one.
    Events with_object{object};
    with_object.insert(with_object.end(), given.begin(), given.end());
    return emit_call(symbol_of(method, span_of(access)), with_object, span);
  }
  const EventId result = method_call(object, access->isImplicitAccess() ? nullptr : object_expr, member_name(method),
                                     given, span_of(access), span);
  take_out_parameters(method, expr->getArgs(), expr->getArgs() + expr->getNumArgs(), span);
  return result;
}

std::optional<ir::EventId> Lowering::well_known_method(const Expr* object_expr, const CXXMethodDecl* method,
                                                       const CallExpr* expr) {
  const CXXRecordDecl* owner = method->getParent();
  const llvm::StringRef name = name_of(method);
  const ir::Span span = span_of(expr);
  QualType object_type = object_expr->getType().getNonReferenceType();
  if (object_type->isPointerType()) object_type = object_type->getPointeeType();
  const CXXRecordDecl* object_class = object_type->getAsCXXRecordDecl();
  if (types_.is_transparent(object_class) && (in_std(owner) || !is_project(method))) {
    if (in_std(owner) && (name == "reset" || name == "emplace")) {
      const bool no_argument = expr->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(expr->getArg(0)->IgnoreImplicit());
      if (name == "reset" && no_argument) {
        const EventId object = value(object_expr);
        if (types_.is_raii(object_type)) emit(Op::Release, {object}, span);
        return object;
      }
      EventId made;
      if (name == "reset") {
        made = kept_value(expr->getArg(0));
      } else {
        const Events given = arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs());
        made = construct_class(types_.pointee_type(object_type), given, span);
      }
      assign(object_expr, made, span);
      return made;
    }
    if (in_std(owner) &&
        (name == "value" || name == "value_or" || name == "lock" || name == "release" || name == "get"))
      return value(object_expr);
    // A handle's own access to what it stands for: `get()`, `ptr()`.
    const CXXRecordDecl* held = types_.class_of(object_type);
    if (expr->getNumArgs() == 0 && held != nullptr && !in_std(held) &&
        types_.class_of(method->getReturnType()) != nullptr &&
        (types_.class_of(method->getReturnType()) == held ||
         types_.class_of(method->getReturnType()) == types_.held_class(held)))
      return value(object_expr);
  }
  if (is_container(owner) || is_container(object_class)) {
    static constexpr std::array<std::string_view, 15> kItems{"at",     "front",   "back",    "top",         "begin",
                                                             "cbegin", "rbegin",  "end",     "cend",        "data",
                                                             "find",   "find_if", "extract", "lower_bound", "rend"};
    if (is_one_of(name, kItems)) {
      const EventId object = value(object_expr);
      const EventId index =
          expr->getNumArgs() > 0 && name == "at" ? value(expr->getArg(0)) : constant(flag::None, "nullptr", span);
      return item(object, index, span);
    }
    if (name.starts_with("emplace")) {
      const EventId object = value(object_expr);
      Events given = arguments(expr->getArgs(), expr->getArgs() + expr->getNumArgs());
      const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(object_class);
      if (special != nullptr && !is_map(special) && special->getTemplateArgs().size() > 0 &&
          special->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
        const QualType element = special->getTemplateArgs()[0].getAsType();
        const CXXRecordDecl* element_class = types_.class_of(element);
        const bool same = given.size() == 1 && types_.class_of(expr->getArg(0)->getType()) == element_class;
        if (element_class != nullptr && !same) given = {construct_class(element, given, span)};
      }
      return method_call(object, object_expr, std::string_view(name.data(), name.size()), given,
                         span_of(expr->getCallee()), span);
    }
  }
  return std::nullopt;
}

ir::EventId Lowering::operator_call(const CXXOperatorCallExpr* expr) {
  const ir::Span span = span_of(expr);
  const FunctionDecl* function = expr->getDirectCallee();
  const unsigned count = expr->getNumArgs();
  const CXXRecordDecl* first_class = nullptr;
  if (count > 0) {
    QualType type = expr->getArg(0)->getType().getNonReferenceType();
    first_class = type->getAsCXXRecordDecl();
  }
  const bool own = function != nullptr && is_project(function) && !function->isDefaulted();
  switch (expr->getOperator()) {
    case OO_Equal: {
      if (count != 2) break;
      const EventId value = this->value(expr->getArg(1));
      assign(expr->getArg(0), value, span);
      return value;
    }
    case OO_Call: {
      const EventId callee = value(expr->getArg(0));
      return emit_call(callee, arguments(expr->getArgs() + 1, expr->getArgs() + count), span);
    }
    case OO_Subscript: {
      if (own || count != 2) break;
      const EventId object = value(expr->getArg(0));
      const EventId index = value(expr->getArg(1));
      return item(object, index, span);
    }
    case OO_Arrow:
    case OO_Star:
      if (count == 1) {
        if (own && !types_.is_transparent(first_class)) break;
        return value(expr->getArg(0));
      }
      break;
    case OO_Amp:
      if (count == 1) return value(expr->getArg(0));
      break;
    case OO_PlusPlus:
    case OO_MinusMinus:
      if (!own) return value(expr->getArg(0));
      break;
    case OO_LessLess:
    case OO_GreaterGreater:
      if (count == 2 && is_stream(expr->getArg(0)->getType())) {
        const EventId stream = value(expr->getArg(0));
        const EventId written = value(expr->getArg(1));
        return emit(Op::Format, {stream, written}, span);
      }
      break;
    case OO_EqualEqual:
    case OO_ExclaimEqual:
    case OO_Less:
    case OO_Greater:
    case OO_LessEqual:
    case OO_GreaterEqual:
      if (!own && count == 2) {
        const EventId left = value(expr->getArg(0));
        const EventId right = value(expr->getArg(1));
        return emit(Op::Compare, {left, right}, span, getOperatorSpelling(expr->getOperator()));
      }
      break;
    default:
      break;
  }
  if (own) {
    if (const auto* method = dyn_cast<CXXMethodDecl>(function); method != nullptr && method->isInstance()) {
      const EventId object = value(expr->getArg(0));
      const Events given = arguments(expr->getArgs() + 1, expr->getArgs() + count);
      return method_call(object, expr->getArg(0), member_name(method), given, span, span);
    }
    return function_call(expr, function);
  }
  const std::string spelling = getOperatorSpelling(expr->getOperator());
  if (count == 1) {
    const EventId operand = value(expr->getArg(0));
    return emit(Op::Unary, {operand}, span, spelling == "!" ? "not" : spelling);
  }
  if (count == 2) {
    const EventId left = value(expr->getArg(0));
    const EventId right = value(expr->getArg(1));
    if (!expr->isAssignmentOp()) return emit(Op::Binary, {left, right}, span, spelling);
    const EventId result = emit(Op::Binary, {left, right}, span, spelling, flag::InPlace);
    assign(expr->getArg(0), result, span);
    return result;
  }
  return unknown_children("operator", expr);
}

}  // namespace deadgrad::cpp
