// The text form `.dgir` of a Module: printed for people and golden files, written by hand for engine tests. dgir.md
// beside this file is the guide for writers. print() writes every field, so print -> parse -> print is the identity;
// hand-written text may leave out nearly everything.
//
//   text     := module*                       one line per item; `;` starts a comment; blank lines are free
//   module   := "module" STR ["name" NAME] ["unit" STR] ["python"|"cpp"] ["package"] ["imports-test-framework"]
//               ("lines" NUM* | "notice" STR [SPAN] | function)*
//   function := head event* "end" [SPAN]
//   head     := "func" "<module>" attr*                 the module body; an empty one is made up when left out
//             | ("func"|"lambda") NAME "(" params ")" attr*
//             | "class" NAME attr*                      a Class and the function that is its body
//   attr     := "name" NAME | "parent" FREF | "method-of" (CREF|"none") | SPAN | "header" SPAN | "body" SPAN
//             | "async" | "generator" | "static" | "classmethod" | "property" | "constructor" | "pattern" | "no-params"
//             | "symbol" NAME | "member-of" NAME
//             | "id" NUM | "scope" FREF | "class-span" SPAN | "class-header" SPAN                 (class only)
//   params   := ["*"|"**"] NAME ["=" "?"] [SPAN] | "*" | "/"      a plain name after a star is keyword-only, "/" ends
//   that event    := [LABEL "="] ["discard"] OP flag* [NAME] [target] operands ["named" NAME] [SPAN]
//             | ("load"|"delete") operand "." NAME  | "store" operand "." NAME operand         attributes
//             | ("load"|"delete") operand "[" operand "]" | "store" operand "[" operand "]" operand      items
//             | "end" [SPAN]                                          closes the innermost bracket, or the function
//   target   := FREF (function) | CREF (class) | NUM (unpack; param, where it is not the first of that name)
//   FREF     := "@" (NAME | NUM) | "@<module>"      CREF := "@" (NAME | NUM)      by qualified name if it is unique
//   operands := operand* ["(" operand ("," operand)* ")"]
//   operand  := LABEL | LABEL "." NAME… | word | literal | NAME "=" operand | ("*"|"**"|"@") operand
//   SPAN     := "[" NUM ".." NUM "]"     LABEL := "%" word     NAME := word | STR     STR := "…" with \n \t \r \"
//   \\ \xHH
//
// Only LABEL operands are printed. The others are shorthand for events placed just before: `torch.no_grad` for a load
// and its attributes, `3`, `"text"`, `true`, `none` for a const, `key=%v`, `*%v`, `**%v`, `@%v` for the wrappers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

struct PrintOptions {
  bool spans =
      true;  // false: no spans and no line starts, for golden files and for reading; parsing then makes some up
};

// Complete for modules that verify() accepts; prints what it can of any other.
std::string print(const Module& module, PrintOptions options = {});

// Exactly one module; its `module` line may be left out. The result is verified. Errors start with "line N: ".
Result<Module> parse(std::string_view text);
// Any number of modules, each starting with its `module` line.
Result<std::vector<Module>> parse_program(std::string_view text);

}  // namespace deadgrad::ir
