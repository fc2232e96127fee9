// Files, classes, functions, parameters.
#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "frontends/cpp/lowering.h"
#include "frontends/cpp/types.h"

using namespace clang;

namespace deadgrad::cpp {

namespace flag = ir::flag;

Lowering::Lowering(ASTContext& context, const NameFile& name_file)
    : context_(context), sources_(context.getSourceManager()), name_file_(name_file) {}

Lowering::~Lowering() = default;

std::vector<ir::Module> Lowering::run() {
  file_of(sources_.getLocForStartOfFile(sources_.getMainFileID()));
  declarations(context_.getTranslationUnitDecl());
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    file_ = file_of(next.function->getLocation());
    in_pattern_ = next.in_pattern;
    function_definition(next.function);
  }
  std::vector<ir::Module> modules;
  for (const auto& file : files_) {
    file->builder->finish();
    if (file != files_.front()) file->module.unit = files_.front()->module.path;
    modules.push_back(std::move(file->module));
  }
  return modules;
}

std::vector<std::string_view> Lowering::texts() const {
  std::vector<std::string_view> texts;
  for (const auto& file : files_) texts.push_back(file->text);
  return texts;
}

Lowering::File* Lowering::file_of(SourceLocation location) {
  const FileID id = sources_.getFileID(sources_.getExpansionLoc(location));
  auto [entry, added] = file_by_id_.emplace(id.getHashValue(), nullptr);
  if (!added || id.isInvalid()) return entry->second;
  if (id != sources_.getMainFileID() && sources_.isInSystemHeader(sources_.getLocForStartOfFile(id))) return nullptr;
  const OptionalFileEntryRef on_disk = sources_.getFileEntryRefForID(id);
  if (!on_disk) return nullptr;
  llvm::StringRef path = on_disk->getFileEntry().tryGetRealPathName();
  if (path.empty()) path = on_disk->getName();
  const std::string name = name_file_(std::string_view(path.data(), path.size()));
  if (name.empty()) return nullptr;
  auto file = std::make_unique<File>();
  file->file_id = id.getHashValue();
  ir::Module& module = file->module;
  module.path = name;
  module.name = name;
  module.language = ir::Language::Cpp;
  const llvm::StringRef text = sources_.getBufferData(id);
  file->size = static_cast<std::uint32_t>(text.size());
  file->text = {text.data(), text.size()};
  module.line_starts.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') module.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  file->builder = std::make_unique<ir::Builder>(module);
  const ir::FunctionId body = file->builder->open_function(ir::FunctionKind::ModuleBody, "<module>", "");
  module.functions[body.index].span = module.functions[body.index].body = {0, file->size};
  entry->second = file.get();
  files_.push_back(std::move(file));
  return files_.back().get();
}

bool Lowering::is_project(const Decl* decl) {
  return file_of(decl->getLocation()) != nullptr;
}

// ---- what a file declares

void Lowering::declarations(const DeclContext* context) {
  // What a precompiled header declares is not the unit's, and need not be loaded.
  for (const Decl* decl : context->noload_decls()) declaration(decl);
}

void Lowering::declaration(const Decl* decl) {
  if (decl == nullptr || decl->isImplicit()) return;
  if (isa<NamespaceDecl>(decl) || isa<LinkageSpecDecl>(decl) || isa<ExportDecl>(decl)) {
    declarations(cast<DeclContext>(decl));
    return;
  }
  File* file = file_of(decl->getLocation());
  if (file == nullptr) return;
  file_ = file;
  if (frames_.empty()) push_frame();
  if (const auto* templated = dyn_cast<ClassTemplateDecl>(decl)) {
    class_template(templated);
  } else if (const auto* function_templated = dyn_cast<FunctionTemplateDecl>(decl)) {
    function_template(function_templated);
  } else if (const auto* record = dyn_cast<CXXRecordDecl>(decl)) {
    const bool outer = std::exchange(in_pattern_, in_pattern_ || record->isDependentContext());
    class_definition(record);
    in_pattern_ = outer;
  } else if (const auto* function = dyn_cast<FunctionDecl>(decl)) {
    if (!function->doesThisDeclarationHaveABody()) return;
    const bool outer = std::exchange(in_pattern_, in_pattern_ || function->isDependentContext());
    function_definition(function);
    in_pattern_ = outer;
  } else if (const auto* variable = dyn_cast<VarDecl>(decl)) {
    global_variable(variable);
  } else if (const auto* friendly = dyn_cast<FriendDecl>(decl)) {
    declaration(friendly->getFriendDecl());
  }
}

