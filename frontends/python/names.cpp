#include "frontends/python/names.h"

#include <algorithm>

namespace deadgrad::python {

static bool is_comprehension(Kind kind) {
  return kind == Kind::ListComprehension || kind == Kind::SetComprehension || kind == Kind::DictionaryComprehension ||
         kind == Kind::GeneratorExpression;
}

NodeId python2_alias(const Tree& tree, NodeId except_clause) {
  NodeId second;
  int count = 0;
  for (NodeId part : tree.children(except_clause)) {
    if (tree[part].field == Field::Value && !tree.is_token(part) && ++count == 2) second = part;
  }
  if (count != 2 || tree[second].kind != Kind::Identifier) return {};
  const char first = tree.text(second).front();
  return first >= 'A' && first <= 'Z' ? NodeId{} : second;
}

Scopes::Scopes(const Tree& tree) {
  scopes_.push_back(Scope{});
  std::vector<Open> open{{tree.size(), kModule}};
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    while (i >= open.back().end) open.pop_back();
    const NodeId node{i};
    visit(tree, node, open.back().scope);
    if (tree[node].field != Field::Body && !is_comprehension(tree[node].kind)) continue;
    if (const ScopeId inner = of(node); inner.valid()) open.push_back({tree[node].next, inner});
  }
  for (Scope& scope : scopes_) {
    // `global x` wins over the assignments to x: it sorts last of its name and std::unique keeps the first of the
    // reversed.
    std::ranges::sort(scope.names, std::greater<>());
    const auto [first, last] = std::ranges::unique(scope.names, {}, &std::pair<StrId, Scope::Binding>::first);
    scope.names.erase(first, last);
    std::ranges::reverse(scope.names);
  }
}

ScopeId Scopes::of(NodeId node) const {
  auto found = by_node_.find(node.index);
  return found == by_node_.end() ? ScopeId{} : found->second;
}

Scopes::Place Scopes::resolve(StrId name, ScopeId from) const {
  bool captured = false;
  for (ScopeId id = from; id.valid() && id != kModule; id = parent(id)) {
    const Scope& scope = scopes_[id.index];
    // A class body is no enclosing scope for the functions and comprehensions in it.
    if (scope.kind != ScopeKind::Class || id == from) {
      const auto found = std::ranges::lower_bound(scope.names, name, {}, &std::pair<StrId, Scope::Binding>::first);
      if (found != scope.names.end() && found->first == name) {
        if (found->second == Scope::Binding::Bound) return {id, captured};
        if (found->second == Scope::Binding::Global) return {};
      }
    }
    captured |= scope.kind != ScopeKind::Comprehension;
  }
  return {};
}

ScopeId Scopes::make(ScopeKind kind, ScopeId parent, NodeId body) {
  const ScopeId id{static_cast<std::uint32_t>(scopes_.size())};
  scopes_.push_back(Scope{.kind = kind, .parent = parent});
  by_node_.emplace(body.index, id);
  return id;
}

ScopeId Scopes::binding_scope(ScopeId scope) const {
  while (scopes_[scope.index].kind == ScopeKind::Comprehension) scope = parent(scope);
  return scope;
}

void Scopes::bind(ScopeId scope, StrId name, Scope::Binding binding) {
  // Everything in the module's scope is global, so nobody asks for its names.
  if (scope != kModule && name.valid()) scopes_[scope.index].names.emplace_back(name, binding);
}

void Scopes::bind_targets(const Tree& tree, NodeId target, ScopeId scope) {
  for (std::uint32_t i = target.index; i < tree[target].next;) {
    const Node& node = tree[NodeId{i}];
    if (node.kind == Kind::Identifier) bind(scope, node.name);
    // `a.b` and `a[b]` bind nothing.
    const bool binds_nothing = node.kind == Kind::Attribute || node.kind == Kind::Subscript || node.kind == Kind::Call;
    i = binds_nothing ? node.next : i + 1;
  }
}

void Scopes::bind_captures(const Tree& tree, NodeId pattern, ScopeId scope) {
  for (std::uint32_t i = pattern.index; i < tree[pattern].next; ++i) {
    const NodeId id{i};
    switch (tree[id].kind) {
      case Kind::DottedName:
        // A dotted name is a value to compare with; a lone one captures, except as a class.
        if (tree[id].next == i + 2 && !(i > 0 && tree[NodeId{i - 1}].kind == Kind::ClassPattern)) {
          bind(scope, tree[NodeId{i + 1}].name);
        }
        break;
      case Kind::AsPattern:
      case Kind::SplatPattern:
        for (NodeId child : tree.children(id)) {
          if (tree[child].kind == Kind::Identifier) bind(scope, tree[child].name);
        }
        break;
      default:
        break;
    }
  }
}

