// Two steps: lines become drafts with references by name, then the drafts of one module are ordered, resolved, laid out
// as Builder would lay them out, and verified.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "analyzer/ir/op_table.h"
#include "analyzer/ir/text.h"
#include "analyzer/ir/text_names.h"
#include "analyzer/ir/verify.h"

namespace deadgrad::ir {

namespace {

// ---- tokens

enum class TokenKind : std::uint8_t { End, Word, String, Label, SpanToken, Punctuation };
struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  // unescaped; a label without its '%'
  Span span;         // of a SpanToken
  bool is(std::string_view punctuation) const { return kind == TokenKind::Punctuation && text == punctuation; }
  bool is_word(std::string_view word) const { return kind == TokenKind::Word && text == word; }
  bool is_name() const { return kind == TokenKind::Word || kind == TokenKind::String; }
};

// ---- drafts

// A function or class by qualified name or number; neither for "none" and for the module body.
struct Reference {
  enum class Kind : std::uint8_t { Name, Number, ModuleBody, None } kind = Kind::None;
  std::string name;
  std::uint32_t number = 0;
};

struct EventDraft {
  Event event;  // targets of brackets are numbers within the function
  std::vector<std::uint32_t> operands;
  std::optional<Reference> reference;
  std::uint32_t line = 0;
  bool has_span = false;
};

struct FunctionDraft {
  FunctionKind kind = FunctionKind::Function;
  std::string qualified;
  std::optional<std::string> name;
  std::optional<Reference> parent, owner, scope;
  bool is_async = false, is_generator = false, is_static = false, is_class_method = false, is_property = false;
  bool is_constructor = false, is_pattern = false, no_params = false;
  std::optional<std::string> symbol, owner_symbol;
  std::optional<std::uint32_t> class_number;
  std::optional<Span> span, header, body, class_span, class_header;
  std::vector<Parameter> parameters;
  std::vector<std::optional<Span>> parameter_spans;
  std::vector<EventDraft> events;
  std::uint32_t line = 0, end_line = 0;
  // Only while its lines are read:
  std::map<std::string, std::uint32_t, std::less<>> labels;
  std::set<std::string, std::less<>> locals;  // parameters and names stored as local so far
  std::vector<std::uint32_t> open;
};

struct ModuleDraft {
  Module module;
  std::vector<FunctionDraft> functions;
  bool has_lines = false;
};

// Indexed by line number; line 0 does not exist.
struct LineTable {
  std::vector<std::uint32_t> begin, end;
};

bool to_number(std::string_view text, std::uint32_t& number) {
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_label_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// An unquoted operand that is a constant.
std::optional<std::uint8_t> literal_kind(std::string_view word) {
  if (word == "none") return flag::None;
  if (word == "true") return flag::True;
  if (word == "false") return flag::False;
  if (word == "ellipsis") return flag::Ellipsis;
  const std::size_t first_digit = word.starts_with('-') ? 1 : 0;
  if (first_digit >= word.size() || !is_digit(word[first_digit])) return std::nullopt;
  return word.find_first_of(".eE") == std::string_view::npos || word.starts_with("0x") ? flag::Int : flag::Float;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Module>> run(bool module_line_needed) {
    split_lines();
    std::vector<ModuleDraft> drafts;
    for (line_ = 1; line_ < lines_.begin.size(); ++line_) {
      if (!tokenize()) return error();
      if (peek().kind == TokenKind::End) continue;
      if (!in_function_ && peek().is_word("module")) {
        drafts.emplace_back();
        draft_ = &drafts.back();
        if (!parse_module_line()) return error();
        continue;
      }
      if (drafts.empty()) {
        if (module_line_needed) return fail("a `module` line must come first"), error();
        drafts.emplace_back();
        draft_ = &drafts.back();
        draft_->module.path = "test.py";
        draft_->module.name = "test";
      }
      if (!parse_line()) return error();
    }
    if (in_function_) {
      line_ = function().line;
      return fail("this " + std::string(function().kind == FunctionKind::ClassBody ? "class" : "function") +
                  " has no `end`"),
             error();
    }
    if (drafts.empty()) {
      line_ = 1;
      return fail("there is no module"), error();
    }
    std::vector<Module> modules;
    for (ModuleDraft& draft : drafts) {
      draft_ = &draft;
      if (!finish_module()) return error();
      modules.push_back(std::move(draft.module));
    }
    return modules;
  }

 private:
  // ---- errors

  // Always false, so that a parse step can return it.
  bool fail(std::string message) {
    if (error_.empty()) error_ = "line " + std::to_string(line_) + ": " + message;
    return false;
  }
  Error error() const { return Error{error_}; }

  // ---- lines and tokens

  void split_lines() {
    lines_.begin = lines_.end = {0};
    std::size_t begin = 0;
    while (true) {
      const std::size_t newline = text_.find('\n', begin);
      const bool last = newline == std::string_view::npos;
      if (last && begin == text_.size() && begin > 0) break;
      std::size_t end = last ? text_.size() : newline;
      lines_.begin.push_back(static_cast<std::uint32_t>(begin));
      if (end > begin && text_[end - 1] == '\r') --end;
      lines_.end.push_back(static_cast<std::uint32_t>(end));
      if (last) break;
      begin = newline + 1;
    }
  }

  bool tokenize() {
    tokens_.clear();
    next_ = 0;
    const std::string_view line = text_.substr(lines_.begin[line_], lines_.end[line_] - lines_.begin[line_]);
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (c == ';') break;
      if (c == ' ' || c == '\t') {
        ++i;
      } else if (c == '"') {
        if (!read_string(line, i)) return false;
      } else if (c == '%') {
        const std::size_t begin = ++i;
        while (i < line.size() && is_label_char(line[i])) ++i;
        if (i == begin) return fail("`%` without a name; write the operator as \"%\"");
        tokens_.push_back({TokenKind::Label, std::string(line.substr(begin, i - begin)), {}});
      } else if (c == '[' && read_span(line, i)) {
      } else if (std::string_view("()[],=@").find(c) != std::string_view::npos ||
                 (c == '.' && follows_operand(line, i))) {
        tokens_.push_back({TokenKind::Punctuation, std::string(1, c), {}});
        ++i;
      } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f || c == '\\') {
        return fail("unexpected character; names like this are quoted");
      } else {
        const std::size_t begin = i;
        while (i < line.size() && line[i] > 0x20 && line[i] < 0x7f &&
               std::string_view("()[],=\"%;@\\").find(line[i]) == std::string_view::npos) {
          ++i;
        }
        tokens_.push_back({TokenKind::Word, std::string(line.substr(begin, i - begin)), {}});
      }
    }
    return true;
  }

