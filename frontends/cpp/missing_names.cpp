#include "frontends/cpp/missing_names.h"

#include <array>
#include <vector>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace deadgrad::cpp {

// Names that are never made up: the language's, and those of libraries whose headers we have.
static constexpr std::array<std::string_view, 72> kTaken{
    "std",      "torch",    "at",        "c10",    "caffe2",    "this",     "operator", "template",  "typename",
    "class",    "struct",   "enum",      "union",  "const",     "auto",     "bool",     "char",      "int",
    "long",     "short",    "float",     "double", "signed",    "unsigned", "void",     "if",        "else",
    "for",      "while",    "do",        "switch", "case",      "default",  "break",    "continue",  "return",
    "goto",     "new",      "delete",    "sizeof", "decltype",  "alignof",  "typeid",   "noexcept",  "throw",
    "try",      "catch",    "static",    "extern", "inline",    "virtual",  "explicit", "friend",    "mutable",
    "volatile", "register", "constexpr", "using",  "namespace", "public",   "private",  "protected", "true",
    "false",    "nullptr",  "and",       "or",     "not",       "begin",    "end",      "requires",  "concept"};

static const std::string kArguments = [] {
  std::string list = "deadgrad_unknown::Argument = {}";
  for (int i = 1; i < 14; ++i) list += ", deadgrad_unknown::Argument = {}";
  return list;
}();

static bool is_taken(std::string_view name) {
  for (std::string_view one : kTaken)
    if (name == one) return true;
  return name.starts_with("__") || name.starts_with("deadgrad_");
}

void MissingNames::note(std::string_view name) {
  if (!name.empty() && !is_taken(name)) names_.emplace(name);
}

void MissingNames::use(Scope& scope, std::string_view name, Use how) {
  auto [entry, added] = scope.names.emplace(std::string(name), how);
  if (!added && how > entry->second) entry->second = how;
}

void MissingNames::scan(std::string_view text) {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.LineComment = true;
  // The lexer reads up to a zero byte behind the end.
  const std::string copy(text);
  Lexer lexer(SourceLocation(), options, copy.data(), copy.data(), copy.data() + copy.size());
  struct Piece {
    tok::TokenKind kind = tok::eof;
    std::string_view text;
  };
  std::vector<Piece> pieces;
  for (Token token; !lexer.LexFromRawLexer(token) || token.isNot(tok::eof);) {
    if (token.is(tok::eof)) break;
    std::string_view words;
    if (token.is(tok::raw_identifier)) words = {token.getRawIdentifier().data(), token.getRawIdentifier().size()};
    pieces.push_back({token.getKind(), words});
  }
  pieces.push_back({});
  pieces.push_back({});
  auto how_used = [&](std::size_t after) {
    switch (pieces[after].kind) {
      case tok::less:
        return Use::Template;
      case tok::l_paren:
        return Use::Function;
      case tok::l_brace:
      case tok::raw_identifier:
      case tok::amp:
      case tok::ampamp:
      case tok::star:
      case tok::greater:
      case tok::greatergreater:
      case tok::ellipsis:
        return Use::Type;
      default:
        return Use::Constant;
    }
  };
  // `namespace po = boost::program_options;`
  for (std::size_t i = 0; i + 4 < pieces.size(); ++i) {
    if (pieces[i].text != "namespace" || pieces[i + 2].kind != tok::equal || !names_.contains(pieces[i + 3].text))
      continue;
    std::vector<std::string>& path = aliases_[std::string(pieces[i + 1].text)];
    path.assign(1, std::string(pieces[i + 3].text));
    for (std::size_t at = i + 3; at + 2 < pieces.size() && pieces[at + 1].kind == tok::coloncolon; at += 2)
      path.emplace_back(pieces[at + 2].text);
    Scope* scope = &global_;
    for (const std::string& part : path) scope = &scope->scopes[part];
  }
  for (std::size_t i = 0; i + 2 < pieces.size(); ++i) {
    if (pieces[i].kind != tok::raw_identifier) continue;
    const tok::TokenKind before = i > 0 ? pieces[i - 1].kind : tok::eof;
    if (before == tok::period || before == tok::arrow) {
      if (is_taken(pieces[i].text)) continue;
      members_.emplace(pieces[i].text);
      // `at<float>(…)`: arguments of a template, closed and followed by a call.
      if (pieces[i + 1].kind == tok::less) {
        int depth = 0;
        for (std::size_t j = i + 1; j < pieces.size() && j < i + 24; ++j) {
          depth += pieces[j].kind == tok::less ? 1 : 0;
          depth -= pieces[j].kind == tok::greater ? 1 : pieces[j].kind == tok::greatergreater ? 2 : 0;
          if (depth > 0) continue;
          if (pieces[j + 1].kind == tok::l_paren) member_templates_.emplace(pieces[i].text);
          break;
        }
      }
      continue;
    }
    if (before == tok::coloncolon && i > 1 && pieces[i - 2].kind == tok::raw_identifier) continue;
    const auto alias = aliases_.find(pieces[i].text);
    if (!names_.contains(pieces[i].text) && alias == aliases_.end()) continue;
    if (before == tok::equal && i > 2 && pieces[i - 3].text == "namespace") continue;
    if (i > 0 && pieces[i - 1].text == "namespace") {  // `using namespace cv;`
      if (i > 1 && pieces[i - 2].text == "using") {
        Scope* used = &global_.scopes[std::string(pieces[i].text)];
        for (std::size_t part = i; pieces[part + 1].kind == tok::coloncolon; part += 2)
          used = &used->scopes[std::string(pieces[part + 2].text)];
      }
      continue;
    }
    Scope* scope = &global_;
    std::size_t at = i;
    if (alias != aliases_.end()) {
      if (pieces[at + 1].kind != tok::coloncolon || pieces[at + 2].kind != tok::raw_identifier) continue;
      for (const std::string& part : alias->second) scope = &scope->scopes[part];
      at += 2;
    }
    while (pieces[at + 1].kind == tok::coloncolon && pieces[at + 2].kind == tok::raw_identifier) {
      scope = &scope->scopes[std::string(pieces[at].text)];
      at += 2;
    }
    if (!is_taken(pieces[at].text)) use(*scope, pieces[at].text, how_used(at + 1));
  }
}

