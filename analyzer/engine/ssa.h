// Static single assignment for one function: which value each load of a local place means, with phis hanging on
// brackets. One structured pass; no control-flow graph. Value numbers: an event's value is its index within the
// function, phi k is event_count + k.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::engine {

using ValueNo = std::uint32_t;
inline constexpr ValueNo kNoValue = ~0u;

struct Phi {
  std::uint32_t bracket;   // local index of the Loop, Branch, or Try event it belongs to
  std::uint32_t position;  // local index of the event at which it is made: its operands from before are known by then
  StrId place;             // the module's string
  std::uint32_t first = 0, count = 0;  // into Ssa::phi_operands; operand 0 of a loop phi is the value on entry
  bool loop = false;
};

struct Ssa {
  std::uint32_t event_count = 0;
  // For a Load of an SSA place: the value it reads (a Store's event stands for the stored value); otherwise kNoValue.
  std::vector<ValueNo> definition;
  std::vector<Phi> phis;
  std::vector<ValueNo> phi_operands;
  // The innermost Loop bracket around each event (its own local index for the loop's End excluded), or kNoValue.
  std::vector<std::uint32_t> loop_of;

  std::size_t value_count() const { return event_count + phis.size(); }
  bool is_phi(ValueNo value) const { return value >= event_count; }
  const Phi& phi(ValueNo value) const { return phis[value - event_count]; }
};

// Places of the function's own scope are promoted: Local ones, and in a module body the Global ones.
Ssa build_ssa(const ir::Module& module, const ir::Function& function);

}  // namespace deadgrad::engine