void Lowering::class_template(const ClassTemplateDecl* decl) {
  const CXXRecordDecl* pattern = decl->getTemplatedDecl();
  if (pattern == nullptr || !pattern->isThisDeclarationADefinition()) return;
  for (const ClassTemplateSpecializationDecl* special : decl->specializations()) {
    if (special->getSpecializationKind() != TSK_ImplicitInstantiation) continue;
    if (const CXXRecordDecl* definition = special->getDefinition()) class_definition(definition);
  }
  const bool outer = std::exchange(in_pattern_, true);
  class_definition(pattern);
  in_pattern_ = outer;
}

void Lowering::function_template(const FunctionTemplateDecl* decl) {
  for (const FunctionDecl* special : decl->specializations()) {
    const TemplateSpecializationKind kind = special->getTemplateSpecializationKind();
    if (kind != TSK_ImplicitInstantiation && kind != TSK_ExplicitInstantiationDefinition) continue;
    // An instance has its body from the template's definition: it is told with that.
    const FunctionDecl* pattern = special->getTemplateInstantiationPattern();
    if (pattern != nullptr && pattern->doesThisDeclarationHaveABody() && pattern == decl->getTemplatedDecl() &&
        special->isDefined())
      function_definition(special->getDefinition());
  }
  const FunctionDecl* pattern = decl->getTemplatedDecl();
  if (pattern == nullptr || !pattern->doesThisDeclarationHaveABody()) return;
  const bool outer = std::exchange(in_pattern_, true);
  function_definition(pattern);
  in_pattern_ = outer;
}

void Lowering::global_variable(const VarDecl* variable) {
  if (isa<ParmVarDecl>(variable) || variable->isThisDeclarationADefinition() == VarDecl::DeclarationOnly) return;
  if (isa<VarTemplateSpecializationDecl>(variable) || !done_.insert(variable).second) return;
  const ir::Span span = span_of(variable->getSourceRange());
  const Expr* initializer = variable->getInit();
  const bool in_class = variable->isStaticDataMember();
  // Constants of the language are no place where anything is kept.
  if (initializer == nullptr && types_.class_of(variable->getType()) == nullptr) return;
  const EventId value = initializer != nullptr ? this->value(initializer) : default_value(variable->getType(), span);
  if (in_class) {
    const auto* owner = dyn_cast<CXXRecordDecl>(variable->getDeclContext());
    if (owner != nullptr) emit(Op::StoreAttribute, {symbol_of(owner, span), value}, span, member_name(variable));
  } else {
    emit(Op::Store, {value}, span, qualified_name(variable), flag::Global);
  }
  hold_if_raii(variable, value, false, span);
}

// ---- classes

std::string Lowering::display_name(const NamedDecl* decl) const {
  return qualified_name(decl);
}

// The name under which a class keeps a member. The first of several overloads keeps the plain name, so that calls that
// could not be resolved still find one; an overriding function has the name of what it overrides.
std::string Lowering::member_name(const NamedDecl* decl) {
  std::string name = decl->getDeclName().getAsString();
  const auto* method = dyn_cast<CXXMethodDecl>(decl);
  if (method == nullptr) return name;
  if (isa<CXXConstructorDecl>(method)) return "constructor";
  if (isa<CXXDestructorDecl>(method)) return "~constructor";
  for (int depth = 0; depth < 64 && method->size_overridden_methods() > 0; ++depth)
    method = *method->begin_overridden_methods();
  if (!is_project(method)) return name;
  unsigned before = 0;
  for (const Decl* other : method->getParent()->decls()) {
    const auto* function = dyn_cast<CXXMethodDecl>(other);
    if (function == nullptr || function->getDeclName() != method->getDeclName() || function->isImplicit()) continue;
    if (function->getCanonicalDecl() == method->getCanonicalDecl()) break;
    ++before;
  }
  if (before == 0) return name;
  name += '(';
  for (unsigned i = 0; i < method->getNumParams(); ++i) {
    if (i > 0) name += ", ";
    name += method->getParamDecl(i)->getType().getCanonicalType().getAsString();
  }
  name += ')';
  if (method->isConst()) name += " const";
  return name;
}

