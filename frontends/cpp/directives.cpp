#include "frontends/cpp/directives.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

namespace deadgrad::cpp {

// Deeper nests of conditions and parentheses are no code that people wrote.
static constexpr std::size_t kMaxDepth = 200;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class DirectiveScanner {
 public:
  explicit DirectiveScanner(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  }

  std::vector<Directive> run();

 private:
  char at(std::size_t offset = 0) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }
  bool done() const { return position_ >= text_.size(); }
  bool skip_continuation();
  bool skip_comment();
  void skip_quoted(char quote);
  void skip_raw_string();
  void skip_word();
  void skip_rest_of_line();
  Directive read_directive();

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
};

// A backslash at the end of a line joins the next line to it.
bool DirectiveScanner::skip_continuation() {
  if (at() != '\\') return false;
  std::size_t length = at(1) == '\n' ? 2 : at(1) == '\r' && at(2) == '\n' ? 3 : 0;
  position_ += length;
  line_ += length > 0;
  return length > 0;
}

bool DirectiveScanner::skip_comment() {
  if (at() != '/') return false;
  if (at(1) == '/') {
    while (!done() && at() != '\n')
      if (!skip_continuation()) ++position_;
    return true;
  }
  if (at(1) != '*') return false;
  std::size_t end = text_.find("*/", position_ + 2);
  end = end == std::string_view::npos ? text_.size() : end + 2;
  line_ += static_cast<std::uint32_t>(std::count(text_.begin() + position_, text_.begin() + end, '\n'));
  position_ = end;
  return true;
}

// Ends before the end of the line when the closing quote is missing.
void DirectiveScanner::skip_quoted(char quote) {
  ++position_;
  while (!done() && at() != '\n') {
    if (skip_continuation()) continue;
    if (at() == '\\') {
      position_ += at(1) == '\n' ? 1 : 2;
      continue;
    }
    if (text_[position_++] == quote) return;
  }
}

void DirectiveScanner::skip_raw_string() {
  std::size_t open = text_.find('(', position_);
  if (open == std::string_view::npos || open - position_ > 17) return skip_quoted('"');
  std::string close = ")" + std::string(text_.substr(position_ + 1, open - position_ - 1)) + "\"";
  std::size_t end = text_.find(close, open);
  end = end == std::string_view::npos ? text_.size() : end + close.size();
  line_ += static_cast<std::uint32_t>(std::count(text_.begin() + position_, text_.begin() + end, '\n'));
  position_ = end;
}

