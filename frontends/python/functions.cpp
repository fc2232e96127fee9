#include "frontends/python/lowering.h"

namespace deadgrad::python {

using ir::FunctionKind;
using ir::Span;

void Lowering::run() {
  const auto size = static_cast<std::uint32_t>(tree_.text().size());
  builder_.open_function(FunctionKind::ModuleBody, "<module>", "");
  current_function().span = current_function().body = Span{0, size};
  block(NodeId{0});
  builder_.finish();
}

std::string Lowering::qualify(std::string_view name) const {
  const ir::Function& around = module_.functions[builder_.current().index];
  std::string qualified(module_.text(around.qualified));
  if (around.kind == FunctionKind::ClassBody) qualified += '.';
  if (around.kind == FunctionKind::Function || around.kind == FunctionKind::Lambda) qualified += ".<locals>.";
  qualified += name;
  return qualified;
}

// From `def`, `async def`, `class` or `lambda` to the colon.
Span Lowering::header_span(NodeId node) const {
  Span header{tree_[node].begin, tree_[node].begin};
  for (NodeId part : tree_.children(node)) {
    if (tree_[part].field == Field::Body) break;
    header.end = tree_[part].end;
  }
  return header;
}

void Lowering::definition(NodeId node) {
  Definition what{node, node};
  if (kind(node) == Kind::DecoratedDefinition) {
    what.node = child(node, Field::Definition);
    if (!what.node.valid()) {
      unknown("decorators without a definition", node);
      return;
    }
  }
  if (kind(what.node) == Kind::ClassDefinition) {
    class_definition(what);
  } else {
    function_definition(what);
  }
}

Lowering::Events Lowering::decorators(NodeId outside) {
  Events operands;
  for (NodeId part : tree_.children(outside)) {
    if (kind(part) != Kind::Decorator) continue;
    operands.push_back(builder_.emit(Op::Decorator, {optional_expression(tree_.only_child(part))}, span(part)));
  }
  return operands;
}

// The last component of the name a decorator mentions: "setter" for `@x.setter`, "lru_cache" for
// `@functools.lru_cache(1)`.
static StrId last_name(const Tree& tree, NodeId expression) {
  while (expression.valid()) {
    switch (tree[expression].kind) {
      case Kind::Identifier:
        return tree[expression].name;
      case Kind::Attribute: {
        const NodeId name = tree.child(expression, Field::Attribute);
        return name.valid() ? tree[name].name : StrId{};
      }
      case Kind::Call:
        expression = tree.child(expression, Field::Function);
        break;
      default:
        return {};
    }
  }
  return {};
}

void Lowering::function_definition(const Definition& what) {
  Events operands = decorators(what.outside);
  const NodeId parameters = child(what.node, Field::Parameters);
  if (parameters.valid()) default_values(parameters, operands);

  const NodeId name = child(what.node, Field::Name);
  const std::string_view text = name.valid() ? module_.text(tree_[name].name) : std::string_view("?");
  const bool is_method = current_function().kind == FunctionKind::ClassBody;
  const ir::FunctionId id = builder_.open_function(FunctionKind::Function, text, qualify(text));
  ir::Function& function = current_function();
  function.span = span(what.outside);
  function.header = header_span(what.node);
  function.is_async = tree_.has(what.node, Kind::TokenAsync);
  function.is_constructor = is_method && text == "__init__";
  if (is_method) function.owner = context_.owner;
  for (NodeId part : tree_.children(what.outside)) {
    if (kind(part) != Kind::Decorator) continue;
    const std::string_view decorator = module_.text(last_name(tree_, tree_.only_child(part)));
    function.is_static |= decorator == "staticmethod";
    function.is_class_method |= decorator == "classmethod";
    function.is_property |=
        decorator == "property" || decorator == "cached_property" || decorator == "abstractproperty";
  }
  function_body(what.node);

  const EventId made = builder_.emit(Op::MakeFunction, operands, span(what.outside), {}, 0, id.index);
  if (name.valid()) store_name(tree_[name].name, made, span(name));
}

ir::EventId Lowering::lambda(NodeId node) {
  Events operands;
  const NodeId parameters = child(node, Field::Parameters);
  if (parameters.valid()) default_values(parameters, operands);
  const ir::FunctionId id = builder_.open_function(FunctionKind::Lambda, "<lambda>", qualify("<lambda>"));
  current_function().span = span(node);
  current_function().header = header_span(node);
  function_body(node);
  return builder_.emit(Op::MakeFunction, operands, span(node), {}, 0, id.index);
}

// Fills the open function and closes it.
void Lowering::function_body(NodeId definition) {
  const NodeId parameter_list = child(definition, Field::Parameters);
  const NodeId body = child(definition, Field::Body);
  const Context before = context_;
  const std::uint32_t end = current_function().header.end;
  current_function().body = body.valid() ? span(body) : Span{end, end};
  context_ = Context{.scope = body.valid() ? scopes_.of(body) : ScopeId{}};
  if (!context_.scope.valid()) context_.scope = before.scope;
  if (parameter_list.valid()) parameters(parameter_list);
  if (has_errors_) broken_parts(definition);
  if (body.valid() && kind(body) == Kind::Block) {
    block(body);
  } else if (body.valid()) {
    builder_.emit(Op::Return, {expression(body)}, span(body));
  }
  builder_.close_function();
  context_ = before;
}

// Evaluated where the definition stands, before the function exists.
void Lowering::default_values(NodeId parameters, Events& operands) {
  for (NodeId parameter : tree_.children(parameters)) {
    const NodeId value = child(parameter, Field::Value);
    if (!value.valid()) continue;
    const NodeId name = child(parameter, Field::Name);
    const StrId text = name.valid() && kind(name) == Kind::Identifier ? tree_[name].name : builder_.intern("");
    operands.push_back(builder_.emit(Op::Keyword, {expression(value)}, span(parameter), text));
  }
}

void Lowering::parameters(NodeId list) {
  ir::ParamKind kind_of_next = ir::ParamKind::Positional;
  std::uint32_t number = 0;
  for (NodeId node : tree_.children(list)) {
    if (kind(node) == Kind::KeywordSeparator) {
      kind_of_next = ir::ParamKind::KeywordOnly;
    } else if (kind(node) != Kind::PositionalSeparator && !tree_.is_token(node)) {
      parameter(node, kind_of_next, number++);
    }
  }
}

void Lowering::parameter(NodeId node, ir::ParamKind& kind_of_next, std::uint32_t number) {
  NodeId target = child(node, Field::Name);
  if (!target.valid()) target = kind(node) == Kind::TypedParameter ? tree_.only_child(node) : node;
  if (!target.valid()) target = node;
  ir::Parameter parameter;
  parameter.kind = kind_of_next;
  parameter.has_default = child(node, Field::Value).valid();
  parameter.span = span(node);
  if (kind(target) == Kind::ListSplatPattern) {
    parameter.kind = ir::ParamKind::VarArgs;
    kind_of_next = ir::ParamKind::KeywordOnly;
  } else if (kind(target) == Kind::DictionarySplatPattern) {
    parameter.kind = ir::ParamKind::VarKeywords;
  }
  const bool is_many = parameter.kind == ir::ParamKind::VarArgs || parameter.kind == ir::ParamKind::VarKeywords;
  if (const NodeId inner = is_many ? tree_.only_child(target) : NodeId{}; inner.valid()) target = inner;
  // A Python 2 parameter may be a pattern; it has no name then.
  const bool has_name = kind(target) == Kind::Identifier;
  parameter.name = has_name ? tree_[target].name : builder_.intern("");
  builder_.add_parameter(parameter);

  EventId value = builder_.emit(Op::Param, {}, span(target), parameter.name, ir::flag::Local, number);
  // The type of `*a: T` is that of its elements.
  if (const NodeId type = child(node, Field::Type); type.valid() && !is_many) {
    value = builder_.emit(Op::Typed, {value, annotation(type)}, span(node));
  }
  if (has_name || kind(target) == Kind::TuplePattern) store_target(target, value);
}

void Lowering::class_definition(const Definition& what) {
  const Events decorated = decorators(what.outside);
  Events operands;
  if (const NodeId bases = child(what.node, Field::Superclasses); bases.valid()) {
    for (NodeId base : tree_.children(bases)) argument(base, operands);
  }
  operands.insert(operands.end(), decorated.begin(), decorated.end());

  const NodeId name = child(what.node, Field::Name);
  const std::string_view text = name.valid() ? module_.text(tree_[name].name) : std::string_view("?");
  ir::Class made_class;
  made_class.span = span(what.outside);
  made_class.header = header_span(what.node);
  made_class.scope = builder_.current();
  const ir::ClassId id{static_cast<std::uint32_t>(module_.classes.size())};

  made_class.body = builder_.open_function(FunctionKind::ClassBody, text, qualify(text));
  ir::Function& function = current_function();
  function.span = made_class.span;
  function.header = made_class.header;
  made_class.name = function.name;
  made_class.qualified = function.qualified;
  module_.classes.push_back(made_class);

  const NodeId body = child(what.node, Field::Body);
  function.body = body.valid() ? span(body) : Span{made_class.header.end, made_class.header.end};
  const Context before = context_;
  context_ = Context{.scope = body.valid() ? scopes_.of(body) : ScopeId{}, .owner = id};
  if (!context_.scope.valid()) context_.scope = before.scope;
  if (has_errors_) broken_parts(what.node);
  if (body.valid()) block(body);
  builder_.close_function();
  context_ = before;

  const EventId made = builder_.emit(Op::MakeClass, operands, span(what.outside), {}, 0, id.index);
  if (name.valid()) store_name(tree_[name].name, made, span(name));
}

}  // namespace deadgrad::python