void Lowering::class_definition(const CXXRecordDecl* record) {
  if (!record->isThisDeclarationADefinition() || record->isLambda() || record->isUnion()) return;
  if (!done_.insert(record).second) return;
  File* const outer_file = file_;
  ir::Module& module = file_->module;
  const ir::Span span = span_of(record->getSourceRange());
  ir::Span header = span;
  if (const ir::Span braces = span_of(record->getBraceRange()); braces.begin > span.begin)
    header.end = std::min(braces.begin, span.end);
  Events operands;
  if (const CXXRecordDecl* held = types_.held_class(record); held != nullptr)
    operands.push_back(symbol_of(held, header));
  for (const CXXBaseSpecifier& base : record->bases()) {
    const CXXRecordDecl* parent = base.getType()->getAsCXXRecordDecl();
    if (parent == nullptr) parent = types_.class_of(base.getType());
    if (parent == nullptr || (types_.held_class(parent) != nullptr && !operands.empty())) continue;
    operands.push_back(symbol_of(parent, span_of(base.getSourceRange())));
  }
  const std::string name = record->getNameAsString();
  const ir::ClassId id{static_cast<std::uint32_t>(module.classes.size())};
  module.classes.emplace_back();
  const ir::FunctionId scope = out().current();
  const ir::FunctionId body = out().open_function(ir::FunctionKind::ClassBody, name, display_name(record));
  {
    ir::Class& cls = module.classes[id.index];
    cls.name = out().intern(name);
    cls.qualified = out().intern(display_name(record));
    cls.body = body;
    cls.scope = scope;
    cls.span = span;
    cls.header = header;
    ir::Function& function = module.functions[body.index];
    function.span = span;
    function.header = header;
    function.body = {header.end, span.end};
    function.is_pattern = in_pattern_;
    if (std::string usr = usr_of(record); !usr.empty()) function.symbol = out().intern(usr);
  }
  const bool was_local = frames_.size() > 1;
  bool has_constructor = false;
  std::vector<const VarDecl*> statics;
  auto method = [&](const CXXMethodDecl* member) {
    if (member->isImplicit() || member->isDeleted()) return;
    const auto* constructor = dyn_cast<CXXConstructorDecl>(member);
    if (constructor != nullptr && (constructor->isCopyOrMoveConstructor() || constructor->isInheritingConstructor()))
      return;
    if (constructor != nullptr && constructor->isDefaulted()) return;
    // A handle is made from what makes the object it holds.
    if (constructor != nullptr && types_.held_class(record) != nullptr) return;
    has_constructor |= constructor != nullptr;
    if (member->isPureVirtual() && !member->isDefined()) return;
    const ir::Span at = span_of(SourceRange(member->getLocation()));
    const bool told = member->doesThisDeclarationHaveABody() || (!was_local && member->isDefaulted());
    const EventId value = told ? function_definition(member) : symbol_of(member, at);
    if (value.valid()) emit(Op::Store, {value}, at, member_name(member), flag::Local);
  };
  for (const Decl* decl : record->decls()) {
    if (file_of(decl->getLocation()) != outer_file && !decl->isImplicit()) continue;
    if (const auto* member = dyn_cast<CXXMethodDecl>(decl)) {
      method(member);
    } else if (const auto* member_template = dyn_cast<FunctionTemplateDecl>(decl)) {
      const auto* pattern = dyn_cast<CXXMethodDecl>(member_template->getTemplatedDecl());
      if (pattern == nullptr) continue;
      bool instantiated = false;
      for (const FunctionDecl* special : member_template->specializations()) {
        const auto* member_special = dyn_cast<CXXMethodDecl>(special);
        if (member_special == nullptr || !member_special->isDefined()) continue;
        const auto* defined = cast<CXXMethodDecl>(member_special->getDefinition());
        const ir::Span at = span_of(SourceRange(pattern->getLocation()));
        has_constructor |= isa<CXXConstructorDecl>(defined);
        instantiated = true;
        const EventId value =
            defined->doesThisDeclarationHaveABody() ? function_definition(defined) : symbol_of(defined, at);
        if (value.valid()) emit(Op::Store, {value}, at, member_name(defined), flag::Local);
      }
      if (!instantiated) {
        const bool outer = std::exchange(in_pattern_, true);
        method(pattern);
        in_pattern_ = outer;
      }
    } else if (const auto* inner = dyn_cast<CXXRecordDecl>(decl)) {
      if (!inner->isInjectedClassName()) class_definition(inner);
    } else if (const auto* inner_template = dyn_cast<ClassTemplateDecl>(decl)) {
      class_template(inner_template);
    } else if (const auto* constant = dyn_cast<VarDecl>(decl)) {
      if (constant->hasInit() && constant->isThisDeclarationADefinition() != VarDecl::DeclarationOnly) {
        const EventId value = this->value(constant->getInit());
        emit(Op::Store, {value}, span_of(constant->getSourceRange()), member_name(constant), flag::Local);
        done_.insert(constant);
        statics.push_back(constant);
      }
    } else if (const auto* friendly = dyn_cast<FriendDecl>(decl)) {
      declaration(friendly->getFriendDecl());
      file_ = outer_file;
    }
  }
  if (!has_constructor && types_.held_class(record) == nullptr) implicit_constructor(record);
  out().close_function();
  const EventId made = out().emit(Op::MakeClass, std::span<const EventId>(operands), header, {}, 0, id.index);
  const bool local = frames_.size() > 1 || module.functions[scope.index].kind == ir::FunctionKind::ClassBody;
  emit(Op::Store, {made}, header, name.empty() ? "(unnamed class)" : name, local ? flag::Local : flag::Global);
  for (const VarDecl* variable : statics) {
    if (!types_.is_raii(variable->getType())) continue;
    const ir::Span at = span_of(variable->getSourceRange());
    hold_if_raii(variable, emit(Op::LoadAttribute, {made}, at, member_name(variable)), false, at);
  }
  file_ = outer_file;
}

