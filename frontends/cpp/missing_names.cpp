#include "frontends/cpp/missing_names.h"

#include <array>
#include <vector>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace deadgrad::cpp {

// Names that are never made up: the language's, and those of libraries whose headers we have.
static constexpr std::array<std::string_view, 72> kTaken{
    "std",       "torch",     "at",       "c10",      "caffe2",  "this",     "operator", "template", "typename", "class",
    "struct",    "enum",      "union",    "const",    "auto",    "bool",     "char",     "int",      "long",     "short",
    "float",     "double",    "signed",   "unsigned", "void",    "if",       "else",     "for",      "while",    "do",
    "switch",    "case",      "default",  "break",    "continue", "return",  "goto",     "new",      "delete",   "sizeof",
    "decltype",  "alignof",   "typeid",   "noexcept", "throw",   "try",      "catch",    "static",   "extern",   "inline",
    "virtual",   "explicit",  "friend",   "mutable",  "volatile", "register", "constexpr", "using",  "namespace", "public",
    "private",   "protected", "true",     "false",    "nullptr", "and",      "or",       "not",      "begin",    "end",
    "requires",  "concept"};

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
    if (!names_.contains(pieces[i].text)) continue;
    Scope* scope = &global_;
    std::size_t at = i;
    while (pieces[at + 1].kind == tok::coloncolon && pieces[at + 2].kind == tok::raw_identifier) {
      scope = &scope->scopes[std::string(pieces[at].text)];
      at += 2;
    }
    const bool is_namespace = i > 1 && pieces[i - 1].text == "namespace" && pieces[i - 2].text == "using";
    if (is_namespace)
      scope->scopes[std::string(pieces[at].text)];
    else if (!is_taken(pieces[at].text))
      use(*scope, pieces[at].text, how_used(at + 1));
  }
}

void MissingNames::print(const Scope& scope, std::string& out, int depth) {
  for (const auto& [name, how] : scope.names) {
    // What has names of its own is a namespace; a class cannot be declared beside it.
    if (scope.scopes.contains(name)) continue;
    switch (how) {
      case Use::Constant:
        out += "static deadgrad_unknown::Anything " + name + ";\n";
        break;
      case Use::Type:
        out += "struct " + name + " : deadgrad_unknown::Anything { using Anything::Anything; };\n";
        break;
      case Use::Template:
        out += "template <class = int, auto...> struct " + name + " : deadgrad_unknown::Anything { using Anything::Anything; };\n";
        break;
    }
  }
  if (depth > 8) return;
  for (const auto& [name, inner] : scope.scopes) {
    out += "namespace " + name + " {\n";
    print(inner, out, depth + 1);
    out += "}\n";
  }
}

std::string MissingNames::declarations() const {
  std::string out = R"(#pragma GCC system_header
#include <string>
#include <type_traits>
namespace deadgrad_unknown {
struct Anything;
template <class T> using Simple = std::enable_if_t<std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>, int>;
struct Anything {
  Anything();
  Anything(const Anything&);
  template <class A, class... B> Anything(A&&, B&&...);
  template <class A> Anything(std::initializer_list<A>);
  Anything& operator=(const Anything&);
  template <class A> Anything& operator=(A&&);
  template <class T, Simple<T> = 0> operator T() const;
  operator std::string() const;
  template <class... A> Anything operator()(A&&...) const;
  template <class A> Anything& operator[](A&&) const;
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
  for (std::string_view op : {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+=", "-=", "*=", "/="}) {
    const std::string result = op.ends_with('=') || op == "<<" || op == ">>" ? "Anything&" : "Anything";
    out += "template <class T> " + result + " operator" + std::string(op) + "(const Anything&, T&&);\n";
    if (op.size() == 1)
      out += "template <class T, Simple<T> = 0> Anything operator" + std::string(op) + "(T, const Anything&);\n";
  }
  for (std::string_view op : {"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
    out += "template <class T> bool operator" + std::string(op) + "(const Anything&, T&&);\n";
  out += "}\n";
  print(global_, out, 0);
  return out;
}

}  // namespace deadgrad::cpp
