#include "frontends/python/fix_edits.h"

#include <algorithm>

namespace deadgrad::python {

FixEditor::FixEditor(std::string_view source)
    : tree_(parse(source, module_)),
      is_sound_(module_.notices.empty()),
      layout_(tree_, source),
      names_(tree_, layout_, module_) {
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId id{i};
    switch (tree_[id].kind) {
      case Kind::Block:
      case Kind::Module:
        for (NodeId statement : tree_.children(id)) starts_.push_back(tree_[statement].begin);
        break;
      case Kind::ElifClause:
      case Kind::ElseClause:
      case Kind::ExceptClause:
      case Kind::FinallyClause:
      case Kind::CaseClause:
      case Kind::Decorator:
      case Kind::FunctionDefinition:
      case Kind::ClassDefinition:
        starts_.push_back(tree_[id].begin);
        break;
      default:
        break;
    }
  }
  std::ranges::sort(starts_);
}

// Sorted, with what is inserted at one place as one edit.
static TextEdits in_order(TextEdits edits) {
  std::ranges::stable_sort(edits, {}, &TextEdit::span);
  TextEdits result;
  for (TextEdit& edit : edits) {
    const bool same = !result.empty() && result.back().span == edit.span && edit.span.begin == edit.span.end;
    if (same)
      result.back().text += edit.text;
    else
      result.push_back(std::move(edit));
  }
  return result;
}

TextEdits FixEditor::edits_for(const FixRequest& fix) const {
  if (!is_sound_ || fix.where.span.end > tree_.text().size()) return {};
  TextEdits edits;
  switch (fix.kind) {
    case FixKind::GuardFunction:
      edits = guard_function(fix);
      break;
    case FixKind::GuardRegion:
      edits = guard_region(fix);
      break;
    case FixKind::NameGuard:
      edits = enter_guard(fix);
      break;
    case FixKind::EnterGuard:
      edits = call_guard(fix);
      if (edits.empty()) edits = enter_guard(fix);
      break;
    case FixKind::RemoveGuard:
      edits = remove_guard(fix);
      break;
    case FixKind::DetachValue:
      edits = detach_value(fix);
      break;
    case FixKind::DefineGuard:
    case FixKind::MoveGuard:
      break;
  }
  return in_order(std::move(edits));
}

static bool overlap(ir::Span a, ir::Span b) {
  return a.begin < b.end && b.begin < a.end;
}

// Decorators that compile what they decorate, which they can't through a wrapper.
static bool has_compiling_decorator(const Tree& tree, NodeId outside) {
  if (tree[outside].kind != Kind::DecoratedDefinition) return false;
  for (NodeId part : tree.children(outside)) {
    if (tree[part].kind != Kind::Decorator) continue;
    for (std::uint32_t i = part.index; i < tree[part].next; ++i)
      if (tree[NodeId{i}].kind == Kind::Identifier && tree.text(NodeId{i}).find("jit") != std::string_view::npos)
        return true;
  }
  return false;
}

TextEdits FixEditor::guard_function(const FixRequest& fix) const {
  NodeId function, outside;
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId id{i};
    if (tree_[id].kind == Kind::DecoratedDefinition && tree_.child(id, Field::Definition).valid()) outside = id;
    if (tree_[id].kind != Kind::FunctionDefinition || tree_[id].begin != fix.where.span.begin) continue;
    function = id;
    if (!outside.valid() || tree_.child(outside, Field::Definition) != id) outside = id;
    break;
  }
  if (!function.valid()) return {};
  const std::uint32_t begin = tree_[function].begin;
  if (tree_.has(function, Kind::TokenAsync) || has_compiling_decorator(tree_, outside))
    return guard_body(function, fix);
  // An import of torch in the function itself keeps it out of the module on purpose.
  const NodeId body = tree_.child(function, Field::Body);
  const bool imports_itself = body.valid() && names_.end_of_local_import(body) != 0;
  const auto spelling = names_.spell(fix.guard, begin, TorchNames::Use::Declared, !imports_itself);
  if (!spelling || !layout_.starts_line(begin)) return guard_body(function, fix);
  const std::uint32_t at = layout_.line_begin(begin);
  TextEdits edits;
  if (spelling->import) edits.push_back(*spelling->import);
  edits.push_back({{at, at}, std::string(layout_.indent_at(begin)) + "@" + spelling->guard + layout_.newline_at(at)});
  return edits;
}