// ---- functions

void Lowering::declare(const ValueDecl* variable, std::string_view name) {
  std::string own(name);
  if (const unsigned used = names_in_use_[own]++; used > 0) own += "~" + std::to_string(used);
  variables_[variable] = Variable{std::move(own), frames_.back().number};
  variable_named_[std::string(name)] = variable;
}

void Lowering::parameter(std::string_view name, std::uint32_t number, ir::Span span, QualType type, bool has_default,
                         const ValueDecl* decl) {
  std::string own(name);
  if (decl != nullptr) {
    declare(decl, name);
    own = variables_[decl].name;
  }
  out().add_parameter({out().intern(own), ir::ParamKind::Positional, has_default, span});
  EventId value = emit(Op::Param, {}, span, own, flag::Local, number);
  if (decl != nullptr) value = typed(value, type, span);
  emit(Op::Store, {value}, span, own, flag::Local);
}

void Lowering::parameters(const FunctionDecl* function) {
  std::uint32_t number = 0;
  if (const auto* method = dyn_cast<CXXMethodDecl>(function); method != nullptr && method->isInstance())
    parameter("this", number++, span_of(SourceRange(function->getLocation())), QualType(), false, nullptr);
  for (const ParmVarDecl* given : function->parameters()) {
    std::string name = given->getNameAsString();
    if (name.empty()) name = "argument " + std::to_string(number);
    parameter(name, number++, span_of(given->getSourceRange()), given->getType(), given->hasDefaultArg(), given);
  }
}