// A name, with the raw string it may introduce, or a number with its digit separators.
void DirectiveScanner::skip_word() {
  const std::size_t begin = position_;
  if (is_digit(at())) {
    while (is_word(at()) || (at() == '\'' && is_word(at(1)))) ++position_;
    return;
  }
  while (is_word(at())) ++position_;
  std::string_view word = text_.substr(begin, position_ - begin);
  if (at() == '"' && (word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR")) skip_raw_string();
}

void DirectiveScanner::skip_rest_of_line() {
  while (!done() && at() != '\n') {
    if (skip_continuation() || skip_comment()) continue;
    if (is_word(at())) {
      skip_word();
    } else if (at() == '"' || at() == '\'') {
      skip_quoted(at());
    } else {
      ++position_;
    }
  }
}

Directive DirectiveScanner::read_directive() {
  Directive directive;
  directive.line = line_;
  std::string text;
  auto copy_until = [&](char end) {
    do text += text_[position_++];
    while (!done() && at() != '\n' && at() != end);
    if (at() == end) text += text_[position_++];
  };
  ++position_;  // the hash
  while (!done() && at() != '\n') {
    if (skip_continuation()) continue;
    if (skip_comment()) {
      text += ' ';
    } else if (at() == '"') {
      copy_until('"');
    } else if (at() == '<' && (trimmed(text).starts_with("include") || trimmed(text).ends_with('('))) {
      copy_until('>');  // a header name: a // in it starts no comment
    } else {
      text += text_[position_++];
    }
  }
  std::string_view rest = trimmed(text);
  std::size_t length = 0;
  while (length < rest.size() && is_word(rest[length])) ++length;
  directive.name = rest.substr(0, length);
  directive.text = trimmed(rest.substr(length));
  return directive;
}

std::vector<Directive> DirectiveScanner::run() {
  std::vector<Directive> directives;
  while (!done()) {
    if (is_blank(at())) {
      ++position_;
    } else if (at() == '\n') {
      ++position_;
      ++line_;
    } else if (skip_continuation() || skip_comment()) {
    } else if (at() == '#') {
      directives.push_back(read_directive());
    } else {
      skip_rest_of_line();
    }
  }
  return directives;
}

std::vector<Directive> scan_directives(std::string_view text) {
  return DirectiveScanner(text).run();
}

std::optional<Include> include_of(const Directive& directive) {
  if (directive.name != "include" && directive.name != "include_next" && directive.name != "import")
    return std::nullopt;
  std::string_view text = directive.text;
  if (text.size() < 3 || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  std::size_t end = text.find(text[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  Include include{std::string(text.substr(1, end - 1)), text[0] == '<'};
  std::ranges::replace(include.path, '\\', '/');
  return include;
}

bool is_torch_header(std::string_view included) {
  for (std::string_view prefix : {"torch/", "ATen/", "c10/", "caffe2/", "torchvision/"})
    if (included.starts_with(prefix)) return true;
  return false;
}

bool is_standard_header(std::string_view included) {
  static const std::set<std::string_view> names = {
      "algorithm", "any", "array", "atomic", "barrier", "bit", "bitset", "cassert", "ccomplex", "cctype", "cerrno",
      "cfenv", "cfloat", "charconv", "chrono", "cinttypes", "ciso646", "climits", "clocale", "cmath", "codecvt",
      "compare", "complex", "concepts", "condition_variable", "coroutine", "csetjmp", "csignal", "cstdalign", "cstdarg",
      "cstdbool", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctgmath", "ctime", "cuchar", "cwchar",
      "cwctype", "deque", "exception", "execution", "expected", "filesystem", "flat_map", "flat_set", "format",
      "forward_list", "fstream", "functional", "future", "generator", "initializer_list", "iomanip", "ios", "iosfwd",
      "iostream", "istream", "iterator", "latch", "limits", "list", "locale", "map", "mdspan", "memory",
      "memory_resource", "mutex", "new", "numbers", "numeric", "optional", "ostream", "print", "queue", "random",
      "ranges", "ratio", "regex", "scoped_allocator", "semaphore", "set", "shared_mutex", "source_location", "span",
      "spanstream", "sstream", "stack", "stacktrace", "stdexcept", "stdfloat", "stop_token", "streambuf", "string",
      "string_view", "strstream", "syncstream", "system_error", "thread", "tuple", "type_traits", "typeindex",
      "typeinfo", "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector", "version",
      // C and what every Unix has
      "assert.h", "complex.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "fenv.h", "float.h", "getopt.h",
      "glob.h", "inttypes.h", "iso646.h", "limits.h", "locale.h", "malloc.h", "math.h", "memory.h", "poll.h",
      "pthread.h", "sched.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h",
      "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h", "strings.h", "syslog.h", "termios.h", "tgmath.h",
      "threads.h", "time.h", "uchar.h", "unistd.h", "wchar.h", "wctype.h"};
  return names.contains(included) || included.starts_with("sys/");
}

// A condition as a tree. Only what decides about macros is told apart; the rest is a number.
namespace {

enum class Operator : std::uint8_t { Number, Name, Defined, Not, And, Or, Binary, Unknown };

struct Expression {
  Operator op = Operator::Unknown;
  long long number = 0;
  std::string text;  // a name, or a binary operator
  std::vector<Expression> parts;
};

}  // namespace

class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text) : rest_(text) {}

  // Unknown, as a whole, when the text is no expression.
  Expression parse() {
    Expression whole = binary(0, 0);
    skip_blanks();
    return rest_.empty() && !failed_ ? whole : Expression{};
  }

 private:
  void skip_blanks() { rest_ = trimmed(rest_); }
  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  Expression fail() {
    failed_ = true;
    return {};
  }
  std::string word() {
    skip_blanks();
    std::size_t length = 0;
    while (length < rest_.size() && (is_word(rest_[length]) || (rest_[length] == '\'' && length > 0))) ++length;
    std::string result(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return result;
  }
  Expression binary(std::size_t level, std::size_t depth);
  Expression unary(std::size_t depth);
  Expression named(std::size_t depth);

  std::string_view rest_;
  bool failed_ = false;
};

static constexpr std::array<std::string_view, 18> kBinaryOperators = {
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^"};

static std::size_t level_of(std::string_view op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "|" || op == "^" || op == "&") return 3;
  if (op == "==" || op == "!=") return 4;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 5;
  if (op == "<<" || op == ">>") return 6;
  return op == "+" || op == "-" ? 7 : 8;
}

Expression ConditionParser::binary(std::size_t level, std::size_t depth) {
  if (depth > kMaxDepth) return fail();
  Expression left = unary(depth);
  for (std::size_t operands = 0; !failed_; ++operands) {
    if (operands > kMaxDepth) return fail();
    skip_blanks();
    auto op = std::ranges::find_if(kBinaryOperators, [&](std::string_view token) { return rest_.starts_with(token); });
    if (op == kBinaryOperators.end() || level_of(*op) <= level) return left;
    rest_.remove_prefix(op->size());
    Expression right = binary(level_of(*op), depth + 1);
    Operator kind = *op == "||" ? Operator::Or : *op == "&&" ? Operator::And : Operator::Binary;
    Expression both{kind, 0, std::string(*op), {}};
    both.parts.push_back(std::move(left));
    both.parts.push_back(std::move(right));
    left = std::move(both);
  }
  return left;
}

Expression ConditionParser::unary(std::size_t depth) {
  if (failed_ || depth > kMaxDepth) return fail();
  skip_blanks();
  if (rest_.empty()) return fail();
  if (take("!")) {
    Expression negated{Operator::Not, 0, "", {}};
    negated.parts.push_back(unary(depth + 1));
    return negated;
  }
  if (take("(")) {
    Expression inner = binary(0, depth + 1);
    return take(")") ? inner : fail();
  }
  if (take("+")) return unary(depth + 1);
  if (take("-")) {
    Expression zero{Operator::Number, 0, "", {}}, difference{Operator::Binary, 0, "-", {}};
    difference.parts.push_back(std::move(zero));
    difference.parts.push_back(unary(depth + 1));
    return difference;
  }
  return is_word(rest_.front()) ? named(depth) : fail();
}

// A number, a name, `defined X`, `__has_include(<x>)` or a call of a macro with arguments.
Expression ConditionParser::named(std::size_t depth) {
  std::string name = word();
  if (is_digit(name[0])) {
    std::erase(name, '\'');
    int base = 10;
    const char* begin = name.data();
    if (name.size() > 2 && (name[1] == 'x' || name[1] == 'X' || name[1] == 'b' || name[1] == 'B')) {
      base = name[1] == 'x' || name[1] == 'X' ? 16 : 2;
      begin += 2;
    }
    Expression result{Operator::Number, 0, "", {}};
    std::from_chars(begin, name.data() + name.size(), result.number, base);
    return result;
  }
  if (name == "true" || name == "false") return {Operator::Number, name == "true", "", {}};
  if (name == "not") {
    Expression negated{Operator::Not, 0, "", {}};
    negated.parts.push_back(unary(depth + 1));
    return negated;
  }
  if (name == "defined") {
    bool in_parentheses = take("(");
    std::string subject = word();
    if (subject.empty() || (in_parentheses && !take(")"))) return fail();
    return {Operator::Defined, 0, std::move(subject), {}};
  }
  if (!take("(")) return {Operator::Name, 0, std::move(name), {}};
  const std::string_view arguments = rest_;
  for (std::size_t open = 1; open > 0;) {
    if (rest_.empty()) return fail();
    open += rest_.front() == '(';
    open -= rest_.front() == ')';
    rest_.remove_prefix(1);
  }
  if (name != "__has_include" && name != "__has_include_next") return {};
  std::string_view header = trimmed(arguments.substr(0, arguments.size() - rest_.size() - 1));
  if (header.size() > 2) header = header.substr(1, header.size() - 2);
  return {Operator::Number, is_torch_header(header) || is_standard_header(header), "", {}};
}

// What a compiler for Linux defines by itself and code asks for.
static std::string_view predefined(std::string_view name) {
  if (name == "__cplusplus") return "201703";
  if (name == "__GNUC__") return "12";
  for (std::string_view one : {"__linux__", "__linux", "__unix__", "__unix", "__x86_64__", "__clang__", "__STDC__",
                               "__ELF__", "__LP64__", "__CHAR_BIT__"})
    if (name == one) return "1";
  return "";
}

// A name that the language keeps for the compiler is not for us to define.
static bool is_reserved(std::string_view name) {
  return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

static std::optional<std::string> value_of_macro(std::string_view name, const Macros& macros, const Macros& more) {
  for (const Macros* table : {&macros, &more})
    if (auto found = table->find(name); found != table->end()) return found->second;
  if (std::string_view builtin = predefined(name); !builtin.empty()) return std::string(builtin);
  return std::nullopt;
}

static long long evaluate(const Expression& expression, const Macros& macros, const Macros& more, std::size_t depth);

static long long evaluate_name(const std::string& name, const Macros& macros, const Macros& more, std::size_t depth) {
  std::optional<std::string> value = value_of_macro(name, macros, more);
  if (!value) return 0;
  std::string_view text = trimmed(*value);
  if (text.empty()) return 1;
  // Macros made of macros made of macros could take forever.
  return depth > 2 || text.size() > 64 ? 0 : evaluate(ConditionParser(text).parse(), macros, more, depth + 1);
}

static long long evaluate_binary(std::string_view op, unsigned long long a, unsigned long long b) {
  auto left = static_cast<long long>(a), right = static_cast<long long>(b);
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (op == "<=") return left <= right;
  if (op == ">=") return left >= right;
  if (op == "<<") return b < 63 ? static_cast<long long>(a << b) : 0;
  if (op == ">>") return b < 63 ? static_cast<long long>(a >> b) : 0;
  if (op == "+") return static_cast<long long>(a + b);
  if (op == "-") return static_cast<long long>(a - b);
  if (op == "*") return static_cast<long long>(a * b);
  if (op == "/") return right == 0 || right == -1 ? 0 : left / right;
  if (op == "%") return right == 0 || right == -1 ? 0 : left % right;
  if (op == "&") return static_cast<long long>(a & b);
  return static_cast<long long>(op == "|" ? a | b : a ^ b);
}

static long long evaluate(const Expression& expression, const Macros& macros, const Macros& more, std::size_t depth) {
  auto part = [&](std::size_t i) { return evaluate(expression.parts[i], macros, more, depth); };
  switch (expression.op) {
    case Operator::Number:
      return expression.number;
    case Operator::Name:
      return evaluate_name(expression.text, macros, more, depth);
    case Operator::Defined:
      return value_of_macro(expression.text, macros, more).has_value();
    case Operator::Not:
      return !part(0);
    case Operator::And:
      return part(0) && part(1);
    case Operator::Or:
      return part(0) || part(1);
    case Operator::Binary:
      return evaluate_binary(expression.text, static_cast<unsigned long long>(part(0)),
                             static_cast<unsigned long long>(part(1)));
    case Operator::Unknown:
      return 0;
  }
  return 0;
}

static bool define(const std::string& name, long long value, const Macros& macros, Macros& needs) {
  if (is_reserved(name) || value_of_macro(name, macros, needs)) return false;
  needs[name] = std::to_string(value);
  return true;
}

static bool make(const Expression& expression, bool wanted, const Macros& macros, Macros& needs);

// Gives a macro that is compared with a number a value for which the comparison holds.
static bool make_comparison(const Expression& expression, const Macros& macros, Macros& needs) {
  const bool name_first = expression.parts[0].op == Operator::Name;
  const Expression& name = expression.parts[name_first ? 0 : 1];
  if (name.op != Operator::Name) return false;
  const long long number = evaluate(expression.parts[name_first ? 1 : 0], macros, needs, 0);
  for (long long value : {number, number + 1, number - 1}) {
    Macros tried = needs;
    if (!define(name.text, value, macros, tried) || !evaluate(expression, macros, tried, 0)) continue;
    needs = std::move(tried);
    return true;
  }
  return false;
}

static bool make_either(const Expression& expression, bool wanted, const Macros& macros, Macros& needs) {
  for (const Expression& part : expression.parts) {
    Macros tried = needs;
    if (!make(part, wanted, macros, tried)) continue;
    needs = std::move(tried);
    return true;
  }
  return false;
}

// Adds to `needs` until the condition is as wanted; false when no definition does it.
static bool make(const Expression& expression, bool wanted, const Macros& macros, Macros& needs) {
  if (expression.op == Operator::Unknown) return false;
  if ((evaluate(expression, macros, needs, 0) != 0) == wanted) return true;
  auto both = [&] {
    return std::ranges::all_of(expression.parts, [&](const Expression& e) { return make(e, wanted, macros, needs); });
  };
  switch (expression.op) {
    case Operator::Name:
    case Operator::Defined:
      return wanted && define(expression.text, 1, macros, needs);
    case Operator::Not:
      return make(expression.parts[0], !wanted, macros, needs);
    case Operator::And:
      return wanted ? both() : make_either(expression, wanted, macros, needs);
    case Operator::Or:
      return wanted ? make_either(expression, wanted, macros, needs) : both();
    case Operator::Binary:
      return wanted && make_comparison(expression, macros, needs);
    case Operator::Number:
    case Operator::Unknown:
      return false;
  }
  return false;
}

// The branch is active when all before it were refused and its own condition holds.
void Conditions::choose(Branch& branch, const std::string& condition) {
  const Expression own = ConditionParser(condition).parse();
  branch.active = branch.outer_active && !branch.taken && evaluate(own, macros_, {}, 0) != 0;
  branch.needs = branch.outer_needs;
  if (branch.needs) {
    Macros& needs = *branch.needs;
    std::vector<Expression> refused;
    for (const std::string& before : branch.refused) refused.push_back(ConditionParser(before).parse());
    auto holds = [&] {
      return evaluate(own, macros_, needs, 0) != 0 &&
             std::ranges::all_of(refused, [&](const Expression& e) { return evaluate(e, macros_, needs, 0) == 0; });
    };
    bool made = std::ranges::all_of(refused, [&](const Expression& e) { return make(e, false, macros_, needs); });
    if (!made || !make(own, true, macros_, needs) || !holds()) branch.needs.reset();
  }
  branch.taken = branch.taken || branch.active;
  if (branch.refused.size() < kMaxDepth) branch.refused.push_back(condition);
}

void Conditions::open(const std::string& condition) {
  Branch branch;
  branch.outer_active = active();
  branch.outer_needs = needed();
  if (branches_.size() >= kMaxDepth) branch.outer_needs.reset();
  choose(branch, condition);
  branches_.push_back(std::move(branch));
}

std::optional<Macros> Conditions::needed() const {
  return branches_.empty() ? Macros{} : branches_.back().needs;
}

static std::string first_word(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_word(text[length])) ++length;
  return std::string(text.substr(0, length));
}

bool Conditions::follow(const Directive& directive) {
  const std::string& name = directive.name;
  auto defined = [&] { return "defined(" + first_word(directive.text) + ")"; };
  if (name == "if") {
    open(directive.text);
  } else if (name == "ifdef") {
    open(defined());
  } else if (name == "ifndef") {
    open("!" + defined());
  } else if (name == "elif" || name == "elifdef" || name == "elifndef" || name == "else") {
    if (branches_.empty()) return true;
    choose(branches_.back(), name == "else"      ? "1"
                             : name == "elif"    ? directive.text
                             : name == "elifdef" ? defined()
                                                 : "!" + defined());
  } else if (name == "endif") {
    if (!branches_.empty()) branches_.pop_back();
  } else if (name == "define") {
    std::string macro = first_word(directive.text);
    if (!macro.empty() && active()) macros_[macro] = trimmed(std::string_view(directive.text).substr(macro.size()));
  } else if (name == "undef") {
    if (active()) macros_.erase(first_word(directive.text));
  } else {
    return false;
  }
  return true;
}

Macros macros_of(std::span<const std::string> arguments) {
  Macros macros;
  for (const std::string& argument : arguments) {
    std::string_view rest = argument;
    if (rest.starts_with("-U")) {
      macros.erase(std::string(rest.substr(2)));
    } else if (rest.starts_with("-D")) {
      rest.remove_prefix(2);
      std::size_t equals = rest.find('=');
      std::string name = first_word(rest);
      macros[name] = equals == std::string_view::npos ? "1" : std::string(rest.substr(equals + 1));
    }
  }
  return macros;
}

std::vector<std::string> definitions_of(const Macros& macros) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : macros) arguments.push_back(value == "1" ? "-D" + name : "-D" + name + "=" + value);
  return arguments;
}

std::vector<std::string> inactive_torch_macros(std::string_view text, std::span<const std::string> arguments) {
  Macros macros = macros_of(arguments);
  Conditions conditions(macros);
  std::optional<Macros> fewest;
  for (const Directive& directive : scan_directives(text)) {
    if (conditions.follow(directive)) continue;
    auto include = include_of(directive);
    if (!include || !is_torch_header(include->path)) continue;
    if (conditions.active()) return {};
    std::optional<Macros> needed = conditions.needed();
    if (needed && !needed->empty() && (!fewest || needed->size() < fewest->size())) fewest = std::move(needed);
  }
  return fewest ? definitions_of(*fewest) : std::vector<std::string>{};
}

}  // namespace deadgrad::cpp