// All statements behind the docstring and what imports torch.
TextEdits FixEditor::guard_body(NodeId function, const FixRequest& fix) const {
  const NodeId body = tree_.child(function, Field::Body);
  if (!body.valid() || tree_[body].kind != Kind::Block) return {};
  Run run = run_in(body);
  const std::uint32_t imported = names_.end_of_local_import(body);
  const bool is_docstring =
      tree_[run.all[0]].kind == Kind::ExpressionStatement && tree_[tree_.only_child(run.all[0])].kind == Kind::String;
  if (is_docstring) ++run.first;
  while (run.first < run.all.size() && tree_[run.all[run.first]].begin < imported) ++run.first;
  if (run.first >= run.all.size()) return {};
  FixRequest region = fix;
  region.where.span = {tree_[run.all[run.first]].begin, tree_[body].end};
  return guard_region(region);
}

TextEdits FixEditor::guard_region(const FixRequest& fix) const {
  const std::optional<Run> run = run_around(fix.where.span);
  if (!run || is_held_back(*run, fix.where.span, fix)) return {};
  const auto spelling = names_.spell(fix.guard, tree_[run->all[run->first]].begin, TorchNames::Use::Run);
  if (!spelling) return {};
  auto edits = wrap(*run, "with " + spelling->guard);
  if (!edits) return {};
  if (spelling->import) edits->insert(edits->begin(), *spelling->import);
  return *edits;
}

TextEdits FixEditor::detach_value(const FixRequest& fix) const {
  const std::uint32_t begin = fix.where.span.begin, end = fix.where.span.end;
  for (std::uint32_t i = 1; i < tree_.size(); ++i) {
    const NodeId id{i};
    if (tree_.span(id) != fix.where.span || tree_.is_token(id)) continue;
    switch (tree_[id].kind) {
      case Kind::Identifier:
      case Kind::Attribute:
      case Kind::Call:
      case Kind::Subscript:
      case Kind::ParenthesizedExpression:
        return {{{end, end}, ".detach()"}};
      case Kind::BinaryOperator:
      case Kind::UnaryOperator:
        return {{{begin, begin}, "("}, {{end, end}, ").detach()"}};
      default:
        break;
    }
  }
  return {};
}

// `with torch.no_grad:` is called where it stands.
TextEdits FixEditor::call_guard(const FixRequest& fix) const {
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId id{i};
    if (tree_[id].kind != Kind::WithItem || tree_.span(id) != fix.where.span) continue;
    const std::uint32_t at = tree_[id].end;
    return {{{at, at}, "()"}};
  }
  return {};
}

// A guard that is made as a statement becomes a `with` around what follows, up to the last forward that it is meant
// for.
TextEdits FixEditor::enter_guard(const FixRequest& fix) const {
  std::optional<Run> run = run_around(fix.where.span);
  if (!run || run->first != run->last || fix.until == 0) return {};
  const NodeId statement = run->all[run->first];
  const NodeId value = tree_.only_child(statement);
  if (tree_[statement].kind != Kind::ExpressionStatement || !value.valid() || tree_.span(value) != fix.where.span)
    return {};
  // `guard().__enter__()`
  std::string_view guard = tree_.text(value);
  if (const NodeId callee = tree_.child(value, Field::Function);
      callee.valid() && tree_[callee].kind == Kind::Attribute) {
    const NodeId name = tree_.child(callee, Field::Attribute), object = tree_.child(callee, Field::Object);
    if (name.valid() && object.valid() && tree_.text(name) == "__enter__") guard = tree_.text(object);
  }
  if (++run->first >= run->all.size() || tree_[run->all[run->first]].begin >= fix.until) return {};
  while (run->last + 1 < run->all.size() && tree_[run->all[run->last + 1]].begin < fix.until) ++run->last;
  const NodeId next = run->all[run->first];
  if (!layout_.starts_line(tree_[statement].begin) || !layout_.starts_line(tree_[next].begin)) return {};
  if (is_held_back(*run, {fix.where.span.begin, fix.until}, fix)) return {};
  TextEdits edits{{fix.where.span, "with " + std::string(guard) + ":"}};
  const ir::Span lines{layout_.next_line(tree_[statement].end), tree_[run->all[run->last]].end};
  if (!shift_in(lines, layout_.indent_at(tree_[next].begin), layout_.step_of(run->block), edits)) return {};
  if (run->last + 1 < run->all.size() && !layout_.starts_line(tree_[run->all[run->last + 1]].begin)) return {};
  return edits;
}