void Lowering::default_arguments(const FunctionDecl* function, Events& operands) {
  for (const ParmVarDecl* given : function->parameters()) {
    if (!given->hasDefaultArg() || given->hasUninstantiatedDefaultArg() || given->hasUnparsedDefaultArg()) continue;
    const Expr* expr = given->getDefaultArg();
    if (expr == nullptr || given->getName().empty()) continue;
    const EventId value = this->value(expr);
    operands.push_back(emit(Op::Keyword, {value}, span_of(expr), given->getNameAsString()));
  }
}

ir::EventId Lowering::function_definition(const FunctionDecl* function) {
  if (done_.contains(function)) return symbol_of(function, span_of(SourceRange(function->getLocation())));
  File* const outer_file = file_;
  File* const own_file = file_of(function->getLocation());
  if (own_file != outer_file) {
    // An instance of a member whose template is written in another file: told there.
    if (own_file != nullptr) pending_.push_back({function, in_pattern_});
    return symbol_of(function, span_of(SourceRange(function->getLocation())));
  }
  done_.insert(function);
  Events operands;
  default_arguments(function, operands);
  ir::Module& module = file_->module;
  const bool top_level = frames_.size() <= 1;
  if (top_level) names_in_use_.clear(), variable_named_.clear();
  const std::string usr = usr_of(function);
  const ir::FunctionId id =
      out().open_function(ir::FunctionKind::Function, member_name(function), display_name(function));
  {
    ir::Function& made = module.functions[id.index];
    made.name =
        out().intern(isa<CXXMethodDecl>(function) ? member_name(function) : function->getDeclName().getAsString());
    made.span = span_of(function->getSourceRange());
    made.header = made.body = made.span;
    if (const Stmt* body = function->getBody()) {
      made.body = span_of(body);
      if (made.body.begin > made.span.begin) made.header.end = made.body.begin;
    }
    made.is_pattern = in_pattern_;
    if (!usr.empty()) made.symbol = out().intern(usr);
    if (const auto* method = dyn_cast<CXXMethodDecl>(function)) {
      made.is_static = method->isStatic();
      made.is_constructor = isa<CXXConstructorDecl>(method);
      const ir::Function* parent = made.parent.valid() ? &module.functions[made.parent.index] : nullptr;
      const std::string owner = usr_of(method->getParent());
      if (parent != nullptr && parent->kind == ir::FunctionKind::ClassBody && parent->symbol.valid() &&
          module.text(parent->symbol) == owner) {
        for (std::uint32_t c = 0; c < module.classes.size(); ++c)
          if (module.classes[c].body == made.parent) made.owner = ir::ClassId{c};
      } else if (!owner.empty()) {
        made.owner_symbol = out().intern(owner);
      }
    }
    made.is_async = isa_and_nonnull<CoroutineBodyStmt>(function->getBody());
  }
  push_frame();
  parameters(function);
  function_body(function);
  frames_.pop_back();
  out().close_function();
  const EventId value = out().emit(Op::MakeFunction, std::span<const EventId>(operands),
                                   span_of(SourceRange(function->getLocation())), {}, 0, id.index);
  if (top_level && module.functions[out().current().index].kind == ir::FunctionKind::ModuleBody)
    emit(Op::Store, {value}, span_of(SourceRange(function->getLocation())), usr.empty() ? display_name(function) : usr,
         flag::Global);
  return value;
}

void Lowering::function_body(const FunctionDecl* function) {
  if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function)) constructor_initializers(constructor);
  const Stmt* body = function->getBody();
  if (body == nullptr) return;
  if (const auto* coroutine = dyn_cast<CoroutineBodyStmt>(body)) body = coroutine->getBody();
  open_block();
  statement(body);
  close_block(span_of(body).end);
}

