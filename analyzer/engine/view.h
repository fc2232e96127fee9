// A function's events by local index: the shape in which the engine's later phases read the IR.
#pragma once

#include "analyzer/engine/inference.h"

namespace deadgrad::engine {

struct View {
  const ir::Module& module;
  const ir::Function& function;
  std::uint32_t size() const { return function.event_count; }
  const ir::Event& at(std::uint32_t i) const { return module.events[function.first_event.index + i]; }
  ValueNo operand(const ir::Event& event, std::size_t k) const {
    if (k >= event.operand_count) return kNoValue;
    const ir::EventId id = module.operands[event.first_operand + k];
    return id.valid() ? id.index - function.first_event.index : kNoValue;
  }
  std::string_view name(const ir::Event& event) const { return module.text(event.name); }
};

inline View view_of(const Inference& inference, FuncId f) {
  return View{inference.program().module_of(f), inference.program().function(f)};
}

}  // namespace deadgrad::engine