void MissingNames::print(const Scope& scope, std::string& out, int depth, bool in_class) const {
  if (depth > 8) return;
  for (const auto& [name, how] : scope.names) {
    const auto inner = scope.scopes.find(name);
    if (inner != scope.scopes.end() && how == Use::Constant) continue;
    if (how == Use::Constant) {
      out += "static deadgrad_unknown::Anything " + name + ";\n";
      continue;
    }
    if (how == Use::Function && inner == scope.scopes.end()) {
      out += "deadgrad_unknown::Anything& " + name + "(" + kArguments + ");\n";
      continue;
    }
    if (how == Use::Template) out += "template <class = int, auto...> ";
    out += "struct " + name + " : deadgrad_unknown::Anything { using Anything::Anything; " + name + "(); " + name +
           "(const Anything&); " + name + "& operator=(const Anything&);\n";
    if (inner != scope.scopes.end()) print(inner->second, out, depth + 1, true);
    out += "};\n";
  }
  for (const auto& [name, inner] : scope.scopes) {
    if (depth == 0 && aliases_.contains(name)) continue;
    const auto own = scope.names.find(name);
    if (own != scope.names.end() && own->second != Use::Constant) continue;  // a class, above
    out += (in_class ? "struct " : "namespace ") + name + " {\n";
    print(inner, out, depth + 1, in_class);
    out += in_class ? "};\n" : "}\n";
  }
}

std::string MissingNames::declarations() const {
  std::string out = R"(#pragma GCC system_header
#include <ostream>
#include <string>
#include <type_traits>
namespace deadgrad_unknown {
struct Anything;
struct Argument {
  Argument();
  template <class A> Argument(A&&);
  Argument(std::initializer_list<Argument>);
};
template <class T> inline constexpr bool is_simple =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, char>) || std::is_enum_v<T> ||
    (std::is_pointer_v<T> && !std::is_same_v<std::remove_cv_t<std::remove_pointer_t<T>>, char>);
template <class T> inline constexpr bool is_anything = std::is_base_of_v<Anything, T>;
template <class L, class R> using Operands = std::enable_if_t<(is_anything<L> && (is_anything<R> || is_simple<R>)) ||
                                                              (is_simple<L> && is_anything<R>), int>;
template <class L, class R> using Class = std::enable_if_t<std::is_class_v<L> && !is_anything<L> && is_anything<R>, L>;
struct Anything {
  Anything();
  Anything(const Anything&);
  Anything(Argument, Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {},
           Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {});
  Anything& operator=(const Anything&);
  Anything& operator=(Argument);
  template <class T, std::enable_if_t<is_simple<T>, int> = 0> operator T() const;
  operator std::string() const;
  Anything operator()(Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {},
                      Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {}, Argument = {}) const;
  template <class I> Anything& operator[](I&&) const;
  Anything* operator->() const;
  Anything& operator*() const;
  Anything* begin() const;
  Anything* end() const;
  Anything& operator++();
  Anything operator++(int);
  Anything operator-() const;
  bool operator!() const;
)";
  for (const std::string& name : members_) {
    if (member_templates_.contains(name))
      out += "  template <class...> Anything& " + name + "(...) const;\n";
    else
      out += "  static Anything " + name + ";\n";
  }
  out += "};\n";
  const std::string operands = "template <class L, class R, Operands<std::decay_t<L>, std::decay_t<R>> = 0> ";
  for (std::string_view op : {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+=", "-=", "*=", "/="})
    out += operands + "Anything& operator" + std::string(op) + "(L&&, R&&);\n";
  for (std::string_view op : {"+", "-", "*", "/"}) {
    out += "template <class L, class R> Class<L, R> operator" + std::string(op) + "(const L&, const R&);\n";
    out += "template <class L, class R> Class<R, L> operator" + std::string(op) + "(const L&, const R&);\n";
  }
  for (std::string_view op : {"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
    out += operands + "bool operator" + std::string(op) + "(L&&, R&&);\n";
  out += "std::ostream& operator<<(std::ostream&, const Anything&);\n}\n";
  print(global_, out, 0, false);
  return out;
}

}  // namespace deadgrad::cpp