void Lowering::constructor_initializers(const CXXConstructorDecl* constructor) {
  for (const CXXCtorInitializer* initializer : constructor->inits()) {
    const Expr* expr = initializer->getInit();
    ir::Span span = span_of(constructor->getLocation());
    if (initializer->isWritten()) span = span_of(initializer->getSourceRange());
    if (initializer->isAnyMemberInitializer()) {
      if (initializer->getAnyMember() != nullptr) store_field(initializer->getAnyMember(), expr, span);
    } else if (expr != nullptr) {
      // A base or a delegated constructor is run on this object.
      const Expr* plain = expr->IgnoreImplicit();
      const auto* construct = dyn_cast<CXXConstructExpr>(plain);
      if (construct == nullptr) {
        evaluate(expr);
        continue;
      }
      const CXXConstructorDecl* target = construct->getConstructor();
      if (!is_project(target)) {
        for (const Expr* argument : construct->arguments()) evaluate(argument);
        continue;
      }
      if (target->isImplicit() || target->isDefaulted()) {
        if (target->isDefaultConstructor()) construct_base(target->getParent(), {}, span);
        continue;
      }
      Events operands{this_value(span)};
      for (EventId given : arguments(construct->getArgs(), construct->getArgs() + construct->getNumArgs()))
        operands.push_back(given);
      const EventId called = emit_call(symbol_of(target, span), operands, span);
      out().add_flags(called, flag::Discarded);
    }
  }
}

void Lowering::store_field(const FieldDecl* field, const Expr* initializer, ir::Span span) {
  if (field->getName().empty()) return;  // an anonymous union, padding
  if (initializer != nullptr) {
    if (const auto* by_default = dyn_cast<CXXDefaultInitExpr>(initializer->IgnoreImplicit()))
      initializer = by_default->getExpr();
  }
  const QualType type = field->getType();
  EventId value;
  if (initializer == nullptr) {
    if (type->isReferenceType() || type->isPointerType() || types_.class_of(type) == nullptr) return;
    value = default_value(type, span);
  } else {
    const Expr* plain = without_wrappers(initializer);
    if (const auto* list = dyn_cast<InitListExpr>(plain); list != nullptr && list->getNumInits() == 1)
      plain = without_wrappers(list->getInit(0));
    if (const auto* made = dyn_cast<CXXConstructExpr>(plain); made != nullptr && made->getNumArgs() == 1)
      plain = without_wrappers(made->getArg(0));
    if (isa<CXXNullPtrLiteralExpr>(plain) || isa<ImplicitValueInitExpr>(plain)) return;
    value = this->value(initializer);
  }
  emit(Op::StoreAttribute, {this_value(span), value}, span, field->getNameAsString());
  if (types_.is_raii(type) && out().op_of(value) != Op::Const) emit(Op::Hold, {value}, span);
}

static const CXXRecordDecl* class_of_base(const CXXBaseSpecifier& base) {
  const CXXRecordDecl* record = base.getType()->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() ? record->getDefinition() : nullptr;
}

// The constructor that is written in a class and made from nothing, or if it may have any: the first of those.
static const CXXConstructorDecl* written_constructor(const CXXRecordDecl* record, bool any) {
  for (const CXXConstructorDecl* constructor : record->ctors())
    if (constructor->isUserProvided() && !constructor->isCopyOrMoveConstructor() &&
        !constructor->isInheritingConstructor() && (any || constructor->isDefaultConstructor()))
      return constructor;
  return nullptr;
}

// Has a class whose constructor the language makes something to start with?
bool Lowering::has_implicit_constructor(const CXXRecordDecl* record, int depth) {
  if (depth > 64 || types_.held_class(record) != nullptr || !is_project(record)) return false;
  if (written_constructor(record, /*any=*/true) != nullptr) return false;
  for (const FieldDecl* field : record->fields())
    if (field->hasInClassInitializer() ||
        (types_.class_of(field->getType()) != nullptr && !field->getType()->isPointerType()))
      return true;
  for (const CXXBaseSpecifier& base : record->bases()) {
    const CXXRecordDecl* parent = class_of_base(base);
    if (parent != nullptr && is_project(parent) &&
        (written_constructor(parent, /*any=*/true) != nullptr || has_implicit_constructor(parent, depth + 1)))
      return record->getNumBases() > 1;  // a single one is found as the class's own
  }
  return false;
}

