#include "frontends/cpp/tokens.h"

#include <algorithm>
#include <array>

namespace deadgrad::cpp {

static constexpr int kMaxDepth = 200;  // of statements below statements

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || (c & 0x80) != 0;
}
static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r' || c == '\n';
}

// Reads one token after the other.
class TokenReader {
 public:
  TokenReader(std::string_view text, std::vector<Token>& tokens, std::vector<ir::Span>& comments)
      : text_(text), tokens_(tokens), comments_(comments) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') is_line_begin_ = true;
      if (is_blank(c)) {
        ++at_;
      } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        ++at_;
        while (peek(0) == '\r') ++at_;
        ++at_;
      } else if (!comment()) {
        token();
        is_line_begin_ = false;
      }
    }
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool comment() {
    if (peek(0) != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    const std::size_t begin = at_;
    if (peek(1) == '/') {
      skip_line();
      while (text_[at_ - 1] == '\r') --at_;
    } else {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }
    comments_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
    return true;
  }

  // To the line break, over those behind a backslash.
  void skip_line() {
    for (;;) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      std::size_t last = at_;
      while (last > 0 && text_[last - 1] == '\r') --last;
      if (at_ == text_.size() || last == 0 || text_[last - 1] != '\\') return;
      ++at_;
    }
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    if (peek(0) == quote) ++at_;
    at_ = std::min(at_, text_.size());
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return quoted('"');
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
  }

  void token() {
    Token token{Token::Kind::Mark, static_cast<std::uint32_t>(at_), 0};
    const char c = text_[at_];
    if (c == '#' && is_line_begin_) {
      token.kind = Token::Kind::Directive;
      skip_line();
    } else if (is_digit(c)) {
      token.kind = Token::Kind::Literal;
      while (is_word(peek(0)) || peek(0) == '.' || (peek(0) == '\'' && is_word(peek(1)))) ++at_;
    } else if (is_word(c)) {
      token.kind = Token::Kind::Word;
      while (is_word(peek(0))) ++at_;
      static constexpr std::array<std::string_view, 5> kRaw = {"R", "u8R", "uR", "UR", "LR"};
      const std::string_view word = text_.substr(token.begin, at_ - token.begin);
      if (peek(0) == '"' && std::ranges::find(kRaw, word) != kRaw.end()) {
        token.kind = Token::Kind::Literal;
        raw_string();
      }
    } else if (c == '"' || c == '\'') {
      token.kind = Token::Kind::Literal;
      quoted(c);
    } else {
      at_ += (c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>') ? 2 : 1;
    }
    token.end = static_cast<std::uint32_t>(at_);
    tokens_.push_back(token);
  }

  std::string_view text_;
  std::vector<Token>& tokens_;
  std::vector<ir::Span>& comments_;
  std::size_t at_ = 0;
  bool is_line_begin_ = true;
};

Tokens::Tokens(std::string_view source) : source_(source) {
  TokenReader(source, tokens_, comments_).run();
  match_brackets();
}

std::string_view Tokens::text(TokenNo token) const {
  return source_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
}

void Tokens::match_brackets() {
  matches_.assign(size(), kNoToken);
  std::vector<TokenNo> open;
  for (TokenNo token = 0; token < size(); ++token) {
    if (tokens_[token].kind != Token::Kind::Mark) continue;
    const char mark = text(token)[0];
    if (mark == '(' || mark == '[' || mark == '{') open.push_back(token);
    if (mark != ')' && mark != ']' && mark != '}') continue;
    const char wanted = mark == ')' ? '(' : mark == ']' ? '[' : '{';
    if (open.empty() || text(open.back())[0] != wanted) {
      balanced_ = false;
      return;
    }
    matches_[open.back()] = token;
    matches_[token] = open.back();
    open.pop_back();
  }
  balanced_ = open.empty();
}

TokenNo Tokens::at(std::uint32_t offset) const {
  return static_cast<TokenNo>(std::ranges::upper_bound(tokens_, offset, {}, &Token::end) - tokens_.begin());
}

bool Tokens::in_comment(std::uint32_t offset) const {
  auto after = std::ranges::upper_bound(comments_, offset, {}, &ir::Span::begin);
  return after != comments_.begin() && std::prev(after)->begin < offset && offset < std::prev(after)->end;
}

// Statements end with semicolons; in the braces of a list there is none, in those of a class other things have them.
bool Tokens::holds_statements(TokenNo brace) const {
  bool has_semicolon = false;
  for (TokenNo token = brace + 1; token < matches_[brace]; ++token) {
    if (matches_[token] != kNoToken)
      token = matches_[token];
    else
      has_semicolon |= is(token, ";");
  }
  if (!has_semicolon) return false;
  for (TokenNo token = brace; token-- > 0;) {
    const std::string_view word = text(token);
    if (word == ";" || word == "{" || word == "}") break;
    if (matches_[token] != kNoToken) {
      if (matches_[token] > token) break;  // an opening bracket
      token = matches_[token];
      continue;
    }
    for (std::string_view keyword : {"class", "struct", "union", "enum", "namespace", "extern", "requires"})
      if (word == keyword) return false;
  }
  return true;
}

TokenNo Tokens::block_around(ir::Span span) const {
  TokenNo found = kNoToken;
  for (TokenNo token = 0; token < size() && tokens_[token].begin < span.begin; ++token) {
    if (!is(token, "{") || matches_[token] == kNoToken || tokens_[matches_[token]].begin < span.end) continue;
    if (holds_statements(token)) found = token;
  }
  return found;
}

