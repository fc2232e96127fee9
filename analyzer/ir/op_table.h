// What each Op may look like: its word in the text form, its operands, its flags. The printer, the parser and the
// verifier read this one table, so that they cannot disagree.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

struct FlagWord {
  std::string_view word;
  std::uint8_t mask;   // the bits this word speaks about
  std::uint8_t value;  // and what they are when it is written
};

enum class TargetKind : std::uint8_t { None, Partner, Parameter, Function, Class, Element };

struct OpInfo {
  Op op;
  std::string_view word;       // Load, Store and Delete share theirs with the attribute and item forms
  std::uint16_t min_operands;  // every operand within the count is a valid event: none is ever "absent" in between
  std::uint16_t max_operands;
  bool has_value;  // may be an operand of another event
  bool has_name;
  TargetKind target;
  std::span<const FlagWord> flags;  // without Discarded, which any event with a value may carry

  bool is_bracket() const { return target == TargetKind::Partner && op != Op::End; }
};

inline constexpr std::uint16_t kAnyCount = 0xffff;

// `op` must be one of the enumerators.
const OpInfo& op_info(Op op);
// The flag bits the op may carry.
std::uint8_t flag_mask(const OpInfo& info);
// May `wrapper` (Keyword, Star, DoubleStar, Decorator) stand at operand position `position` of `user`?
bool accepts_wrapper(Op user, Op wrapper, std::size_t position);
bool is_wrapper(Op op);

}  // namespace deadgrad::ir
