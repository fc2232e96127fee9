// Internal to the frontend: the state of lowering one translation unit, which gives one ir::Module for its main file
// and one for each project header. One class whose methods are spread over declarations.cpp (files, classes,
// functions), statements.cpp, expressions.cpp, calls.cpp and construction.cpp; types.h answers what a type is.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/ir/builder.h"
#include "frontends/cpp/cpp.h"
#include "frontends/cpp/types.h"

namespace clang {
class ASTContext;
class CallExpr;
class ClassTemplateDecl;
class CXXConstructExpr;
class CXXConstructorDecl;
class CXXMemberCallExpr;
class CXXMethodDecl;
class CXXNewExpr;
class CXXOperatorCallExpr;
class CXXRecordDecl;
class CompoundStmt;
class Decl;
class DeclContext;
class DeclRefExpr;
class DeclStmt;
class Expr;
class FieldDecl;
class FunctionDecl;
class FunctionTemplateDecl;
class InitListExpr;
class LambdaExpr;
class NamedDecl;
class QualType;
class RecoveryExpr;
class SourceLocation;
class SourceManager;
class SourceRange;
class Stmt;
class SwitchStmt;
class ValueDecl;
class VarDecl;
}  // namespace clang

namespace deadgrad::cpp {

class Lowering {
 public:
  Lowering(clang::ASTContext& context, const NameFile& name_file);
  ~Lowering();
  // The unit's modules, main file first, headers in the order in which they were met.
  std::vector<ir::Module> run();
  // The texts of the modules' files, for as long as the syntax tree lives.
  std::vector<std::string_view> texts() const;

 private:
  using EventId = ir::EventId;
  using Op = ir::Op;
  using Events = std::vector<EventId>;

  // Nesting that the lowering follows by recursion; what lies deeper becomes one Unknown.
  static constexpr int kMostNesting = 1000;
  struct Nested {
    explicit Nested(Lowering& lowering) : depth(lowering.depth_) { ++depth; }
    Nested(const Nested&) = delete;
    ~Nested() { --depth; }
    bool too_deep() const { return depth > kMostNesting; }
    int& depth;
  };

  struct File {
    ir::Module module;
    std::unique_ptr<ir::Builder> builder;
    unsigned file_id = 0;  // clang::FileID's hash value
    std::uint32_t size = 0;
    std::string_view text;
  };
  // A function that is being lowered.
  struct Frame {
    unsigned number = 0;                   // told apart in variables_
    std::vector<std::size_t> open_scopes;  // per open block: how many Scopes it has opened so far
    std::vector<EventId> scopes;           // open Scope brackets
    std::vector<bool> break_is_loop;       // innermost last
    // Variables of open loops that refer to the elements of a range, with the range.
    std::vector<std::pair<const clang::ValueDecl*, EventId>> elements;
  };
  struct Variable {
    std::string name;
    unsigned frame = 0;
  };

  // declarations.cpp
  File* file_of(clang::SourceLocation location);
  void declarations(const clang::DeclContext* context);
  void declaration(const clang::Decl* decl);
  void class_definition(const clang::CXXRecordDecl* record);
  void class_template(const clang::ClassTemplateDecl* decl);
  void function_template(const clang::FunctionTemplateDecl* decl);
  // Emits the MakeFunction with the decorations that C++ has: default arguments.
  EventId function_definition(const clang::FunctionDecl* function);
  void function_body(const clang::FunctionDecl* function);
  void implicit_constructor(const clang::CXXRecordDecl* record);
  bool has_implicit_constructor(const clang::CXXRecordDecl* record, int depth);
  void construct_base(const clang::CXXRecordDecl* base, std::span<const EventId> arguments, ir::Span span);
  void constructor_initializers(const clang::CXXConstructorDecl* constructor);
  void store_field(const clang::FieldDecl* field, const clang::Expr* initializer, ir::Span span);
  void parameters(const clang::FunctionDecl* function);
  void parameter(std::string_view name, std::uint32_t number, ir::Span span, clang::QualType type, bool has_default,
                 const clang::ValueDecl* decl);
  void global_variable(const clang::VarDecl* variable);
  EventId lambda(const clang::LambdaExpr* expr);
  // A lambda that is not written as one; `lower` emits its parameters and body.
  EventId make_lambda(ir::Span span, const std::function<void()>& lower);
  EventId body_as_lambda(const clang::Stmt* body, ir::Span span);
  void default_arguments(const clang::FunctionDecl* function, Events& operands);
  std::string member_name(const clang::NamedDecl* decl);
  std::string display_name(const clang::NamedDecl* decl) const;

  // statements.cpp
  void statement(const clang::Stmt* stmt);
  void block(const clang::CompoundStmt* block);
  void open_block();
  void close_block(std::uint32_t end);
  void discard(const clang::Expr* expr);
  void declaration_statement(const clang::DeclStmt* stmt);
  void local_variable(const clang::VarDecl* variable);
  bool is_alias(const clang::VarDecl* variable);
  void hold_if_raii(const clang::ValueDecl* variable, EventId value, bool scoped, ir::Span span);
  void structured_binding(const clang::VarDecl* variable, EventId value);
  struct Case;
  void case_body(const Case& part);
  void case_chain(std::span<const Case> chain, EventId test);
  void switch_statement(const clang::SwitchStmt* stmt);
  void loop_body(const clang::Stmt* body);
  void loop(const clang::Stmt* stmt);
  void branch(EventId condition, ir::Span span, const std::function<void()>& then,
              const std::function<void()>& otherwise);

