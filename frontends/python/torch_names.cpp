#include "frontends/python/torch_names.h"

#include <algorithm>

namespace deadgrad::python {

static bool is_import(Kind kind) {
  return kind == Kind::ImportStatement || kind == Kind::ImportFromStatement || kind == Kind::FutureImportStatement;
}

static bool is_docstring(const Tree& tree, NodeId statement) {
  if (tree[statement].kind != Kind::ExpressionStatement) return false;
  const NodeId value = tree.only_child(statement);
  return value.valid() && (tree[value].kind == Kind::String || tree[value].kind == Kind::ConcatenatedString);
}

// Is what stands under it only read by type checkers?
static bool is_for_type_checkers(const Tree& tree, NodeId statement) {
  const NodeId condition = tree.child(statement, Field::Condition);
  return condition.valid() && tree.text(condition).find("TYPE_CHECKING") != std::string_view::npos;
}

TorchNames::TorchNames(const Tree& tree, const Layout& layout, ir::Module& module)
    : tree_(tree), layout_(layout), module_(module), torch_(module.strings.intern("torch")), scopes_(tree) {
  struct Open {
    std::uint32_t end;
    ScopeId scope;
    NodeId block;
    bool plain;
  };
  std::vector<Open> open{{tree.size(), Scopes::kModule, NodeId{0}, true}};
  for (std::uint32_t i = 1; i < tree.size();) {
    while (i >= open.back().end) open.pop_back();
    const NodeId id{i};
    const Node& node = tree[id];
    if (node.kind == Kind::IfStatement && is_for_type_checkers(tree, id)) {
      for (; i < node.next; ++i)
        if (tree[NodeId{i}].kind == Kind::Identifier) rebound_.push_back(tree.text(NodeId{i}));
      continue;
    }
    const ScopeId inner = node.field == Field::Body ? scopes_.of(id) : ScopeId{};
    if (inner.valid()) {
      bodies_.push_back({node.begin, node.end, inner});
      open.push_back({node.next, inner, id, true});
    } else if (node.kind == Kind::Block) {
      open.push_back({node.next, open.back().scope, id, false});
    }
    if (is_import(node.kind)) add_imports(id, open.back().scope, open.back().block, open.back().plain);
    if (open.back().scope == Scopes::kModule && node.kind == Kind::Identifier &&
        (node.field == Field::Left || node.field == Field::Name || node.field == Field::Alias))
      rebound_.push_back(tree.text(id));
    // What an import binds was read with it.
    i = is_import(node.kind) ? node.next : i + 1;
  }
}

void TorchNames::add_imports(NodeId statement, ScopeId scope, NodeId block, bool plain) {
  const bool is_from = tree_[statement].kind != Kind::ImportStatement;
  const NodeId module = tree_.child(statement, Field::ModuleName);
  const bool from_torch = module.valid() && tree_.text(module) == "torch";
  for (NodeId part : tree_.children(statement)) {
    if (tree_[part].field != Field::Name) continue;
    NodeId written = part, alias;
    if (tree_[part].kind == Kind::AliasedImport) {
      written = tree_.child(part, Field::Name);
      alias = tree_.child(part, Field::Alias);
      if (!written.valid() || !alias.valid()) continue;
    }
    const std::string_view name = tree_.text(written);
    const bool is_package = !is_from && (name == "torch" || (!alias.valid() && name.starts_with("torch.")));
    const bool is_guard = from_torch && (name == "no_grad" || name == "inference_mode");
    const std::string_view bound_name = alias.valid() ? tree_.text(alias) : name.substr(0, name.find('.'));
    if (is_package || is_guard) {
      const What what = is_package ? What::Package : name == "no_grad" ? What::NoGrad : What::InferenceMode;
      bound_.push_back(
          {bound_name, module_.strings.intern(bound_name), what, scope, block, tree_[statement].end, plain});
    } else if (scope == Scopes::kModule) {
      rebound_.push_back(bound_name);
    }
  }
}

ScopeId TorchNames::scope_at(std::uint32_t offset) const {
  ScopeId scope = Scopes::kModule;
  for (const Extent& body : bodies_)
    if (body.begin <= offset && offset < body.end) scope = body.scope;
  return scope;
}

bool TorchNames::is_rebound(std::string_view name) const {
  return std::ranges::find(rebound_, name) != rebound_.end();
}

bool TorchNames::reaches(const Bound& bound, ScopeId from, std::uint32_t offset, Use use) const {
  const bool is_before = bound.end <= offset;
  const ScopeId found = scopes_.resolve(bound.id, from).scope;
  // A local import: where it stands in front of the place, under no condition.
  if (bound.scope != Scopes::kModule) return found == bound.scope && bound.plain && is_before;
  if (found.valid()) return false;
  if (use == Use::Declared) return is_before && bound.plain && !is_rebound(bound.name);
  return is_before || from != Scopes::kModule;
}

std::optional<TorchNames::Spelling> TorchNames::spell(FixGuard guard, std::uint32_t offset, Use use,
                                                      bool may_import) const {
  const ScopeId from = scope_at(offset);
  const bool inference = guard == FixGuard::InferenceMode;
  const std::string member = inference ? "inference_mode" : "no_grad";
  for (const Bound& bound : bound_) {
    const bool fits = bound.what == What::Package || bound.what == (inference ? What::InferenceMode : What::NoGrad);
    if (!fits || !reaches(bound, from, offset, use)) continue;
    const std::string name(bound.name);
    return Spelling{bound.what == What::Package ? name + "." + member + "()" : name + "()", std::nullopt};
  }
  if (!may_import || scopes_.resolve(torch_, from).scope.valid() || is_rebound("torch")) return std::nullopt;
  // Where the module imports torch under a condition or later on, its author has a reason.
  for (const Bound& bound : bound_)
    if (bound.scope == Scopes::kModule && bound.name == "torch" && bound.what == What::Package) return std::nullopt;
  std::optional<TextEdit> import = new_import(offset);
  if (!import) return std::nullopt;
  return Spelling{"torch." + member + "()", std::move(import)};
}

bool TorchNames::is_guard_of_torch(std::string_view name) {
  return name == "no_grad" || name == "inference_mode" || name == "enable_grad" || name == "set_grad_enabled";
}

bool TorchNames::is_guard(std::string_view name) const {
  return is_guard_of_torch(name) || std::ranges::any_of(bound_, [&](const Bound& bound) {
           return bound.what != What::Package && bound.name == name;
         });
}

std::uint32_t TorchNames::end_of_local_import(NodeId body) const {
  std::uint32_t end = 0;
  for (const Bound& bound : bound_)
    if (bound.block == body && bound.plain) end = std::max(end, bound.end);
  return end;
}

// `import torch` on a line of its own: above the first `from torch…`, else below the imports at the top of the file,
// else below its docstring.
std::optional<TextEdit> TorchNames::new_import(std::uint32_t before) const {
  NodeId after, torch_import;
  for (NodeId statement : tree_.children(NodeId{0})) {
    if (tree_[statement].begin >= before || tree_.is_token(statement)) break;
    const Kind kind = tree_[statement].kind;
    if (kind == Kind::FunctionDefinition || kind == Kind::ClassDefinition || kind == Kind::DecoratedDefinition) break;
    if (!is_import(kind) && !(is_docstring(tree_, statement) && !after.valid())) continue;
    after = statement;
    const NodeId module = tree_.child(statement, Field::ModuleName);
    const NodeId named = module.valid() ? module : tree_.child(statement, Field::Name);
    const std::string_view name = named.valid() ? tree_.text(named) : std::string_view();
    if (!torch_import.valid() && (name == "torch" || name.starts_with("torch."))) torch_import = statement;
  }
  if (torch_import.valid() && layout_.starts_line(tree_[torch_import].begin)) {
    const std::uint32_t at = layout_.line_begin(tree_[torch_import].begin);
    return TextEdit{{at, at}, "import torch" + layout_.newline_at(at)};
  }
  if (!after.valid()) {
    for (NodeId statement : tree_.children(NodeId{0})) {
      if (tree_.is_token(statement) || !layout_.starts_line(tree_[statement].begin)) return std::nullopt;
      const std::uint32_t at = layout_.line_begin(tree_[statement].begin);
      const std::string newline = layout_.newline_at(at);
      return TextEdit{{at, at}, "import torch" + newline + newline};
    }
    return std::nullopt;
  }
  // Behind everything on its line.
  std::uint32_t end = tree_[after].end;
  for (NodeId statement : tree_.children(NodeId{0}))
    if (tree_[statement].begin >= end && tree_[statement].begin < layout_.line_end(end)) end = tree_[statement].end;
  const std::string newline = layout_.newline_at(end);
  const bool spaced = !is_import(tree_[after].kind);
  const std::uint32_t at = layout_.line_end(end);
  return TextEdit{{at, at}, newline + (spaced ? newline : "") + "import torch"};
}

}  // namespace deadgrad::python