void Scopes::bind_parameters(const Tree& tree, NodeId parameters, ScopeId scope) {
  for (NodeId parameter : tree.children(parameters)) {
    NodeId name = parameter;
    if (const NodeId named = tree.child(parameter, Field::Name); named.valid()) {
      name = named;
    } else if (tree[parameter].kind == Kind::TypedParameter) {
      name = tree.only_child(parameter);
    }
    if (name.valid()) bind_targets(tree, name, scope);
  }
}

void Scopes::bind_imports(const Tree& tree, NodeId statement, ScopeId scope) {
  for (NodeId name : tree.children(statement)) {
    if (tree[name].field != Field::Name) continue;
    if (tree[name].kind == Kind::AliasedImport) {
      if (const NodeId alias = tree.child(name, Field::Alias); alias.valid()) bind(scope, tree[alias].name);
    } else if (const NodeId first = tree.first_child(name, Kind::Identifier); first.valid()) {
      bind(scope, tree[first].name);
    }
  }
}

void Scopes::visit_function(const Tree& tree, NodeId node, ScopeId scope) {
  const NodeId body = tree.child(node, Field::Body);
  if (!body.valid()) return;
  const ScopeId inner = make(ScopeKind::Function, scope, body);
  if (const NodeId parameters = tree.child(node, Field::Parameters); parameters.valid()) {
    bind_parameters(tree, parameters, inner);
  }
}

// The clauses and the body see the targets; the first iterable is evaluated outside, which only matters for a name that
// is also a target there: resolved by the lowering, which leaves this scope for it.
void Scopes::visit_comprehension(const Tree& tree, NodeId node, ScopeId scope) {
  const ScopeId function = binding_scope(scope);
  const ScopeId inner = make(ScopeKind::Comprehension, scope, node);
  scopes_[inner.index].ordinal = ++scopes_[function.index].comprehensions;
  for (NodeId clause : tree.children(node)) {
    if (tree[clause].kind != Kind::ForInClause) continue;
    if (const NodeId left = tree.child(clause, Field::Left); left.valid()) bind_targets(tree, left, inner);
  }
}

void Scopes::visit(const Tree& tree, NodeId node, ScopeId scope) {
  const auto bind_field = [&](Field field) {
    if (const NodeId target = tree.child(node, field); target.valid()) bind_targets(tree, target, binding_scope(scope));
  };
  switch (tree[node].kind) {
    case Kind::Assignment:
    case Kind::AugmentedAssignment:
    case Kind::ForStatement:
      bind_field(Field::Left);
      break;
    case Kind::TypeAliasStatement:
      for (std::uint32_t i = node.index + 1; i < tree[node].next; ++i) {
        if (tree[NodeId{i}].kind != Kind::Identifier) continue;
        bind(scope, tree[NodeId{i}].name);  // the first name; its type parameters follow
        break;
      }
      break;
    case Kind::NamedExpression:
      bind_field(Field::Name);
      break;
    case Kind::AsPatternTarget:
    case Kind::DeleteStatement:
      bind_targets(tree, node, binding_scope(scope));
      break;
    case Kind::ExceptClause:
      bind_field(Field::Alias);
      if (const NodeId alias = python2_alias(tree, node); alias.valid()) bind_targets(tree, alias, scope);
      break;
    case Kind::ImportStatement:
    case Kind::ImportFromStatement:
    case Kind::FutureImportStatement:
      bind_imports(tree, node, scope);
      break;
    case Kind::CaseClause:
      for (NodeId pattern : tree.children(node)) {
        if (tree[pattern].kind == Kind::CasePattern) bind_captures(tree, pattern, scope);
      }
      break;
    case Kind::GlobalStatement:
    case Kind::NonlocalStatement:
      for (NodeId name : tree.children(node)) {
        bind(scope, tree[name].name,
             tree[node].kind == Kind::GlobalStatement ? Scope::Binding::Global : Scope::Binding::Nonlocal);
      }
      break;
    case Kind::FunctionDefinition:
      bind_field(Field::Name);
      visit_function(tree, node, scope);
      break;
    case Kind::Lambda:
      visit_function(tree, node, scope);
      break;
    case Kind::ClassDefinition:
      bind_field(Field::Name);
      if (const NodeId body = tree.child(node, Field::Body); body.valid()) make(ScopeKind::Class, scope, body);
      break;
    case Kind::ListComprehension:
    case Kind::SetComprehension:
    case Kind::DictionaryComprehension:
    case Kind::GeneratorExpression:
      visit_comprehension(tree, node, scope);
      break;
    default:
      break;
  }
}

}  // namespace deadgrad::python