// Runs the constructor of a base on this object.
void Lowering::construct_base(const CXXRecordDecl* base, std::span<const EventId> arguments, ir::Span span) {
  std::string constructor;
  if (const CXXConstructorDecl* written = written_constructor(base, !arguments.empty()))
    constructor = usr_of(written);
  else if (has_implicit_constructor(base, 0))
    constructor = usr_of(base) + "@constructor";
  if (constructor.empty()) return;
  Events operands{this_value(span)};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  out().add_flags(emit_call(symbol(constructor, span), operands, span), flag::Discarded);
}

// A class without a constructor of its own: its bases, and what its fields start as. Inherited constructors take what
// the first of the base's takes.
void Lowering::implicit_constructor(const CXXRecordDecl* record) {
  if (!has_implicit_constructor(record, 0)) return;
  if (frames_.size() <= 1) names_in_use_.clear(), variable_named_.clear();
  ir::Module& module = file_->module;
  const ir::FunctionId id = out().open_function(ir::FunctionKind::Function, "constructor",
                                                display_name(record) + "::" + record->getNameAsString());
  ir::Function& made = module.functions[id.index];
  const ir::Span span = span_of(SourceRange(record->getLocation()));
  made.span = made.header = made.body = span;
  made.is_constructor = true;
  made.is_pattern = in_pattern_;
  if (const std::string usr = usr_of(record); !usr.empty()) made.symbol = out().intern(usr + "@constructor");
  for (std::uint32_t c = 0; c < module.classes.size(); ++c)
    if (module.classes[c].body == made.parent) made.owner = ir::ClassId{c};
  push_frame();
  parameter("this", 0, span, QualType(), false, nullptr);
  const CXXConstructorDecl* inherited = nullptr;
  for (const Decl* decl : record->decls())
    if (const auto* shadow = dyn_cast<ConstructorUsingShadowDecl>(decl))
      if (const CXXRecordDecl* from = shadow->getNominatedBaseClass(); from != nullptr && from->hasDefinition())
        inherited = written_constructor(from->getDefinition(), /*any=*/true);
  Events given;
  if (inherited != nullptr) {
    for (const ParmVarDecl* taken : inherited->parameters()) {
      const std::string name = "argument " + std::to_string(given.size() + 1);
      parameter(name, static_cast<std::uint32_t>(given.size() + 1), span, taken->getType(), taken->hasDefaultArg(),
                nullptr);
      given.push_back(emit(Op::Load, {}, span, name, flag::Local));
    }
  }
  for (const CXXBaseSpecifier& base : record->bases())
    if (const CXXRecordDecl* parent = class_of_base(base); parent != nullptr && is_project(parent)) {
      const bool takes =
          inherited != nullptr && inherited->getParent()->getCanonicalDecl() == parent->getCanonicalDecl();
      construct_base(parent, takes ? std::span<const EventId>(given) : std::span<const EventId>(), span);
    }
  for (const FieldDecl* field : record->fields()) {
    const Expr* initializer = field->hasInClassInitializer() ? field->getInClassInitializer() : nullptr;
    if (field->hasInClassInitializer() && initializer == nullptr) continue;
    const ir::Span at = span_of(field->getSourceRange());
    store_field(field, initializer, at);
  }
  frames_.pop_back();
  out().close_function();
  const EventId value = out().emit(Op::MakeFunction, std::span<const EventId>(), span, {}, 0, id.index);
  emit(Op::Store, {value}, span, "constructor", flag::Local);
}

// ---- lambdas