bool Tokens::is_switch(TokenNo block) const {
  if (block == 0 || !is(block - 1, ")")) return false;
  const TokenNo open = matches_[block - 1];
  return open > 0 && is(open - 1, "switch");
}

TokenNo Tokens::end_of_substatement(TokenNo first, TokenNo limit, std::vector<Statement>* below, int depth) const {
  const TokenNo last = end_of_statement(first, limit, below, depth + 1);
  if (below != nullptr && !is(first, "{") && last < limit) below->push_back({first, last});
  return last;
}

TokenNo Tokens::end_of_statement(TokenNo first, TokenNo limit, std::vector<Statement>* below, int depth) const {
  if (first >= limit || depth > kMaxDepth) return limit;
  if (tokens_[first].kind == Token::Kind::Directive) return first;
  if (is(first, "{")) return matches_[first];
  const std::string_view word = text(first);
  if (word == "if" || word == "for" || word == "while" || word == "switch") {
    TokenNo open = first + 1;
    while (open < limit && !is(open, "(")) ++open;
    if (open >= limit) return limit;
    TokenNo last = end_of_substatement(matches_[open] + 1, limit, below, depth);
    if (word == "if" && last + 1 < limit && is(last + 1, "else"))
      last = end_of_substatement(last + 2, limit, below, depth);
    return last;
  }
  if (word == "do") {
    TokenNo last = end_of_substatement(first + 1, limit, below, depth) + 1;
    while (last < limit && !is(last, ";")) ++last;
    return std::min(last, limit);
  }
  if (word == "try") {
    TokenNo last = first + 1 < limit && is(first + 1, "{") ? matches_[first + 1] : limit;
    while (last + 2 < limit && is(last + 1, "catch") && is(last + 2, "(")) {
      const TokenNo block = matches_[last + 2] + 1;
      if (block >= limit || !is(block, "{")) return limit;
      last = matches_[block];
    }
    return last;
  }
  for (TokenNo token = first; token < limit; ++token) {
    if (is(token, ";")) return token;
    if (matches_[token] != kNoToken) token = matches_[token];
  }
  return limit;
}

std::vector<Statement> Tokens::statements_in(TokenNo block) const {
  std::vector<Statement> statements;
  const TokenNo limit = matches_[block];
  for (TokenNo first = block + 1; first < limit;) {
    Statement statement{first, first, false};
    const bool is_case = is(first, "case") || is(first, "default");
    if (is_case || (tokens_[first].kind == Token::Kind::Word && is(first + 1, ":"))) {
      while (statement.last < limit && !is(statement.last, ":"))
        statement.last = matches_[statement.last] != kNoToken ? matches_[statement.last] + 1 : statement.last + 1;
      statement.is_label = true;
    } else {
      statement.last = end_of_statement(first, limit, nullptr, 0);
    }
    if (statement.last >= limit) statement.last = limit - 1;
    statements.push_back(statement);
    first = statement.last + 1;
  }
  return statements;
}

Statement Tokens::without_braces(const Statement& outer, ir::Span wanted) const {
  std::vector<Statement> below;
  end_of_statement(outer.first, outer.last + 1, &below, 0);
  Statement found = outer;
  for (const Statement& statement : below) {
    const ir::Span own = span(statement);
    if (own.begin <= wanted.begin && wanted.end <= own.end &&
        statement.last - statement.first < found.last - found.first)
      found = statement;
  }
  return found;
}

std::uint32_t Tokens::line_begin(std::uint32_t offset) const {
  const std::uint32_t first = source_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (offset > first && source_[offset - 1] != '\n') --offset;
  return offset;
}

std::uint32_t Tokens::line_end(std::uint32_t offset) const {
  auto end = static_cast<std::uint32_t>(std::min(source_.find('\n', offset), source_.size()));
  return end > offset && end < source_.size() && source_[end - 1] == '\r' ? end - 1 : end;
}

std::uint32_t Tokens::next_line(std::uint32_t offset) const {
  const std::size_t end = source_.find('\n', offset);
  return static_cast<std::uint32_t>(end == std::string_view::npos ? source_.size() : end + 1);
}

bool Tokens::starts_line(TokenNo token) const {
  const std::uint32_t begin = line_begin(tokens_[token].begin);
  return std::ranges::all_of(source_.substr(begin, tokens_[token].begin - begin), is_blank);
}

bool Tokens::ends_line(TokenNo token) const {
  const std::uint32_t end = line_end(tokens_[token].end);
  return (token + 1 >= size() || tokens_[token + 1].begin >= end) && !in_comment(end) &&
         (end == 0 || source_[end - 1] != '\\');
}

std::string_view Tokens::indent_at(std::uint32_t offset) const {
  const std::uint32_t begin = line_begin(offset);
  std::uint32_t end = begin;
  while (end < source_.size() && (source_[end] == ' ' || source_[end] == '\t')) ++end;
  return source_.substr(begin, end - begin);
}

std::string_view Tokens::newline_at(std::uint32_t offset) const {
  const std::size_t end = source_.find('\n', offset);
  const std::size_t at = end != std::string_view::npos ? end : source_.rfind('\n', offset);
  return at != std::string_view::npos && at > 0 && source_[at - 1] == '\r' ? "\r\n" : "\n";
}

}  // namespace deadgrad::cpp
