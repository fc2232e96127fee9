// Builds one ir::Module. A frontend opens functions (they may nest: events of an inner function are collected apart and
// laid down contiguously when it is closed), emits events, and calls finish() once.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

// Event ids handed out while a function is open are provisional: only valid as operands and targets within that
// function. close_function() renumbers them, so frontends never keep an EventId past the close of its function.
class Builder {
 public:
  explicit Builder(Module& module) : module_(module) {}

  StrId intern(std::string_view text) { return module_.strings.intern(text); }

  // The returned function's fields (span, flags, owner, …) may be set through module.functions until finish().
  FunctionId open_function(FunctionKind kind, std::string_view name, std::string_view qualified);
  void close_function();
  FunctionId current() const { return frames_.back().id; }
  bool has_open_function() const { return !frames_.empty(); }
  // Adds to the innermost open function; emits nothing (Param events are the frontend's to emit).
  void add_parameter(Parameter parameter);

  EventId emit(Op op, std::span<const EventId> operands, Span span, StrId name = {}, std::uint8_t flags = 0,
               std::uint32_t target = ~0u);
  EventId emit(Op op, std::initializer_list<EventId> operands, Span span, StrId name = {}, std::uint8_t flags = 0,
               std::uint32_t target = ~0u) {
    return emit(op, std::span<const EventId>(operands.begin(), operands.size()), span, name, flags, target);
  }
  // Opens a bracket; close() emits its End and links both.
  EventId open(Op op, std::initializer_list<EventId> operands, Span span, std::uint8_t flags = 0);
  void close(EventId bracket, std::uint32_t end_offset);
  // Marks an event of the innermost open function, e.g. as Discarded.
  void add_flags(EventId event, std::uint8_t flags);
  Op op_of(EventId event) const { return frames_.back().events[event.index].op; }
  // Is it the newest event of the innermost open function?
  bool is_last(EventId event) const { return event.index + 1 == frames_.back().events.size(); }

  // Closes every open function, lays out events and sets Class::made_by. The module is complete afterwards.
  void finish();

 private:
  struct Frame {
    FunctionId id;
    std::vector<Event> events;
    std::vector<EventId> operands;
    std::vector<Parameter> parameters;
  };
  Module& module_;
  std::vector<Frame> frames_;
};

}  // namespace deadgrad::ir
