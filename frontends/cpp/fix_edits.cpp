#include "frontends/cpp/fix_edits.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cpp/fix_text.h"
#include "frontends/cpp/tokens.h"

namespace deadgrad::cpp {

class FixEditor {
 public:
  FixEditor(const FixRequest& fix, std::string_view source) : fix_(fix), tokens_(source) {}

  TextEdits run() const;

 private:
  // Consecutive statements of a block, or one that stands without braces.
  struct Run {
    TokenNo block = kNoToken;
    std::vector<Statement> all;       // the block's statements
    std::size_t first = 0, last = 0;  // of the run
    Statement front, back;
    bool has_braces = true;
  };

  TextEdits guard_function() const;
  TextEdits guard_region() const;
  TextEdits name_guard() const;
  TextEdits define_guard() const;
  bool names_torch_guard(const Statement& statement) const;
  TextEdits remove_guard() const;
  TextEdits detach_value() const;

  std::optional<Run> run_around(ir::Span span) const;
  bool is_held_back(ir::Span covered) const;
  bool can_declare_in(const Run& run) const;
  bool leaves_names_behind(const Run& run) const;
  std::string step_around(TokenNo block) const;
  std::string guard_declaration(TokenNo first, TokenNo last) const;
  std::string unused_name(TokenNo first, TokenNo last) const;
  TokenNo function_start(TokenNo block) const;
  TextEdits put_in_front(const Run& run, const std::string& guard) const;
  TextEdits put_in_braces(const Run& run, const std::string& guard) const;

