// Where each name lives: a pass over the whole tree that records which scope binds which names, before any event is
// made. Python decides this per scope and not per statement, so a Load needs to know of Stores that come later.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/python/tree.h"

namespace deadgrad::python {

using ScopeId = Id<struct ScopeTag>;

enum class ScopeKind : std::uint8_t { Module, Class, Function, Comprehension };

struct Scope {
  enum class Binding : std::uint8_t { Bound, Global, Nonlocal };

  ScopeKind kind = ScopeKind::Module;
  ScopeId parent;             // the scope in which the definition stands; invalid for the module
  std::uint32_t ordinal = 0;  // Comprehension: from 1, counted per enclosing function
  std::uint32_t comprehensions = 0;
  std::vector<std::pair<StrId, Binding>> names = {};  // sorted by name once the pass is over
};

// The `e` of Python 2's `except A, e:`, or an invalid id. A capitalised name is a second class, as in Python 3.14.
NodeId python2_alias(const Tree& tree, NodeId except_clause);

class Scopes {
 public:
  explicit Scopes(const Tree& tree);

  static constexpr ScopeId kModule{0};
  // The scope of a function's, class's or lambda's body node, or of a comprehension node.
  ScopeId of(NodeId node) const;
  const Scope& operator[](ScopeId id) const { return scopes_[id.index]; }
  ScopeId parent(ScopeId id) const { return scopes_[id.index].parent; }

  // The scope that holds `name` as seen from `from`, and whether a function lies between. An invalid scope: global.
  struct Place {
    ScopeId scope;
    bool captured = false;
  };
  Place resolve(StrId name, ScopeId from) const;

 private:
  struct Open {
    std::uint32_t end;
    ScopeId scope;
  };
  ScopeId make(ScopeKind kind, ScopeId parent, NodeId body);
  ScopeId binding_scope(ScopeId scope) const;  // the nearest that is no comprehension
  void bind(ScopeId scope, StrId name, Scope::Binding binding = Scope::Binding::Bound);
  void bind_targets(const Tree& tree, NodeId target, ScopeId scope);
  void bind_captures(const Tree& tree, NodeId pattern, ScopeId scope);
  void bind_parameters(const Tree& tree, NodeId parameters, ScopeId scope);
  void bind_imports(const Tree& tree, NodeId statement, ScopeId scope);
  void visit(const Tree& tree, NodeId node, ScopeId scope);
  void visit_function(const Tree& tree, NodeId node, ScopeId scope);
  void visit_comprehension(const Tree& tree, NodeId node, ScopeId scope);

  std::vector<Scope> scopes_;
  std::unordered_map<std::uint32_t, ScopeId> by_node_;
};

}  // namespace deadgrad::python
