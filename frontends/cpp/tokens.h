// The tokens of a C++ text and what of its structure an edit must respect: matching brackets, blocks and statements.
// Nothing is preprocessed, so a text whose brackets do not match is one that nobody may edit by its structure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::cpp {

struct Token {
  enum class Kind : std::uint8_t { Word, Literal, Mark, Directive } kind = Kind::Mark;
  std::uint32_t begin = 0, end = 0;
};

using TokenNo = std::size_t;
inline constexpr TokenNo kNoToken = ~std::size_t{0};

// Tokens `first` to `last`, which is the semicolon or closing brace.
struct Statement {
  TokenNo first = 0, last = 0;
  bool is_label = false;
};

class Tokens {
 public:
  explicit Tokens(std::string_view source);  // must outlive it

  std::string_view source() const { return source_; }
  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](TokenNo token) const { return tokens_[token]; }
  std::string_view text(TokenNo token) const;
  bool is(TokenNo token, std::string_view text) const { return token < size() && this->text(token) == text; }
  bool are_balanced() const { return balanced_; }
  TokenNo match(TokenNo bracket) const { return matches_[bracket]; }
  TokenNo at(std::uint32_t offset) const;  // the first token that ends behind it; size() if none
  bool in_comment(std::uint32_t offset) const;

  // The innermost block of statements that holds the span: its opening brace, or kNoToken.
  TokenNo block_around(ir::Span span) const;
  std::vector<Statement> statements_in(TokenNo block) const;
  // The smallest statement below `outer` that stands there without braces and holds the span; `outer` if there is none.
  Statement without_braces(const Statement& outer, ir::Span span) const;
  ir::Span span(const Statement& statement) const {
    return {tokens_[statement.first].begin, tokens_[statement.last].end};
  }
  bool is_switch(TokenNo block) const;

  std::uint32_t line_begin(std::uint32_t offset) const;
  std::uint32_t line_end(std::uint32_t offset) const;   // before the line break
  std::uint32_t next_line(std::uint32_t offset) const;  // behind it
  bool starts_line(TokenNo token) const;                // no token stands before it on its line
  bool ends_line(TokenNo token) const;
  std::string_view indent_at(std::uint32_t offset) const;
  std::string_view newline_at(std::uint32_t offset) const;

 private:
  void read();
  void match_brackets();
  bool holds_statements(TokenNo brace) const;
  // The last token of the statement; what stands below it without braces is added to `below`.
  TokenNo end_of_statement(TokenNo first, TokenNo limit, std::vector<Statement>* below, int depth) const;
  TokenNo end_of_substatement(TokenNo first, TokenNo limit, std::vector<Statement>* below, int depth) const;

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<TokenNo> matches_;
  std::vector<ir::Span> comments_;
  bool balanced_ = true;
};

}  // namespace deadgrad::cpp