  const FixRequest& fix_;
  const Tokens tokens_;
};

TextEdits fix_edits(const FixRequest& fix, std::string_view source) {
  if (fix.where.span.end > source.size()) return {};
  TextEdits edits = FixEditor(fix, source).run();
  std::ranges::sort(edits);
  return edits;
}

TextEdits FixEditor::run() const {
  if (!tokens_.are_balanced()) return {};
  switch (fix_.kind) {
    case FixKind::GuardFunction:
      return guard_function();
    case FixKind::GuardRegion:
      return guard_region();
    case FixKind::NameGuard:
      return name_guard();
    case FixKind::DefineGuard:
      return define_guard();
    case FixKind::RemoveGuard:
      return remove_guard();
    case FixKind::DetachValue:
      return detach_value();
    case FixKind::EnterGuard:
    case FixKind::MoveGuard:
      break;
  }
  return {};
}

std::string FixEditor::unused_name(TokenNo first, TokenNo last) const {
  const auto is_used = [&](std::string_view name) {
    for (TokenNo token = first; token <= last && token < tokens_.size(); ++token)
      if (tokens_.is(token, name)) return true;
    return false;
  };
  const std::string kind = fix_.guard == FixGuard::InferenceMode ? "inference" : "no_grad";
  for (const std::string& name : {std::string("guard"), kind, kind + "_guard"})
    if (!is_used(name)) return name;
  for (int number = 2;; ++number)
    if (const std::string name = "guard" + std::to_string(number); !is_used(name)) return name;
}

std::string FixEditor::guard_declaration(TokenNo first, TokenNo last) const {
  const std::string type = fix_.guard == FixGuard::InferenceMode ? "c10::InferenceMode" : "torch::NoGradGuard";
  return type + " " + unused_name(first, last) + ";";
}

// By how much the lines of a block stand inside its brace's.
std::string FixEditor::step_around(TokenNo block) const {
  const std::string_view outer = tokens_.indent_at(tokens_[block].begin);
  for (TokenNo token = block + 1; token < tokens_.match(block); ++token) {
    if (tokens_[token].kind == Token::Kind::Directive || !tokens_.starts_line(token)) continue;
    const std::string_view inner = tokens_.indent_at(tokens_[token].begin);
    if (inner.starts_with(outer) && inner.size() > outer.size()) return std::string(inner.substr(outer.size()));
  }
  return outer.starts_with('\t') ? "\t" : "  ";
}

// The guard becomes the first statement of the body, whose brace follows the header.
TextEdits FixEditor::guard_function() const {
  TokenNo brace = tokens_.at(fix_.where.span.end);
  if (brace >= tokens_.size() || tokens_[brace].begin != fix_.where.span.end) return {};
  if (tokens_.is(brace, "try")) ++brace;
  if (!tokens_.is(brace, "{")) return {};
  const TokenNo close = tokens_.match(brace);
  for (TokenNo token = brace; token < close; ++token)
    if (tokens_.text(token).starts_with("co_")) return {};
  const std::string guard = guard_declaration(tokens_.at(fix_.where.span.begin), close);
  const std::uint32_t behind = tokens_[brace].end;
  if (!tokens_.ends_line(brace)) return {{{behind, behind}, " " + guard}};
  const std::uint32_t line = tokens_.line_end(behind);
  const std::string indent = std::string(tokens_.indent_at(behind)) + step_around(brace);
  return {{{line, line}, std::string(tokens_.newline_at(behind)) + indent + guard}};
}

// The statements of the innermost block around the span, or the one without braces, that hold all of it.
std::optional<FixEditor::Run> FixEditor::run_around(ir::Span span) const {
  Run run;
  run.block = tokens_.block_around(span);
  if (run.block == kNoToken || span.begin >= span.end) return std::nullopt;
  run.all = tokens_.statements_in(run.block);
  const auto touches = [&](const Statement& statement) {
    const ir::Span own = tokens_.span(statement);
    return own.begin < span.end && span.begin < own.end;
  };
  const auto first = std::ranges::find_if(run.all, touches);
  if (first == run.all.end()) return std::nullopt;
  auto last = first;
  while (std::next(last) != run.all.end() && touches(*std::next(last))) ++last;
  run.first = static_cast<std::size_t>(first - run.all.begin());
  run.last = static_cast<std::size_t>(last - run.all.begin());
  run.front = *first;
  run.back = *last;
  if (tokens_.span(*first).begin > span.begin || tokens_.span(*last).end < span.end) return std::nullopt;
  if (first == last) {
    run.front = run.back = tokens_.without_braces(*first, span);
    run.has_braces = run.front.first == first->first;
  }
  for (TokenNo token = run.front.first; token <= run.back.last; ++token) {
    if (tokens_[token].kind == Token::Kind::Directive || tokens_.text(token).starts_with("co_")) return std::nullopt;
  }
  // A pragma is about the statement that follows it.
  if (run.front.first > 0 && tokens_[run.front.first - 1].kind == Token::Kind::Directive) return std::nullopt;
  return run;
}

bool FixEditor::is_held_back(ir::Span covered) const {
  return std::ranges::any_of(fix_.keep_out,
                             [&](ir::Span needed) { return needed.begin < covered.end && covered.begin < needed.end; });
}

// Where a declaration can stand that holds to the end of the block: no jump may pass it.
bool FixEditor::can_declare_in(const Run& run) const {
  if (!run.has_braces || tokens_.is_switch(run.block)) return false;
  for (std::size_t k = run.last; k < run.all.size(); ++k)
    if (run.all[k].is_label) return false;
  for (TokenNo token = run.front.first; token < tokens_.match(run.block); ++token)
    if (tokens_[token].kind == Token::Kind::Directive || tokens_.text(token).starts_with("co_")) return false;
  return !is_held_back({tokens_[run.front.first].begin, tokens_[tokens_.match(run.block)].begin});
}

// Does the rest of the block use what the run may declare: names that stand behind another name, a `*`, `&` or `>`?
bool FixEditor::leaves_names_behind(const Run& run) const {
  for (TokenNo token = run.front.first + 1; token <= run.back.last; ++token) {
    if (tokens_[token].kind != Token::Kind::Word) continue;
    const std::string_view before = tokens_.text(token - 1);
    const bool may_declare = tokens_[token - 1].kind == Token::Kind::Word || before == "*" || before == "&" ||
                             before == ">" || before == "," || before == "[";
    if (!may_declare) continue;
    for (TokenNo later = run.back.last + 1; later < tokens_.match(run.block); ++later)
      if (tokens_.text(later) == tokens_.text(token)) return true;
  }
  return false;
}

TokenNo FixEditor::function_start(TokenNo block) const {
  TokenNo start = block;
  for (TokenNo token = block; token-- > 0;)
    if (tokens_.is(token, "{") && tokens_.match(token) > block) start = token;
  return start;
}

TextEdits FixEditor::guard_region() const {
  const std::optional<Run> run = run_around(fix_.where.span);
  if (!run || is_held_back({tokens_[run->front.first].begin, tokens_[run->back.last].end})) return {};
  const TokenNo outermost = function_start(run->block);
  const std::string guard = guard_declaration(outermost, tokens_.match(outermost));
  const bool ends_block = run->has_braces && run->last + 1 == run->all.size();
  // Inference mode for longer than needed could reach what is trained on.
  if (can_declare_in(*run) && (ends_block || fix_.guard == FixGuard::NoGrad)) return put_in_front(*run, guard);
  if (run->has_braces && leaves_names_behind(*run)) return {};
  return put_in_braces(*run, guard);
}

TextEdits FixEditor::put_in_front(const Run& run, const std::string& guard) const {
  const std::uint32_t begin = tokens_[run.front.first].begin;
  if (!tokens_.starts_line(run.front.first)) return {{{begin, begin}, guard + " "}};
  return {{{begin, begin}, guard + std::string(tokens_.newline_at(begin)) + std::string(tokens_.indent_at(begin))}};
}

TextEdits FixEditor::put_in_braces(const Run& run, const std::string& guard) const {
  const std::uint32_t begin = tokens_[run.front.first].begin, end = tokens_[run.back.last].end;
  if (!tokens_.starts_line(run.front.first) || !tokens_.ends_line(run.back.last))
    return {{{begin, begin}, "{ " + guard + " "}, {{end, end}, " }"}};
  const std::string line_start = std::string(tokens_.newline_at(begin)) + std::string(tokens_.indent_at(begin));
  const std::string step = step_around(run.block);
  const std::uint32_t last = tokens_.line_end(end);
  TextEdits edits{{{begin, begin}, "{" + line_start + step + guard + line_start + step}};
  for (std::uint32_t line = tokens_.next_line(begin); line < end; line = tokens_.next_line(line)) {
    const TokenNo token = tokens_.at(line);
    const bool in_token = token < tokens_.size() && tokens_[token].begin < line;  // a raw string
    const bool is_blank = tokens_.line_begin(line) + tokens_.indent_at(line).size() == tokens_.line_end(line);
    if (!in_token && !is_blank && !tokens_.in_comment(line)) edits.push_back({{line, line}, step});
  }
  edits.push_back({{last, last}, line_start + "}"});
  return edits;
}

TextEdits FixEditor::name_guard() const {
  const std::optional<Run> run = run_around(fix_.where.span);
  if (!run || fix_.until == 0 || run->first != run->last || !can_declare_in(*run)) return {};
  const bool is_whole = tokens_[run->front.first].begin == fix_.where.span.begin &&
                        tokens_[run->front.last].begin == fix_.where.span.end && tokens_.is(run->front.last, ";");
  if (!is_whole) return {};
  const TokenNo outermost = function_start(run->block);
  const std::string name = unused_name(outermost, tokens_.match(outermost));
  const std::string_view made =
      tokens_.source().substr(fix_.where.span.begin, fix_.where.span.end - fix_.where.span.begin);
  const std::string named = with_a_name(made, name);
  return {{fix_.where.span, named.empty() ? "auto " + name + " = " + std::string(made) : named}};
}

// `Guard g();`
TextEdits FixEditor::define_guard() const {
  const std::optional<Run> run = run_around(fix_.where.span);
  if (!run || fix_.until == 0 || run->first != run->last || !can_declare_in(*run)) return {};
  const TokenNo last = run->front.last;
  if (last < 3 || !tokens_.is(last, ";") || !tokens_.is(last - 1, ")") || !tokens_.is(last - 2, "(")) return {};
  return {{{tokens_[last - 2].begin, tokens_[last - 1].end}, ""}};
}

TextEdits FixEditor::detach_value() const {
  const auto [begin, end] = fix_.where.span;
  const TokenNo first = tokens_.at(begin);
  if (first >= tokens_.size() || tokens_[first].begin != begin) return {};
  // Names, members, calls and elements bind closer than what follows them.
  bool is_primary = true;
  TokenNo token = first;
  for (; token < tokens_.size() && tokens_[token].end <= end; ++token) {
    const std::string_view text = tokens_.text(token);
    if (tokens_[token].kind == Token::Kind::Directive || text == "{") return {};
    is_primary &= tokens_[token].kind == Token::Kind::Word || text == "." || text == "->" || text == "::" ||
                  text == "(" || text == "[";
    if (tokens_.match(token) != kNoToken) token = tokens_.match(token);
  }
  if (tokens_[token - 1].end != end) return {};
  if (is_primary) return {{{end, end}, ".detach()"}};
  return {{{begin, begin}, "("}, {{end, end}, ").detach()"}};
}

// A guard of LibTorch's own does nothing else; what the project made may.
bool FixEditor::names_torch_guard(const Statement& statement) const {
  constexpr std::string_view kGuards[] = {"NoGradGuard", "InferenceMode", "AutoGradMode", "GradMode"};
  for (TokenNo token = statement.first; token <= statement.last; ++token)
    if (std::ranges::find(kGuards, tokens_.text(token)) != std::end(kGuards)) return true;
  return false;
}

// The declaration of one object that nothing names, or a call that is a statement.
TextEdits FixEditor::remove_guard() const {
  const std::uint32_t begin = fix_.where.span.begin;
  const std::optional<Run> run = run_around({begin, begin + 1});
  if (!run || !run->has_braces || run->first != run->last) return {};
  const auto [first, last, is_label] = run->front;
  if (!tokens_.is(last, ";")) return {};
  TokenNo name = last;  // of the object: the last word outside brackets
  for (TokenNo token = first; token < last; ++token) {
    if (tokens_.is(token, "=") || tokens_.is(token, ",")) return {};
    if (tokens_[token].kind == Token::Kind::Word) name = token;
    if (tokens_.match(token) != kNoToken) token = tokens_.match(token);
  }
  const bool is_declaration =
      name > first && (tokens_[name - 1].kind == Token::Kind::Word || tokens_.is(name - 1, ">"));
  const bool is_call = tokens_[first].begin == begin && tokens_[last].begin == fix_.where.span.end;
  if ((!is_declaration && !is_call) || !names_torch_guard(run->front)) return {};
  for (TokenNo token = last; is_declaration && token < tokens_.match(run->block); ++token)
    if (tokens_.text(token) == tokens_.text(name)) return {};
  const ir::Span own = tokens_.span(run->front);
  std::uint32_t behind = own.end;
  while (behind < tokens_.line_end(own.end) && (tokens_.source()[behind] == ' ' || tokens_.source()[behind] == '\t'))
    ++behind;
  if (tokens_.starts_line(first) && behind == tokens_.line_end(own.end))
    return {{{tokens_.line_begin(own.begin), tokens_.next_line(own.end)}, ""}};
  return {{{own.begin, behind}, ""}};
}

}  // namespace deadgrad::cpp