  // expressions.cpp
  EventId value(const clang::Expr* expr);     // with the class that the static type names
  EventId evaluate(const clang::Expr* expr);  // without
  const clang::Expr* without_wrappers(const clang::Expr* expr);
  const clang::Expr* converted_value(const clang::Expr* expr);
  EventId evaluate_kind(const clang::Expr* expr);
  EventId recovered(const clang::RecoveryExpr* expr);
  EventId reference(const clang::ValueDecl* decl, ir::Span span, clang::QualType type);
  EventId member(const clang::Expr* expr);
  EventId unknown(std::string_view what, std::span<const EventId> operands, ir::Span span);
  EventId unknown_children(std::string_view what, const clang::Stmt* stmt);
  EventId constant(std::uint8_t kind, std::string_view text, ir::Span span);
  EventId this_value(ir::Span span);
  bool is_project_template(clang::QualType type);
  EventId typed(EventId value, clang::QualType type, ir::Span span);
  void fill_container_parameter(const clang::DeclRefExpr* parameter, EventId value, ir::Span span);
  void assign(const clang::Expr* place, EventId value, ir::Span span);
  void store_variable(const clang::ValueDecl* variable, EventId value, ir::Span span);

  // calls.cpp
  EventId call(const clang::CallExpr* expr);
  EventId member_call(const clang::CXXMemberCallExpr* expr);
  EventId operator_call(const clang::CXXOperatorCallExpr* expr);
  EventId bound_call(std::span<const clang::Expr* const> given, bool in_front, ir::Span span);
  EventId function_call(const clang::CallExpr* expr, const clang::FunctionDecl* function);
  EventId method_call(EventId object, const clang::Expr* object_expr, std::string_view name,
                      std::span<const EventId> arguments, ir::Span name_span, ir::Span span);
  // Tensors that a function of the project hands back through references and pointers: it stores them in a place of
  // this name as well, and the caller takes them from there.
  std::string out_parameter(const clang::FunctionDecl* function, unsigned number);
  void take_out_parameters(const clang::FunctionDecl* function, const clang::Expr* const* begin,
                           const clang::Expr* const* end, ir::Span span);
  EventId emit_call(EventId callee, std::span<const EventId> arguments, ir::Span span);
  Events arguments(const clang::Expr* const* begin, const clang::Expr* const* end);
  std::optional<EventId> well_known_call(const clang::CallExpr* expr, const clang::FunctionDecl* function);
  std::optional<EventId> well_known_method(const clang::Expr* object, const clang::CXXMethodDecl* method,
                                           const clang::CallExpr* expr);
  EventId item(EventId object, EventId index, ir::Span span);

  // construction.cpp
  EventId construct(const clang::CXXConstructExpr* expr);
  EventId construct_class(clang::QualType type, std::span<const EventId> arguments, ir::Span span);
  EventId default_value(clang::QualType type, ir::Span span);
  // `new T(…)`. A guard made so lives until it is deleted, unless a smart pointer or the like keeps it.
  EventId new_object(const clang::CXXNewExpr* expr, bool kept);
  EventId kept_value(const clang::Expr* expr);
  EventId initializer_list(const clang::InitListExpr* expr);

  // shared
  ir::Builder& out() { return *file_->builder; }
  EventId emit(Op op, std::initializer_list<EventId> operands, ir::Span span, std::string_view name = {},
               std::uint8_t flags = 0, std::uint32_t target = ~0u);
  EventId symbol(std::string_view name, ir::Span span);
  EventId symbol_of(const clang::NamedDecl* decl, ir::Span span);
  ir::Span span_of(clang::SourceRange range);
  ir::Span span_of(const clang::Stmt* stmt);
  ir::Function& current_function() { return file_->module.functions[out().current().index]; }
  void push_frame();
  void declare(const clang::ValueDecl* variable, std::string_view name);
  bool is_project(const clang::Decl* decl);

  clang::ASTContext& context_;
  clang::SourceManager& sources_;
  const NameFile& name_file_;
  Types types_;
  std::vector<std::unique_ptr<File>> files_;
  std::unordered_map<unsigned, File*> file_by_id_;  // null: none of the project's
  File* file_ = nullptr;                            // that events go to
  std::vector<Frame> frames_;
  unsigned frame_count_ = 0;
  std::unordered_map<const clang::ValueDecl*, Variable> variables_;
  std::unordered_map<const clang::ValueDecl*, const clang::Expr*> aliases_;  // references to places, in this function
  std::unordered_map<std::string, const clang::ValueDecl*>
      variable_named_;                                      // the latest, within one outermost function
  std::unordered_map<std::string, unsigned> names_in_use_;  // of locals, within one outermost function
  std::unordered_set<const clang::Decl*> done_;
  struct Pending {
    const clang::FunctionDecl* function;
    bool in_pattern;
  };
  std::vector<Pending> pending_;
  bool in_pattern_ = false;  // what is lowered is a template that was not instantiated
  int depth_ = 0;
};

}  // namespace deadgrad::cpp