ir::EventId Lowering::lambda(const LambdaExpr* expr) {
  for (const LambdaCapture& capture : expr->captures()) {
    if (!capture.capturesVariable()) continue;
    const ValueDecl* variable = capture.getCapturedVar();
    const auto* own = dyn_cast<VarDecl>(variable);
    if (own == nullptr || !own->isInitCapture() || own->getInit() == nullptr) continue;
    const EventId value = this->value(own->getInit());
    declare(own, own->getNameAsString());
    emit(Op::Store, {value}, span_of(own->getSourceRange()), variables_[own].name, flag::Local);
  }
  const CXXMethodDecl* call = expr->getCallOperator();
  ir::Module& module = file_->module;
  const ir::Span span = span_of(expr);
  const std::string outer(module.text(current_function().qualified));
  const ir::FunctionId id = out().open_function(ir::FunctionKind::Lambda, "<lambda>", outer + ".<locals>.<lambda>");
  {
    ir::Function& made = module.functions[id.index];
    made.span = span;
    made.header = made.body = span;
    if (const Stmt* body = expr->getBody()) {
      made.body = span_of(body);
      if (made.body.begin > span.begin) made.header.end = made.body.begin;
    }
  }
  push_frame();
  std::uint32_t number = 0;
  if (call != nullptr) {
    for (const ParmVarDecl* given : call->parameters()) {
      std::string name = given->getNameAsString();
      if (name.empty()) name = "argument " + std::to_string(number);
      parameter(name, number++, span_of(given->getSourceRange()), given->getType(), given->hasDefaultArg(), given);
    }
  }
  if (const Stmt* body = expr->getBody()) {
    open_block();
    statement(body);
    close_block(span_of(body).end);
  }
  frames_.pop_back();
  out().close_function();
  return out().emit(Op::MakeFunction, std::span<const EventId>(), span, {}, 0, id.index);
}

ir::EventId Lowering::body_as_lambda(const Stmt* body, ir::Span span) {
  return make_lambda(span, [&] {
    open_block();
    statement(body);
    close_block(span.end);
  });
}

ir::EventId Lowering::make_lambda(ir::Span span, const std::function<void()>& lower) {
  ir::Module& module = file_->module;
  const std::string outer(module.text(current_function().qualified));
  const ir::FunctionId id = out().open_function(ir::FunctionKind::Lambda, "<lambda>", outer + ".<locals>.<lambda>");
  ir::Function& made = module.functions[id.index];
  made.span = made.header = made.body = span;
  push_frame();
  lower();
  frames_.pop_back();
  out().close_function();
  return out().emit(Op::MakeFunction, std::span<const EventId>(), span, {}, 0, id.index);
}

// ---- shared

void Lowering::push_frame() {
  frames_.emplace_back();
  frames_.back().number = ++frame_count_;
}

ir::EventId Lowering::emit(Op op, std::initializer_list<EventId> operands, ir::Span span, std::string_view name,
                           std::uint8_t flags, std::uint32_t target) {
  return out().emit(op, std::span<const EventId>(operands.begin(), operands.size()), span,
                    name.empty() ? StrId{} : out().intern(name), flags, target);
}

ir::EventId Lowering::symbol(std::string_view name, ir::Span span) {
  return emit(Op::Symbol, {}, span, name);
}

ir::EventId Lowering::symbol_of(const NamedDecl* decl, ir::Span span) {
  if (is_project(decl)) {
    if (const std::string usr = usr_of(decl); !usr.empty()) return symbol(usr, span);
  }
  return symbol(qualified_name(decl), span);
}

ir::Span Lowering::span_of(SourceRange range) {
  if (range.isInvalid() || file_ == nullptr) return {};
  const auto [begin_file, begin] = sources_.getDecomposedExpansionLoc(range.getBegin());
  const SourceLocation last = sources_.getExpansionRange(range.getEnd()).getEnd();
  const auto [end_file, end] = sources_.getDecomposedLoc(last);
  if (begin_file.getHashValue() != file_->file_id) return {};
  std::uint32_t finish = static_cast<std::uint32_t>(begin);
  if (end_file == begin_file && end >= begin)
    finish = static_cast<std::uint32_t>(end) + Lexer::MeasureTokenLength(last, sources_, context_.getLangOpts());
  return {static_cast<std::uint32_t>(begin), std::min(finish, file_->size)};
}

ir::Span Lowering::span_of(const Stmt* stmt) {
  return stmt == nullptr ? ir::Span{} : span_of(stmt->getSourceRange());
}

}  // namespace deadgrad::cpp