NodeId FixEditor::innermost_block(ir::Span span) const {
  NodeId found;
  for (std::uint32_t i = 0; i < tree_.size();) {
    const NodeId id{i};
    const Node& node = tree_[id];
    if (i > 0 && (node.end <= span.begin || node.begin > span.begin)) {
      i = node.next;
      continue;
    }
    if (node.kind == Kind::Module || (node.kind == Kind::Block && node.begin <= span.begin && span.end <= node.end))
      found = id;
    ++i;
  }
  return found;
}

FixEditor::Run FixEditor::run_in(NodeId block) const {
  Run run{block, {}, 0, 0};
  for (NodeId statement : tree_.children(block))
    if (!tree_.is_token(statement)) run.all.push_back(statement);
  if (!run.all.empty()) run.last = run.all.size() - 1;
  return run;
}

// The statements of the innermost block around the span that hold all of it.
std::optional<FixEditor::Run> FixEditor::run_around(ir::Span span) const {
  const NodeId block = innermost_block(span);
  if (!block.valid() || span.begin >= span.end) return std::nullopt;
  Run run = run_in(block);
  const auto touches = [&](NodeId statement) { return overlap(tree_.span(statement), span); };
  const auto first = std::ranges::find_if(run.all, touches);
  if (first == run.all.end()) return std::nullopt;
  auto last = first;
  while (std::next(last) != run.all.end() && touches(*std::next(last))) ++last;
  if (tree_[*first].begin > span.begin || tree_[*last].end < span.end) return std::nullopt;
  run.first = static_cast<std::size_t>(first - run.all.begin());
  run.last = static_cast<std::size_t>(last - run.all.begin());
  return run;
}

// `await` and `yield` hand the thread, and its grad mode, to other code.
bool FixEditor::suspends(NodeId statement) const {
  for (std::uint32_t i = statement.index; i < tree_[statement].next;) {
    const NodeId id{i};
    const Kind kind = tree_[id].kind;
    if (kind == Kind::FunctionDefinition || kind == Kind::Lambda) {
      i = tree_[id].next;
      continue;
    }
    if (kind == Kind::Await || kind == Kind::Yield || kind == Kind::TokenAsync) return true;
    ++i;
  }
  return false;
}

// A lambda or a generator runs later, unless a call takes the generator's elements at once.
bool FixEditor::defers(NodeId node) const {
  if (tree_[node].kind != Kind::GeneratorExpression) return tree_[node].kind == Kind::Lambda;
  if (tree_[node].field != Field::Arguments) return true;
  constexpr std::string_view kTakers[] = {"all", "any", "dict", "list", "max", "min", "set", "sorted", "sum", "tuple"};
  const NodeId callee{node.index - 1};
  return tree_[callee].field != Field::Function || std::ranges::find(kTakers, tree_.text(callee)) == std::end(kTakers);
}

bool FixEditor::is_held_back(const Run& run, ir::Span span, const FixRequest& fix) const {
  const ir::Span covered{tree_[run.all[run.first]].begin, tree_[run.all[run.last]].end};
  if (std::ranges::any_of(fix.keep_out, [&](ir::Span needed) { return overlap(needed, covered); })) return true;
  for (std::size_t k = run.first; k <= run.last; ++k) {
    if (suspends(run.all[k])) return true;
    for (std::uint32_t i = run.all[k].index; i < tree_[run.all[k]].next; ++i) {
      const Node& node = tree_[NodeId{i}];
      if (node.begin <= span.begin && span.end <= node.end && defers(NodeId{i})) return true;
    }
  }
  return false;
}

}  // namespace deadgrad::python