  // A dot right behind a label, `)` or `]` starts an attribute.
  bool follows_operand(std::string_view line, std::size_t i) const {
    if (i == 0 || tokens_.empty() || line[i - 1] == ' ' || line[i - 1] == '\t') return false;
    const Token& before = tokens_.back();
    return before.kind == TokenKind::Label || before.is(")") || before.is("]");
  }

  bool read_string(std::string_view line, std::size_t& i) {
    std::string value;
    for (++i; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] != '\\') {
        value += line[i];
        continue;
      }
      const char escape = ++i < line.size() ? line[i] : '\0';
      if (escape == 'n')
        value += '\n';
      else if (escape == 't')
        value += '\t';
      else if (escape == 'r')
        value += '\r';
      else if (escape == '"' || escape == '\\')
        value += escape;
      else if (escape == 'x' && i + 2 < line.size() && hex_digit(line[i + 1]) >= 0 && hex_digit(line[i + 2]) >= 0) {
        value += static_cast<char>(hex_digit(line[i + 1]) * 16 + hex_digit(line[i + 2]));
        i += 2;
      } else {
        return fail("unknown escape in a string");
      }
    }
    if (i >= line.size()) return fail("a string does not end on its line");
    ++i;
    tokens_.push_back({TokenKind::String, std::move(value), {}});
    return true;
  }

  // `[12..40]`; anything else that starts with a bracket is left alone.
  bool read_span(std::string_view line, std::size_t& i) {
    const std::size_t close = line.find(']', i);
    const std::size_t dots = line.find("..", i);
    if (close == std::string_view::npos || dots == std::string_view::npos || dots > close) return false;
    Span span;
    if (!to_number(line.substr(i + 1, dots - i - 1), span.begin)) return false;
    if (!to_number(line.substr(dots + 2, close - dots - 2), span.end)) return false;
    tokens_.push_back({TokenKind::SpanToken, "", span});
    i = close + 1;
    return true;
  }

  const Token& peek(std::size_t ahead = 0) const {
    static const Token kEnd;
    return next_ + ahead < tokens_.size() ? tokens_[next_ + ahead] : kEnd;
  }
  Token take() {
    Token token = peek();
    ++next_;
    return token;
  }
  bool take_if(std::string_view punctuation) {
    if (!peek().is(punctuation)) return false;
    ++next_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!peek().is_word(word)) return false;
    ++next_;
    return true;
  }
  static std::string shown(const Token& token) {
    switch (token.kind) {
      case TokenKind::End:
        return "the end of the line";
      case TokenKind::Label:
        return "`%" + token.text + "`";
      case TokenKind::SpanToken:
        return "a span";
      default:
        return "`" + token.text + "`";
    }
  }
  bool expect(std::string_view punctuation) {
    if (take_if(punctuation)) return true;
    return fail("expected `" + std::string(punctuation) + "` before " + shown(peek()));
  }
  bool expect_end() {
    if (peek().kind == TokenKind::End) return true;
    return fail("unexpected " + shown(peek()));
  }
  bool take_name(std::string& name) {
    if (!peek().is_name()) return fail("expected a name before " + shown(peek()));
    name = take().text;
    return true;
  }
  bool take_number(std::uint32_t& number) {
    if (peek().kind != TokenKind::Word || !to_number(peek().text, number)) {
      return fail("expected a number before " + shown(peek()));
    }
    take();
    return true;
  }
  bool take_span(std::optional<Span>& span) {
    if (peek().kind != TokenKind::SpanToken) return fail("expected a span such as [12..40] before " + shown(peek()));
    span = take().span;
    if (span->begin > span->end) return fail("a span ends before it begins");
    return true;
  }
  // The '@' is required where the reference follows an op, optional behind a keyword.
  bool take_reference(Reference& reference) {
    take_if("@");
    if (!peek().is_name()) return fail("expected `@` and a function or class before " + shown(peek()));
    const Token token = take();
    if (token.is_word("<module>")) {
      reference.kind = Reference::Kind::ModuleBody;
    } else if (token.kind == TokenKind::Word && to_number(token.text, reference.number)) {
      reference.kind = Reference::Kind::Number;
    } else {
      reference.kind = Reference::Kind::Name;
      reference.name = token.text;
    }
    return true;
  }

  // ---- outside of functions

  static std::string name_from_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t dot = path.rfind('.');
    if (dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash)) path = path.substr(0, dot);
    std::string name(path);
    std::ranges::replace(name, '/', '.');
    if (name.ends_with(".__init__")) name.resize(name.size() - std::string_view(".__init__").size());
    return name;
  }

  bool parse_module_line() {
    take();
    Module& module = draft_->module;
    if (!take_name(module.path)) return false;
    module.name = name_from_path(module.path);
    bool has_name = false;
    for (std::string_view ending : {".cpp", ".cc", ".cxx", ".cu", ".h", ".hpp"}) {
      if (module.path.ends_with(ending)) module.language = Language::Cpp;
    }
    while (peek().kind != TokenKind::End) {
      if (take_word("name")) {
        if (!take_name(module.name)) return false;
        has_name = true;
      } else if (take_word("python")) {
        module.language = Language::Python;
      } else if (take_word("cpp")) {
        module.language = Language::Cpp;
      } else if (take_word("unit")) {
        if (!take_name(module.unit)) return false;
      } else if (take_word("package")) {
        module.is_package = true;
      } else if (take_word("imports-test-framework")) {
        module.imports_test_framework = true;
      } else {
        return fail("unexpected " + shown(peek()) + " in a module line");
      }
    }
    if (!has_name && module.path.ends_with("__init__.py")) module.is_package = true;
    return true;
  }

  bool parse_line() {
    if (in_function_) return parse_event_line();
    if (take_word("lines")) {
      draft_->has_lines = true;
      while (peek().kind != TokenKind::End) {
        std::uint32_t start = 0;
        if (!take_number(start)) return false;
        draft_->module.line_starts.push_back(start);
      }
      return true;
    }
    if (take_word("notice")) {
      Notice notice{line_span(), {}};
      if (!take_name(notice.text)) return false;
      if (peek().kind != TokenKind::End) {
        std::optional<Span> span;
        if (!take_span(span)) return false;
        notice.span = *span;
      }
      draft_->module.notices.push_back(std::move(notice));
      return expect_end();
    }
    if (take_word("func")) return parse_head(FunctionKind::Function);
    if (take_word("lambda")) return parse_head(FunctionKind::Lambda);
    if (take_word("class")) return parse_head(FunctionKind::ClassBody);
    return fail("expected module, lines, notice, func, lambda or class before " + shown(peek()));
  }

  Span line_span() const { return Span{lines_.begin[line_], lines_.end[line_]}; }

  // ---- function heads

  FunctionDraft& function() { return draft_->functions.back(); }

  bool parse_head(FunctionKind kind) {
    draft_->functions.emplace_back();
    in_function_ = true;
    FunctionDraft& f = function();
    f.kind = kind;
    f.line = line_;
    if (kind == FunctionKind::Function && take_word("<module>")) {
      f.kind = FunctionKind::ModuleBody;
      f.name = "<module>";
    } else if (!take_name(f.qualified)) {
      return false;
    }
    if (peek().is("(")) {
      if (f.kind == FunctionKind::ClassBody) return fail("the bases of a class belong to its `class @…` event");
      if (f.kind == FunctionKind::ModuleBody) return fail("the module body has no parameters");
      if (!parse_parameters()) return false;
    }
    while (peek().kind != TokenKind::End) {
      if (!parse_attribute()) return false;
    }
    return true;
  }

  bool parse_parameters() {
    take();
    FunctionDraft& f = function();
    bool keyword_only = false;
    while (!take_if(")")) {
      if (!f.parameters.empty() || keyword_only) take_if(",");
      Token token = take();
      if (!token.is_name()) return fail("expected a parameter before " + shown(token));
      if (token.is_word("/")) {
        keyword_only = false;
        take_if(",");
        continue;
      }
      Parameter parameter;
      parameter.kind = keyword_only ? ParamKind::KeywordOnly : ParamKind::Positional;
      if (token.kind == TokenKind::Word && token.text.starts_with('*')) {
        const std::size_t stars = token.text.starts_with("**") ? 2 : 1;
        if (token.text.size() == 1 && (peek().is(",") || peek().is(")"))) {
          keyword_only = true;
          continue;
        }
        parameter.kind = stars == 2 ? ParamKind::VarKeywords : ParamKind::VarArgs;
        if (stars == 1) keyword_only = true;
        token.text = token.text.substr(stars);
        if (token.text.empty()) {  // the name is a token of its own when it is quoted
          if (!take_name(token.text)) return false;
        }
      }
      parameter.name = intern(token.text);
      f.locals.insert(token.text);
      if (take_if("=")) {
        take();  // the default's text is free: it is evaluated where the function is made
        parameter.has_default = true;
      }
      std::optional<Span> span;
      if (peek().kind == TokenKind::SpanToken && !take_span(span)) return false;
      f.parameters.push_back(parameter);
      f.parameter_spans.push_back(span);
    }
    return true;
  }

  bool parse_attribute() {
    FunctionDraft& f = function();
    if (peek().kind == TokenKind::SpanToken) return take_span(f.span);
    if (take_word("header")) return take_span(f.header);
    if (take_word("body")) return take_span(f.body);
    if (take_word("name")) return take_name(f.name.emplace());
    if (take_word("parent")) return take_reference(f.parent.emplace());
    if (take_word("method-of")) {
      f.owner.emplace();
      return take_word("none") || take_reference(*f.owner);
    }
    if (take_word("async")) return f.is_async = true;
    if (take_word("generator")) return f.is_generator = true;
    if (take_word("static")) return f.is_static = true;
    if (take_word("classmethod")) return f.is_class_method = true;
    if (take_word("property")) return f.is_property = true;
    if (take_word("constructor")) return f.is_constructor = true;
    if (take_word("pattern")) return f.is_pattern = true;
    if (take_word("symbol")) return take_name(f.symbol.emplace());
    if (take_word("member-of")) return take_name(f.owner_symbol.emplace());
    if (take_word("no-params")) return f.no_params = true;
    if (f.kind == FunctionKind::ClassBody) {
      if (take_word("id")) return take_number(f.class_number.emplace());
      if (take_word("scope")) return take_reference(f.scope.emplace());
      if (take_word("class-span")) return take_span(f.class_span);
      if (take_word("class-header")) return take_span(f.class_header);
    }
    return fail("unexpected " + shown(peek()) + " after a function's name and parameters");
  }

  // ---- events

  StrId intern(std::string_view text) { return draft_->module.strings.intern(text); }

  std::uint32_t emit(Op op, std::vector<std::uint32_t> operands, StrId name = {}, std::uint8_t flags = 0,
                     std::uint32_t target = ~0u) {
    EventDraft draft;
    draft.event.op = op;
    draft.event.flags = flags;
    draft.event.name = name;
    draft.event.target = target;
    draft.event.span = line_span();
    draft.operands = std::move(operands);
    draft.line = line_;
    function().events.push_back(std::move(draft));
    return static_cast<std::uint32_t>(function().events.size() - 1);
  }

  // Parameters are bound without being written unless the first event is a param.
  void emit_parameters() {
    FunctionDraft& f = function();
    if (!f.events.empty() || f.no_params) return;
    for (std::uint32_t i = 0; i < f.parameters.size(); ++i) emit(Op::Param, {}, f.parameters[i].name, 0, i);
  }

  bool parse_event_line() {
    if (take_word("end")) return parse_end();
    std::string label;
    if (peek().kind == TokenKind::Label && peek(1).is("=")) {
      label = take().text;
      take();
    }
    const bool discard = take_word("discard");
    if (peek().kind != TokenKind::Word) return fail("expected an operation before " + shown(peek()));
    const std::string word = take().text;
    if (word == "func" || word == "lambda" || (word == "class" && !peek().is("@"))) {
      return fail("`" + word + "` stands inside of the one that starts in line " + std::to_string(function().line) +
                  ", which has no `end`; an event that makes one is `function @name` or `class @name`");
    }
    if (word != "param") emit_parameters();
    const std::size_t first = function().events.size();
    if (!(word == "load" || word == "store" || word == "delete" ? parse_place(word) : parse_operation(word)))
      return false;
    if (take_word("named")) {
      std::string name;
      if (!take_name(name)) return false;
      function().events.back().event.name = intern(name);
    }
    if (peek().kind == TokenKind::SpanToken) {
      std::optional<Span> span;
      if (!take_span(span)) return false;
      for (std::size_t i = first; i < function().events.size(); ++i) {
        function().events[i].event.span = *span;
        function().events[i].has_span = true;
      }
    }
    if (!expect_end()) return false;

    const auto index = static_cast<std::uint32_t>(function().events.size() - 1);
    const OpInfo& info = op_info(function().events[index].event.op);
    if (discard && !info.has_value) return fail("`" + word + "` has no value to discard");
    if (discard) function().events[index].event.flags |= flag::Discarded;
    if (!label.empty() && !info.has_value) return fail("`" + word + "` has no value to name");
    if (!label.empty() && !function().labels.emplace(label, index).second)
      return fail("`%" + label + "` is defined twice");
    if (info.is_bracket()) function().open.push_back(index);
    return true;
  }

  bool parse_end() {
    FunctionDraft& f = function();
    emit_parameters();
    if (f.open.empty()) {
      f.end_line = line_;
      in_function_ = false;
      return expect_end();
    }
    const std::uint32_t opening = f.open.back();
    f.open.pop_back();
    const std::uint32_t end = emit(Op::End, {}, {}, 0, opening);
    f.events[opening].event.target = end;
    f.events[end].event.span = Span{lines_.end[line_], lines_.end[line_]};
    if (!f.events[opening].has_span) f.events[opening].event.span.end = lines_.end[line_];
    if (peek().kind == TokenKind::SpanToken) {
      std::optional<Span> span;
      if (!take_span(span)) return false;
      f.events[end].event.span = *span;
    }
    return expect_end();
  }

  static const OpInfo* find_op(std::string_view word) {
    for (std::size_t i = 0; i < kOpCount; ++i) {
      if (op_info(static_cast<Op>(i)).word == word) return &op_info(static_cast<Op>(i));
    }
    return nullptr;
  }

  // Returns the flags; `said` collects which bits were spoken about.
  std::uint8_t take_flags(const OpInfo& info, std::uint8_t& said) {
    std::uint8_t flags = 0;
    for (bool found = true; found;) {
      found = false;
      for (const FlagWord& flag : info.flags) {
        if (!take_word(flag.word)) continue;
        flags = static_cast<std::uint8_t>((flags & ~flag.mask) | flag.value);
        said |= flag.mask;
        found = true;
      }
    }
    return flags;
  }

  std::uint8_t load_place(const std::string& name) {
    FunctionDraft& f = function();
    if (f.kind == FunctionKind::ModuleBody) return flag::Global;
    return f.locals.contains(name) ? flag::Local : flag::Global;
  }

  bool parse_operation(const std::string& word) {
    const OpInfo* found = find_op(word);
    if (found == nullptr) return fail("there is no operation `" + word + "`");
    const OpInfo& info = *found;
    std::uint8_t said = 0;
    std::uint8_t flags = take_flags(info, said);
    if (info.op == Op::Loop && (flags & flag::kLoopMask) == 0) flags |= flag::For;
    StrId name;
    if (info.op == Op::Const && said == 0 && peek().is_name()) {
      flags = peek().kind == TokenKind::String ? flag::String : literal_kind(peek().text).value_or(flag::String);
    }
    if (info.has_name && peek().is_name() && !peek().is_word("named")) name = intern(take().text);
    if (info.has_name && !name.valid() && info.op != Op::Const && info.op != Op::Unknown) {
      return fail("`" + word + "` needs a name before " + shown(peek()));
    }

    std::uint32_t target = ~0u;
    std::optional<Reference> reference;
    if (info.target == TargetKind::Function || info.target == TargetKind::Class) {
      if (!peek().is("@")) return fail("`" + word + "` needs an `@name` before " + shown(peek()));
      if (!take_reference(reference.emplace())) return false;
    } else if (info.target == TargetKind::Element) {
      if (!take_number(target)) return false;
    } else if (info.target == TargetKind::Parameter) {
      if (peek().kind == TokenKind::Word) {
        if (!take_number(target)) return false;
      } else {
        const std::vector<Parameter>& parameters = function().parameters;
        auto parameter = std::ranges::find(parameters, name, &Parameter::name);
        if (parameter == parameters.end()) return fail("there is no such parameter");
        target = static_cast<std::uint32_t>(parameter - parameters.begin());
      }
    }

    std::vector<std::uint32_t> operands;
    if (!parse_operands(info, operands)) return false;
    if (operands.size() < info.min_operands || operands.size() > info.max_operands) {
      return fail("`" + word + "` cannot have " + std::to_string(operands.size()) + " operands");
    }
    const std::uint32_t event = emit(info.op, std::move(operands), name, flags, target);
    function().events[event].reference = std::move(reference);
    return true;
  }

  bool at_operand() const {
    if (peek().is_word("named") && peek(1).is_name()) return false;
    return peek().is_name() || peek().kind == TokenKind::Label || peek().is("@");
  }

  bool parse_operands(const OpInfo& info, std::vector<std::uint32_t>& operands) {
    constexpr std::size_t kMost = 60000;  // as Builder; hand-written lists are short
    while (at_operand()) {
      // The parentheses behind the callee are the list of this very call.
      const bool may_be_called = info.op != Op::Call || !operands.empty();
      std::uint32_t operand = 0;
      if (!parse_operand(operand, may_be_called, 0)) return false;
      operands.push_back(operand);
      if (info.op == Op::Call) break;
      take_if(",");
    }
    if (peek().is("(")) {
      if (!operands.empty() && info.op != Op::Call) return fail("unexpected `(`");
      take();
      if (!parse_list(operands, 0)) return false;
    }
    return operands.size() <= kMost || fail("too many operands");
  }

  // After "(", up to and with ")".
  bool parse_list(std::vector<std::uint32_t>& operands, int depth) {
    while (!take_if(")")) {
      std::uint32_t operand = 0;
      if (!parse_operand(operand, true, depth)) return false;
      operands.push_back(operand);
      if (!take_if(",") && !peek().is(")")) return fail("expected `,` or `)` before " + shown(peek()));
    }
    return true;
  }

  // The value an operand starts with, without what follows in dots, brackets and parentheses.
  bool parse_base(std::uint32_t& value) {
    const Token token = take();
    if (token.kind == TokenKind::Label) {
      auto found = function().labels.find(token.text);
      if (found == function().labels.end()) return fail("`%" + token.text + "` is not defined above in this function");
      value = found->second;
      return true;
    }
    if (token.kind == TokenKind::String) {
      value = emit(Op::Const, {}, intern(token.text), flag::String);
      return true;
    }
    if (token.kind != TokenKind::Word) return fail("expected an operand before " + shown(token));
    if (auto kind = literal_kind(token.text)) {
      const bool has_text = *kind == flag::Int || *kind == flag::Float;
      value = emit(Op::Const, {}, has_text ? intern(token.text) : StrId{}, *kind);
      return true;
    }
    std::string_view rest = token.text;
    const std::string first(rest.substr(0, rest.find('.')));
    if (first.empty()) return fail("expected an operand before " + shown(token));
    value = emit(Op::Load, {}, intern(first), load_place(first));
    for (rest.remove_prefix(first.size()); !rest.empty();) {
      rest.remove_prefix(1);
      const std::string_view attribute = rest.substr(0, rest.find('.'));
      if (attribute.empty()) return fail("a name is missing in `" + token.text + "`");
      value = emit(Op::LoadAttribute, {value}, intern(attribute));
      rest.remove_prefix(attribute.size());
    }
    return true;
  }

  bool parse_operand(std::uint32_t& value, bool may_be_called, int depth) {
    constexpr int kMostNesting = 100;
    if (depth > kMostNesting) return fail("operands are nested too deeply");
    std::optional<Op> wrapper;
    StrId name;
    if (peek().is_name() && peek(1).is("=")) {
      wrapper = Op::Keyword;
      name = intern(take().text);
      take();
    } else if (peek().kind == TokenKind::Word && peek().text.starts_with("*")) {
      // `*%v` is two tokens, `*args` is one.
      std::string& text = tokens_[next_].text;
      wrapper = text.starts_with("**") ? Op::DoubleStar : Op::Star;
      text.erase(0, wrapper == Op::DoubleStar ? 2 : 1);
      if (text.empty()) take();
    } else if (take_if("@")) {
      wrapper = Op::Decorator;
    }
    if (wrapper) {
      if (!parse_operand(value, true, depth + 1)) return false;
      value = emit(*wrapper, {value}, name);
      return true;
    }
    if (!parse_base(value)) return false;
    while (true) {
      if (take_if(".")) {
        if (!parse_attributes(value)) return false;
      } else if (take_if("[")) {
        std::uint32_t index = 0;
        if (!parse_operand(index, true, depth + 1) || !expect("]")) return false;
        value = emit(Op::LoadItem, {value, index});
      } else if (may_be_called && take_if("(")) {
        std::vector<std::uint32_t> operands{value};
        if (!parse_list(operands, depth + 1)) return false;
        value = emit(Op::Call, std::move(operands));
      } else {
        return true;
      }
    }
  }

  // After a dot: `a.b` of `%x.a.b`.
  bool parse_attributes(std::uint32_t& value) {
    std::vector<std::string> names;
    if (!take_attributes(names)) return false;
    for (const std::string& name : names) value = emit(Op::LoadAttribute, {value}, intern(name));
    return true;
  }

  bool take_attributes(std::vector<std::string>& names) {
    if (peek().kind == TokenKind::String) {
      names.push_back(take().text);
      return true;
    }
    std::string word;
    if (!take_name(word)) return false;
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t dot = std::min(word.find('.', begin), word.size());
      if (dot == begin) return fail("a name is missing in `" + word + "`");
      names.push_back(word.substr(begin, dot - begin));
      begin = dot + 1;
    }
    return true;
  }

  // load, store and delete of a name, an attribute or an item.
  bool parse_place(const std::string& word) {
    const Op place_op = word == "load" ? Op::Load : word == "store" ? Op::Store : Op::Delete;
    const auto attribute_op = static_cast<Op>(static_cast<int>(place_op) + 3);
    const auto item_op = static_cast<Op>(static_cast<int>(place_op) + 6);
    static_assert(static_cast<int>(Op::LoadAttribute) == static_cast<int>(Op::Load) + 3);
    static_assert(static_cast<int>(Op::DeleteItem) == static_cast<int>(Op::Delete) + 6);
    std::uint8_t said = 0;
    std::uint8_t flags = take_flags(op_info(place_op), said);

    const bool dotted = peek().kind == TokenKind::Word && peek().text.find('.') != std::string::npos;
    if (peek().is_name() && !dotted && !peek(1).is("[") && !peek(1).is("(") && !peek(1).is(".")) {
      const std::string name = take().text;
      if (said == 0) {
        flags = place_op != Op::Store                         ? load_place(name)
                : function().kind == FunctionKind::ModuleBody ? flag::Global
                                                              : flag::Local;
      }
      std::vector<std::uint32_t> operands;
      if (!parse_stored_value(place_op, operands)) return false;
      if (place_op == Op::Store && flags == flag::Local) function().locals.insert(name);
      emit(place_op, std::move(operands), intern(name), flags);
      return true;
    }
    if (said != 0) return fail("only a plain name is local, captured or global");
    if (peek().kind != TokenKind::Label && !peek().is_name())
      return fail("`" + word + "` needs a place before " + shown(peek()));

    // The last attribute or item is the place; what comes before it is loaded.
    std::uint32_t value = 0;
    std::vector<std::string> attributes;
    if (dotted) {
      std::string& text = tokens_[next_].text;
      const std::size_t dot = text.find('.');
      if (dot == 0 || !take_dotted(text.substr(dot + 1), attributes))
        return fail("a name is missing in `" + text + "`");
      text.resize(dot);
    }
    if (!parse_base(value)) return false;
    std::optional<std::uint32_t> item;
    while (true) {
      if (item && (peek().is(".") || peek().is("["))) {
        value = emit(Op::LoadItem, {value, *item});
        item.reset();
      }
      if (take_if(".")) {
        if (!take_attributes(attributes)) return false;
      } else if (take_if("[")) {
        for (const std::string& name : attributes) value = emit(Op::LoadAttribute, {value}, intern(name));
        attributes.clear();
        std::uint32_t index = 0;
        if (!parse_operand(index, true, 0) || !expect("]")) return false;
        item = index;
      } else {
        break;
      }
    }
    std::vector<std::uint32_t> operands;
    StrId name;
    if (!item) {
      if (attributes.empty()) return fail("`" + word + "` needs a name, an attribute or an item");
      for (std::size_t i = 0; i + 1 < attributes.size(); ++i) {
        value = emit(Op::LoadAttribute, {value}, intern(attributes[i]));
      }
      name = intern(attributes.back());
    }
    operands.push_back(value);
    if (item) operands.push_back(*item);
    if (!parse_stored_value(place_op, operands)) return false;
    emit(item ? item_op : attribute_op, std::move(operands), name);
    return true;
  }

  static bool take_dotted(std::string_view text, std::vector<std::string>& names) {
    while (true) {
      const std::size_t dot = std::min(text.find('.'), text.size());
      if (dot == 0) return false;
      names.emplace_back(text.substr(0, dot));
      if (dot == text.size()) return true;
      text.remove_prefix(dot + 1);
    }
  }

  bool parse_stored_value(Op place_op, std::vector<std::uint32_t>& operands) {
    if (place_op != Op::Store) return true;
    if (!at_operand()) return fail("`store` needs a value before " + shown(peek()));
    std::uint32_t value = 0;
    if (!parse_operand(value, true, 0)) return false;
    operands.push_back(value);
    return true;
  }

  // ---- from drafts to a module

  // The functions of the finished module in order of their ids, as indexes of drafts.
  bool order_functions(const std::vector<std::uint32_t>& parents, std::vector<std::uint32_t>& order) {
    std::vector<std::vector<std::uint32_t>> children(parents.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < parents.size(); ++i) {
      if (parents[i] == FunctionNames::kNone)
        ready.push(i);
      else
        children[parents[i]].push_back(i);
    }
    std::vector<bool> placed(parents.size());
    while (!ready.empty()) {
      const std::uint32_t next = ready.top();
      ready.pop();
      placed[next] = true;
      order.push_back(next);
      for (std::uint32_t child : children[next]) ready.push(child);
    }
    if (order.size() == parents.size()) return true;
    line_ = draft_->functions[static_cast<std::size_t>(std::ranges::find(placed, false) - placed.begin())].line;
    return fail("the parents of this function form a circle");
  }

  bool resolve_function(const Reference& reference, std::uint32_t body, std::uint32_t& index) {
    switch (reference.kind) {
      case Reference::Kind::ModuleBody:
        index = body;
        return true;
      case Reference::Kind::None:
        return fail("expected a function");
      case Reference::Kind::Number:
        index = reference.number;
        if (index >= draft_->functions.size()) return fail("there is no function @" + std::to_string(index));
        return true;
      case Reference::Kind::Name:
        break;
    }
    index = names_.find(reference.name);
    if (index == FunctionNames::kNone) return fail("there is no function `" + reference.name + "`");
    if (index == FunctionNames::kAmbiguous) {
      return fail("several functions are named `" + reference.name +
                  "`; write @ and a number, counted from 0 in this module");
    }
    return true;
  }

  bool resolve_class(const Reference& reference, ClassId& id) {
    const std::vector<Class>& classes = draft_->module.classes;
    if (reference.kind == Reference::Kind::None) {
      id = {};
      return true;
    }
    if (reference.kind == Reference::Kind::Number) {
      id.index = reference.number;
      return id.index < classes.size() || fail("there is no class @" + std::to_string(id.index));
    }
    id = {};
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
      if (draft_->module.text(classes[i].qualified) != reference.name) continue;
      if (id.valid()) return fail("several classes are named `" + reference.name + "`; write @ and a number");
      id.index = i;
    }
    return id.valid() || fail("there is no class `" + reference.name + "`");
  }

  bool finish_module() {
    std::vector<FunctionDraft>& drafts = draft_->functions;
    std::uint32_t body = FunctionNames::kNone;
    for (std::uint32_t i = 0; i < drafts.size(); ++i) {
      if (drafts[i].kind != FunctionKind::ModuleBody) continue;
      line_ = drafts[i].line;
      if (body != FunctionNames::kNone) return fail("a second module body");
      body = i;
    }
    if (body == FunctionNames::kNone) {  // counted last, so that written functions keep their numbers
      body = static_cast<std::uint32_t>(drafts.size());
      FunctionDraft& made_up = drafts.emplace_back();
      made_up.kind = FunctionKind::ModuleBody;
      made_up.name = "<module>";
      made_up.span = made_up.header = made_up.body = Span{};
      made_up.line = made_up.end_line = 1;
    }
    names_ = {};
    for (const FunctionDraft& f : drafts) names_.add(f.kind, f.qualified);

    std::vector<std::uint32_t> parents(drafts.size());
    for (std::uint32_t i = 0; i < drafts.size(); ++i) {
      parents[i] = i == body ? FunctionNames::kNone : names_.default_parent(i);
      line_ = drafts[i].line;
      if (drafts[i].parent && !resolve_function(*drafts[i].parent, body, parents[i])) return false;
    }
    std::vector<std::uint32_t> order;
    if (!order_functions(parents, order)) return false;
    std::vector<FunctionId> ids(drafts.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) ids[order[i]] = FunctionId{i};

    if (!make_classes(order, ids)) return false;
    make_functions(order, ids, parents);
    if (!resolve_references(order, ids, parents, body)) return false;
    lay_out_events(order, ids);
    if (!draft_->has_lines) draft_->module.line_starts.assign(lines_.begin.begin() + 1, lines_.begin.end());
    return report_problems(order);
  }

  bool make_classes(const std::vector<std::uint32_t>& order, const std::vector<FunctionId>& ids) {
    Module& module = draft_->module;
    std::vector<std::uint32_t> bodies;
    bool numbered = false;
    for (std::uint32_t i : order) {
      if (draft_->functions[i].kind != FunctionKind::ClassBody) continue;
      bodies.push_back(i);
      numbered = numbered || draft_->functions[i].class_number.has_value();
    }
    module.classes.resize(bodies.size());
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const FunctionDraft& f = draft_->functions[bodies[i]];
      line_ = f.line;
      if (numbered &&
          (!f.class_number || *f.class_number >= bodies.size() || module.classes[*f.class_number].body.valid())) {
        return fail("class ids are given to all classes or none, each number once");
      }
      Class& c = module.classes[numbered ? *f.class_number : i];
      c.body = ids[bodies[i]];
      c.qualified = intern(f.qualified);
      c.name = intern(f.name ? std::string_view(*f.name) : last_component(f.qualified));
    }
    return true;
  }

  void make_functions(const std::vector<std::uint32_t>& order, const std::vector<FunctionId>& ids,
                      const std::vector<std::uint32_t>& parents) {
    Module& module = draft_->module;
    for (std::uint32_t i : order) {
      FunctionDraft& f = draft_->functions[i];
      Function function;
      function.kind = f.kind;
      function.qualified = intern(f.qualified);
      function.name = intern(f.name ? std::string_view(*f.name) : last_component(f.qualified));
      if (parents[i] != FunctionNames::kNone) function.parent = ids[parents[i]];
      function.is_async = f.is_async;
      function.is_generator = f.is_generator;
      function.is_static = f.is_static;
      function.is_class_method = f.is_class_method;
      function.is_property = f.is_property;
      function.is_constructor = f.is_constructor;
      function.is_pattern = f.is_pattern;
      if (f.symbol) function.symbol = intern(*f.symbol);
      if (f.owner_symbol) function.owner_symbol = intern(*f.owner_symbol);

      // What is not written is where it stands in this text.
      const bool spoken = f.span.has_value();
      const Span head{lines_.begin[f.line], lines_.end[f.line]};
      function.span = spoken ? *f.span : Span{head.begin, lines_.end[f.end_line]};
      function.header = f.header ? *f.header : spoken ? function.span : head;
      const std::uint32_t body_begin = f.line + 1 < lines_.begin.size() ? lines_.begin[f.line + 1] : head.end;
      function.body = f.body ? *f.body : spoken ? function.span : Span{body_begin, lines_.begin[f.end_line]};
      for (std::size_t p = 0; p < f.parameters.size(); ++p) {
        f.parameters[p].span = f.parameter_spans[p].value_or(function.header);
      }
      module.functions.push_back(function);
    }
  }

  bool resolve_references(const std::vector<std::uint32_t>& order, const std::vector<FunctionId>& ids,
                          const std::vector<std::uint32_t>& parents, std::uint32_t body) {
    Module& module = draft_->module;
    std::vector<ClassId> class_of_body(order.size());
    for (std::uint32_t i = 0; i < module.classes.size(); ++i) class_of_body[module.classes[i].body.index] = ClassId{i};
    for (std::uint32_t i : order) {
      FunctionDraft& f = draft_->functions[i];
      Function& function = module.functions[ids[i].index];
      line_ = f.line;
      if (f.owner) {
        if (!resolve_class(*f.owner, function.owner)) return false;
      } else if (parents[i] != FunctionNames::kNone) {
        function.owner = class_of_body[ids[parents[i]].index];
      }
      if (f.kind == FunctionKind::ClassBody) {
        Class& c = module.classes[class_of_body[ids[i].index].index];
        std::uint32_t scope = parents[i];
        if (f.scope && !resolve_function(*f.scope, body, scope)) return false;
        c.scope = ids[scope];
        c.span = f.class_span.value_or(function.span);
        c.header = f.class_header.value_or(function.header);
      }
      for (EventDraft& event : f.events) {
        if (!event.reference) continue;
        line_ = event.line;
        if (event.event.op == Op::MakeClass) {
          ClassId made;
          if (!resolve_class(*event.reference, made)) return false;
          event.event.target = made.index;
        } else {
          std::uint32_t made = 0;
          if (!resolve_function(*event.reference, body, made)) return false;
          event.event.target = ids[made].index;
        }
      }
    }
    return true;
  }

  // Inner functions come before the function around them, siblings in order: what Builder does.
  void lay_out_events(const std::vector<std::uint32_t>& order, const std::vector<FunctionId>& ids) {
    Module& module = draft_->module;
    std::vector<std::vector<std::uint32_t>> children(order.size());
    for (std::uint32_t i = 1; i < order.size(); ++i) children[module.functions[i].parent.index].push_back(i);
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};  // a function and its next child
    while (!path.empty()) {
      auto& [id, next_child] = path.back();
      if (next_child < children[id].size()) {
        const std::uint32_t child = children[id][next_child++];
        path.emplace_back(child, 0);
        continue;
      }
      lay_out(draft_->functions[order[id]], module.functions[ids[order[id]].index]);
      path.pop_back();
    }
    for (std::uint32_t i = 0; i < module.events.size(); ++i) {
      if (module.events[i].op == Op::MakeClass) module.classes[module.events[i].target].made_by = EventId{i};
    }
  }

  void lay_out(const FunctionDraft& f, Function& function) {
    Module& module = draft_->module;
    const auto base = static_cast<std::uint32_t>(module.events.size());
    function.first_event = EventId{base};
    function.event_count = static_cast<std::uint32_t>(f.events.size());
    for (const EventDraft& draft : f.events) {
      Event event = draft.event;
      event.first_operand = static_cast<std::uint32_t>(module.operands.size());
      event.operand_count = static_cast<std::uint16_t>(draft.operands.size());
      for (std::uint32_t operand : draft.operands) module.operands.push_back(EventId{operand + base});
      if (op_info(event.op).target == TargetKind::Partner && event.target != ~0u) event.target += base;
      module.events.push_back(event);
    }
    function.first_parameter = static_cast<std::uint32_t>(module.parameters.size());
    function.parameter_count = static_cast<std::uint32_t>(f.parameters.size());
    module.parameters.insert(module.parameters.end(), f.parameters.begin(), f.parameters.end());
  }

  bool report_problems(const std::vector<std::uint32_t>& order) {
    const Module& module = draft_->module;
    const std::vector<Problem> problems = find_problems(module);
    if (problems.empty()) return true;
    const Problem& problem = problems.front();
    line_ = 1;
    if (problem.function.valid()) line_ = draft_->functions[order[problem.function.index]].line;
    for (std::uint32_t i = 0; problem.event.valid() && i < module.functions.size(); ++i) {
      const std::uint32_t number = problem.event.index - module.functions[i].first_event.index;
      if (number < module.functions[i].event_count) line_ = draft_->functions[order[i]].events[number].line;
    }
    std::string subject;
    if (problem.event.valid()) subject = "`" + std::string(op_info(module.event(problem.event).op).word) + "` ";
    return fail(subject + problem.text);
  }

  std::string_view text_;
  LineTable lines_;
  std::uint32_t line_ = 0;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  ModuleDraft* draft_ = nullptr;
  FunctionNames names_;
  bool in_function_ = false;  // the last function of the draft is still open
  std::string error_;
};

}  // namespace

static constexpr std::size_t kMostBytes = 1u << 30;  // offsets have 32 bits

Result<std::vector<Module>> parse_program(std::string_view text) {
  if (text.size() > kMostBytes) return Error{"line 1: the text is too long"};
  return Parser(text).run(true);
}

Result<Module> parse(std::string_view text) {
  if (text.size() > kMostBytes) return Error{"line 1: the text is too long"};
  Result<std::vector<Module>> modules = Parser(text).run(false);
  if (!modules) return modules.error();
  if (modules->size() != 1) return Error{"line 1: this text holds several modules"};
  return std::move(modules->front());
}

}  // namespace deadgrad::ir
