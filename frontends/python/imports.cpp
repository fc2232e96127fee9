#include "frontends/python/lowering.h"

namespace deadgrad::python {

void Lowering::note_import(std::string_view module) {
  static constexpr std::string_view kTestFrameworks[] = {
      "pytest", "unittest", "nose", "absl.testing", "torch.testing._internal", "parameterized"};
  for (std::string_view framework : kTestFrameworks) {
    if (module.starts_with(framework) && (module.size() == framework.size() || module[framework.size()] == '.')) {
      module_.imports_test_framework = true;
    }
  }
}

// The name of a dotted_name without the spaces that may stand around its dots.
StrId Lowering::dotted(NodeId name) {
  std::string text;
  StrId only;
  for (NodeId part : tree_.children(name)) {
    if (kind(part) != Kind::Identifier) continue;
    only = text.empty() ? tree_[part].name : StrId{};
    if (!text.empty()) text += '.';
    text += module_.text(tree_[part].name);
  }
  return only.valid() ? only : builder_.intern(text);
}

void Lowering::import_statement(NodeId node) {
  for (NodeId name : tree_.children(node)) {
    if (tree_[name].field != Field::Name) continue;
    const NodeId alias = kind(name) == Kind::AliasedImport ? child(name, Field::Alias) : NodeId{};
    const NodeId path = kind(name) == Kind::AliasedImport ? child(name, Field::Name) : name;
    const NodeId first = path.valid() ? tree_.first_child(path, Kind::Identifier) : NodeId{};
    if (!first.valid()) continue;
    const StrId module = dotted(path);
    note_import(module_.text(module));
    const bool binds_top = !alias.valid() && module != tree_[first].name;
    const EventId value = builder_.emit(Op::Import, {}, span(name), module, binds_top ? ir::flag::TopPackage : 0);
    const NodeId bound = alias.valid() ? alias : first;
    store_name(tree_[bound].name, value, span(bound));
  }
}

// "a.b" from the module a.b.c, `dots` = 1; "a" for 2. Dots that lead out of the project stay as they are.
static std::string resolve_relative(const SourceFile& file, std::size_t dots, std::string_view rest) {
  std::string_view package = file.module_name;
  std::size_t up = file.is_package ? dots - 1 : dots;
  for (; up > 0; --up) {
    if (package.empty()) return std::string(dots, '.') + std::string(rest);
    const std::size_t dot = package.rfind('.');
    package = dot == std::string_view::npos ? std::string_view() : package.substr(0, dot);
  }
  std::string name(package);
  if (!name.empty() && !rest.empty()) name += '.';
  name += rest;
  return name;
}

void Lowering::import_from_statement(NodeId node) {
  const NodeId from = child(node, Field::ModuleName);
  StrId module;
  std::uint8_t flags = 0;
  if (kind(node) == Kind::FutureImportStatement) {
    module = builder_.intern("__future__");
  } else if (!from.valid()) {
    return;
  } else if (kind(from) == Kind::RelativeImport) {
    const NodeId prefix = tree_.first_child(from, Kind::ImportPrefix);
    const NodeId rest = tree_.first_child(from, Kind::DottedName);
    std::size_t dots = 0;
    if (prefix.valid()) {
      for (char c : tree_.text(prefix)) dots += c == '.';
    }
    const std::string tail(rest.valid() ? module_.text(dotted(rest)) : std::string_view());
    module = builder_.intern(resolve_relative(file_, dots == 0 ? 1 : dots, tail));
    flags = ir::flag::Relative;
  } else {
    module = dotted(from);
  }
  note_import(module_.text(module));

  const EventId value = builder_.emit(Op::Import, {}, span(node), module, flags);
  for (NodeId name : tree_.children(node)) {
    if (kind(name) == Kind::WildcardImport) builder_.emit(Op::ImportStar, {value}, span(name));
    if (tree_[name].field != Field::Name) continue;
    const NodeId path = kind(name) == Kind::AliasedImport ? child(name, Field::Name) : name;
    const NodeId alias = kind(name) == Kind::AliasedImport ? child(name, Field::Alias) : NodeId{};
    const NodeId attribute = path.valid() ? tree_.first_child(path, Kind::Identifier) : NodeId{};
    if (!attribute.valid()) continue;
    // `from absl import testing` imports absl.testing.
    if (!module_.imports_test_framework) {
      note_import(std::string(module_.text(module)) + "." + std::string(module_.text(tree_[attribute].name)));
    }
    const EventId part = builder_.emit(Op::LoadAttribute, {value}, span(name), tree_[attribute].name);
    const NodeId bound = alias.valid() ? alias : attribute;
    store_name(tree_[bound].name, part, span(bound));
  }
}

}  // namespace deadgrad::python
