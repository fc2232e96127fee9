// Internal to the frontend: the state of lowering one file. One class whose methods are spread over functions.cpp
// (module, functions, classes, parameters), statements.cpp, expressions.cpp, comprehensions.cpp, strings.cpp,
// targets.cpp, patterns.cpp (match), imports.cpp and broken.cpp.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/builder.h"
#include "frontends/python/names.h"
#include "frontends/python/python.h"
#include "frontends/python/tree.h"

namespace deadgrad::python {

class Lowering {
 public:
  Lowering(const SourceFile& file, const Tree& tree, ir::Module& module)
      : file_(file),
        tree_(tree),
        module_(module),
        builder_(module),
        scopes_(tree),
        has_errors_(!module.notices.empty()) {}
  void run();

 private:
  using EventId = ir::EventId;
  using Op = ir::Op;
  using Events = std::vector<EventId>;

  // Nesting that the lowering follows by recursion. CPython's own limits are 100 blocks and 200 brackets. What lies
  // deeper becomes one Unknown. Chains (calls, operators, elif, …) are unrolled and count as one level.
  static constexpr int kMostNesting = 300;
  struct Nested {
    explicit Nested(Lowering& lowering) : depth(lowering.depth_) { ++depth; }
    Nested(const Nested&) = delete;
    ~Nested() { --depth; }
    bool too_deep() const { return depth > kMostNesting; }
    int& depth;
  };

  // What changes from one function to the next.
  struct Context {
    ScopeId scope = Scopes::kModule;
    ir::ClassId owner = {};    // in a class body: the class
    bool from_inside = false;  // names are looked up from `scope`, but the events go to a function inside it
    int loops = 0;             // the loops around the current statement
  };

  // functions.cpp
  struct Definition {
    NodeId node;     // the def, class or lambda
    NodeId outside;  // the same with its decorators
  };
  void definition(NodeId node);
  Events decorators(NodeId outside);
  void function_definition(const Definition& what);
  void class_definition(const Definition& what);
  EventId lambda(NodeId node);
  void function_body(NodeId definition);
  void default_values(NodeId parameters, Events& operands);
  void parameters(NodeId parameters);
  void parameter(NodeId node, ir::ParamKind& kind_of_next, std::uint32_t number);
  std::string qualify(std::string_view name) const;
  ir::Function& current_function() { return module_.functions[builder_.current().index]; }
  ir::Span header_span(NodeId node) const;

  // statements.cpp
  void block(NodeId block);
  void statement(NodeId node);
  void expression_statement(NodeId node);
  void if_statement(NodeId node);
  void for_statement(NodeId node);
  void while_statement(NodeId node);
  void loop_body(NodeId node);
  void loop_else(NodeId node);
  void jump(Op op, NodeId node);
  void empty_arm(std::uint32_t at);
  void try_statement(NodeId node);
  EventId caught_type(NodeId clause, NodeId& alias);
  void with_statement(NodeId node);
  void return_statement(NodeId node);
  void raise_statement(NodeId node);
  void print_statement(NodeId node);
  void exec_statement(NodeId node);
  void delete_target(NodeId target);
  void discard(EventId value, NodeId expression);

  // broken.cpp
  void broken_code(NodeId error);
  void broken_parts(NodeId node);
  EventId flat(NodeId node);

  // expressions.cpp
  EventId expression(NodeId node);
  EventId optional_expression(NodeId node);                           // Unknown for an invalid id
  EventId expressions(std::span<const NodeId> nodes, ir::Span span);  // the value of `a` or `a, b`
  EventId annotation(NodeId type);
  EventId constant(std::uint8_t what, NodeId node);
  EventId unknown(std::string_view what, NodeId node);

  // targets.cpp
  struct Place {
    enum class Kind : std::uint8_t { Name, Attribute, Item, Other } kind = Kind::Other;
    NodeId node;
    EventId object, index;
  };
  void assignment(NodeId node);
  void declaration(std::span<const NodeId> targets, NodeId type, NodeId node);
  void augmented_assignment(NodeId node);
  Place place(NodeId target);
  EventId load_place(const Place& place);
  void store_place(const Place& place, EventId value);
  void store_target(NodeId target, EventId value);
  void unpack(NodeId targets, EventId value);
  EventId unpack_part(EventId value, std::span<const char> starred, std::size_t i, ir::Span span);
  EventId load_name(StrId name, ir::Span span);
  void store_name(StrId name, EventId value, ir::Span span);
  StrId place_name(StrId name, const Scopes::Place& place);
  std::uint8_t place_flags(const Scopes::Place& place) const;
  void emit_place(Op op, StrId name, std::initializer_list<EventId> operands, ir::Span span);

  // patterns.cpp
  void match_statement(NodeId node);
  void case_clause(NodeId clause, EventId subject);
  void match_pattern(NodeId pattern, EventId subject);
  void match_sequence(std::span<const NodeId> parts, EventId subject);
  void match_parts(NodeId pattern, EventId subject);
  void match_dictionary(NodeId pattern, EventId subject);
  void match_class(NodeId pattern, EventId subject);
  EventId dotted_value(NodeId node);
  bool is_irrefutable(NodeId pattern) const;

  // imports.cpp
  void import_statement(NodeId node);
  void import_from_statement(NodeId node);
  StrId dotted(NodeId name);
  void note_import(std::string_view module);

 private:
  // expressions.cpp: one operator whose first operand is being lowered.
  struct Link {
    NodeId node;
    EventId first, second;  // operands that are evaluated before it
  };
  NodeId descend(NodeId node);
  bool descend_boolean(NodeId node);
  EventId combine(const Link& link, EventId value, std::size_t base);
  EventId leaf(NodeId node);
  EventId call(NodeId node, EventId callee);
  void argument(NodeId node, Events& operands);
  EventId boolean(const Link& link, EventId value, std::size_t base);
  EventId comparison(NodeId node, EventId first);
  EventId subscript_index(NodeId node);
  EventId slice(NodeId node);
  EventId display(Op op, NodeId node);
  EventId dictionary(NodeId node);
  EventId yield(NodeId node);
  EventId generic_type(NodeId node, EventId first);
  EventId element(NodeId node);
  EventId wrapped(Op wrapper, NodeId node);

  // comprehensions.cpp
  EventId comprehension(NodeId node);
  EventId iterated(NodeId clause);

  // strings.cpp
  EventId string(NodeId node);
  EventId concatenated_string(NodeId node);
  void interpolations(NodeId node, Events& operands);
  std::string_view string_text(NodeId node) const;
  bool is_bytes(NodeId node) const;

 private:
  StrId intern_text(std::string_view text);
  ir::Span span(NodeId node) const { return tree_.span(node); }
  Kind kind(NodeId node) const { return tree_[node].kind; }
  NodeId child(NodeId node, Field field) const { return tree_.child(node, field); }
  // The name of an Identifier or Operator, "?" where a syntax error left none.
  StrId name_of(NodeId node) {
    const StrId name = node.valid() ? tree_[node].name : StrId{};
    return name.valid() ? name : builder_.intern("?");
  }

  const SourceFile& file_;
  const Tree& tree_;
  ir::Module& module_;
  ir::Builder builder_;
  Scopes scopes_;
  bool has_errors_;  // false only if the tree has no Error
  Context context_;
  int depth_ = 0;
  bool too_deep_noticed_ = false;
  std::vector<Link> links_;
};

}  // namespace deadgrad::python
