#include "analyzer/ir/builder.h"

#include <cassert>

namespace deadgrad::ir {

static bool target_is_event(Op op) {
  switch (op) {
    case Op::Loop:
    case Op::Branch:
    case Op::Arm:
    case Op::Try:
    case Op::Handler:
    case Op::Finally:
    case Op::Scope:
    case Op::End:
      return true;
    default:
      return false;
  }
}

FunctionId Builder::open_function(FunctionKind kind, std::string_view name, std::string_view qualified) {
  FunctionId id{static_cast<std::uint32_t>(module_.functions.size())};
  Function function;
  function.kind = kind;
  function.name = intern(name);
  function.qualified = intern(qualified);
  if (!frames_.empty()) function.parent = frames_.back().id;
  module_.functions.push_back(function);
  frames_.push_back(Frame{id, {}, {}, {}});
  return id;
}

void Builder::close_function() {
  assert(!frames_.empty());
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Function& function = module_.functions[frame.id.index];
  const auto event_base = static_cast<std::uint32_t>(module_.events.size());
  const auto operand_base = static_cast<std::uint32_t>(module_.operands.size());
  function.first_event = EventId{event_base};
  function.event_count = static_cast<std::uint32_t>(frame.events.size());
  for (Event event : frame.events) {
    event.first_operand += operand_base;
    if (target_is_event(event.op) && event.target != ~0u) event.target += event_base;
    module_.events.push_back(event);
  }
  for (EventId operand : frame.operands) {
    module_.operands.push_back(operand.valid() ? EventId{operand.index + event_base} : operand);
  }
  function.first_parameter = static_cast<std::uint32_t>(module_.parameters.size());
  function.parameter_count = static_cast<std::uint32_t>(frame.parameters.size());
  module_.parameters.insert(module_.parameters.end(), frame.parameters.begin(), frame.parameters.end());
}

void Builder::add_parameter(Parameter parameter) {
  frames_.back().parameters.push_back(parameter);
}

EventId Builder::emit(Op op, std::span<const EventId> operands, Span span, StrId name, std::uint8_t flags,
                      std::uint32_t target) {
  Frame& frame = frames_.back();
  // A list too long for the 16-bit count is folded: its first part becomes one Unknown operand.
  constexpr std::size_t kMost = 60000;
  if (operands.size() > kMost) {
    std::vector<EventId> shorter{emit(Op::Unknown, operands.first(kMost), span, intern("long list"))};
    shorter.insert(shorter.end(), operands.begin() + kMost, operands.end());
    return emit(op, std::span<const EventId>(shorter), span, name, flags, target);
  }
  Event event;
  event.op = op;
  event.flags = flags;
  event.operand_count = static_cast<std::uint16_t>(operands.size());
  event.first_operand = static_cast<std::uint32_t>(frame.operands.size());
  event.name = name;
  event.target = target;
  event.span = span;
  frame.operands.insert(frame.operands.end(), operands.begin(), operands.end());
  frame.events.push_back(event);
  return EventId{static_cast<std::uint32_t>(frame.events.size() - 1)};
}

EventId Builder::open(Op op, std::initializer_list<EventId> operands, Span span, std::uint8_t flags) {
  return emit(op, operands, span, {}, flags);
}

void Builder::close(EventId bracket, std::uint32_t end_offset) {
  EventId end = emit(Op::End, {}, Span{end_offset, end_offset}, {}, 0, bracket.index);
  Event& opening = frames_.back().events[bracket.index];
  opening.target = end.index;
  if (opening.span.end < end_offset) opening.span.end = end_offset;
}

void Builder::add_flags(EventId event, std::uint8_t flags) {
  frames_.back().events[event.index].flags |= flags;
}

void Builder::finish() {
  while (!frames_.empty()) close_function();
  for (std::uint32_t i = 0; i < module_.events.size(); ++i) {
    const Event& event = module_.events[i];
    if (event.op == Op::MakeClass && event.target < module_.classes.size()) {
      module_.classes[event.target].made_by = EventId{i};
    }
  }
}

}  // namespace deadgrad::ir
