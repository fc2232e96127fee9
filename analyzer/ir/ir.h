// The intermediate representation: one Module per source file, bracketed events per function, no control-flow graph.
// Frontends build it (builder.h), text.h prints and parses it, binary.h stores it, and the engine only reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/ids.h"
#include "analyzer/base/strings.h"

namespace deadgrad::ir {

using EventId = Id<struct EventTag>;        // index into Module::events; also names the value that the event produces
using FunctionId = Id<struct FunctionTag>;  // index into Module::functions
using ClassId = Id<struct ClassTag>;        // index into Module::classes

// A byte range [begin, end) of the file as it is on disk (a BOM counts). For a notebook: of the joined cells.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  auto operator<=>(const Span&) const = default;
};

// Operand lists are written (a, b, …) below; `name` is Event::name, `target` Event::target.
enum class Op : std::uint8_t {
  // ---- brackets: `target` is the EventId of the matching End
  Loop,     // () a loop; its condition and Iterate events stand inside it. Flags: While, For, Comprehension, Async
  Branch,   // (condition) holds only Arm brackets. With exactly two arms the first is taken when the condition is true.
            // Flag Match: any number of arms, one of them is taken, the last (maybe empty) arm when none matches
  Arm,      // ()
  Try,      // () holds an Arm (body and else), then Handler brackets, then at most one Finally
  Handler,  // (caught type or nothing)
  Finally,  // ()
  Scope,  // (object) `with`, a decorator-less RAII object, synchronized block. Its value is what `as` binds (the result
          // of __enter__), or the object itself. Flags: Raii, Async
  End,    // `target` is the EventId of the opening bracket
  Hold,   // (object) a RAII object lives from here on beyond what its place in the text says: a static, a member, one
          // that is put into a variable whose Scope is open
  Release,  // (object) it is destroyed here, by hand

  // ---- places. Flags Local, Captured, Global say where `name` lives
  Param,            // the value of parameter number `target`, first in the function; name
  Load,             // () value of the named place
  Store,            // (value) into the named place
  Delete,           // () the named place
  LoadAttribute,    // (object) .name
  StoreAttribute,   // (object, value) .name
  DeleteAttribute,  // (object) .name
  LoadItem,         // (object, index)
  StoreItem,        // (object, index, value)
  DeleteItem,       // (object, index)

  // ---- values
  Const,   // flags None, True, False, Int, Float, String, Bytes, Ellipsis; name: the text (strings unquoted, cut at 200
           // bytes)
  Symbol,  // an entity by its canonical qualified name, e.g. `c10::InferenceMode` (languages that resolve names
           // themselves). Discarded: named by a declaration that makes no object
  Import,  // name: absolute dotted module name. Value: that module; with flag TopPackage the first component's module.
           // Flag Relative: the name was relative and is exact inside this project
  ImportStar,  // (module) binds all its public names in the current scope
  MakeList,
  MakeTuple,
  MakeSet,       // (elements…) Star operands splice
  MakeDict,      // (key, value, key, value, …); DoubleStar operands stand alone
  MakeSlice,     // (start, stop, step) Const None where absent
  MakeFunction,  // (Decorator…, Keyword name=default…) `target` is the FunctionId; the value is the function before
                 // decoration's
  // result is stored: decorators are applied innermost last in operand order, as written from top to bottom
  MakeClass,  // (bases…, Keyword…, Decorator…) `target` is the ClassId
  Append,     // (container, element) adds to a container built by a comprehension. Value: none
  Binary,     // (left, right) name: operator, e.g. "+". Flag InPlace for augmented assignment
  Unary,      // (operand) name: "-", "+", "~", "not"
  Compare,    // (left, right, …) name: "<", "is", "in", … (of the first comparison)
  Bool,       // (operands…) name: "and" / "or"; operands are evaluated in line
  Select,     // (condition, if true, if false) both are evaluated in line
  Format,     // (operands…) string built from values
  Typed,    // (value, type) the value, with a declared type. `type` is a value that denotes a class, or a Const String.
            // Flag Certain: the language makes sure of it
  Call,     // (callee, arguments…) arguments may be Keyword, Star, DoubleStar events
  Keyword,  // (value) name: wrapper of an operand
  Star,     // (value) wrapper of an operand
  DoubleStar,  // (value) wrapper of an operand
  Decorator,   // (value) wrapper of an operand of MakeFunction and MakeClass
  Iterate,     // (iterable) one element of it, at the start of each turn of the enclosing Loop
  Await,       // (value)
  Yield,       // (value or nothing). Flag From
  Unpack,  // (value) element number `target` of a destructured value. Flags: Starred, all elements from there on but
           // those of the targets behind it; FromEnd, one of those: `target` counts from the last, which is 0

  // ---- control
  Return,    // (value or nothing)
  Raise,     // (operands…)
  Break,     // leaves the innermost Loop
  Continue,  // next turn of the innermost Loop

  Unknown,  // (operands…) what the frontend cannot say; keeps its operands. name: the construct
};
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::Unknown) + 1;

// Flags share one byte; which apply depends on the op.
namespace flag {
inline constexpr std::uint8_t Local = 1, Captured = 2, Global = 3;  // places: a two-bit field, mask kPlaceMask
inline constexpr std::uint8_t kPlaceMask = 3;
inline constexpr std::uint8_t None = 0, True = 1, False = 2, Int = 3, Float = 4, String = 5, Bytes = 6,
                              Ellipsis = 7;  // Const
inline constexpr std::uint8_t kConstMask = 7;
inline constexpr std::uint8_t For = 1, While = 2, Comprehension = 3;  // Loop: a two-bit field, mask kLoopMask
inline constexpr std::uint8_t kLoopMask = 3;
inline constexpr std::uint8_t Async = 4;  // Loop, Scope
inline constexpr std::uint8_t Lazy = 8;   // Loop: generator expression, runs when its container is iterated
inline constexpr std::uint8_t Raii = 1;   // Scope
inline constexpr std::uint8_t Match = 1;  // Branch
inline constexpr std::uint8_t TopPackage = 1, Relative = 2;  // Import
inline constexpr std::uint8_t InPlace = 1;                   // Binary
inline constexpr std::uint8_t From = 1;                      // Yield
inline constexpr std::uint8_t Certain = 1;                   // Typed
inline constexpr std::uint8_t Starred = 1, FromEnd = 2;      // Unpack: a two-bit field, mask kUnpackMask
inline constexpr std::uint8_t kUnpackMask = 3;
inline constexpr std::uint8_t Discarded = 128;  // any value: an expression statement, nobody reads the value
}  // namespace flag

struct Event {
  Op op = Op::Unknown;
  std::uint8_t flags = 0;
  std::uint16_t operand_count = 0;  // longer lists are split by the builder into Unknown parts
  std::uint32_t first_operand = 0;  // into Module::operands
  StrId name;                       // or invalid
  std::uint32_t target = ~0u;       // partner bracket, FunctionId, ClassId, parameter or element number
  Span span;
};

enum class ParamKind : std::uint8_t { Positional, KeywordOnly, VarArgs, VarKeywords };
struct Parameter {
  StrId name;
  ParamKind kind = ParamKind::Positional;
  bool has_default = false;
  Span span;
};

enum class FunctionKind : std::uint8_t { ModuleBody, ClassBody, Function, Lambda };
struct Function {
  StrId name;         // "denoise"; "<module>", "<lambda>", the class's name for a class body
  StrId qualified;    // within the module: "Sampler.denoise", "outer.<locals>.inner"; "" for the module body
  FunctionId parent;  // the lexically enclosing function; invalid for the module body
  ClassId owner;      // the class whose body defines it directly; invalid otherwise
  // Languages whose files share one name space: the name by which other files mean it (C++: Clang's USR; of a class on
  // its body). Functions with the same symbol are one function, told several times. Invalid: no other file can.
  StrId symbol;
  StrId owner_symbol;  // the class it is a member of, where that is defined in another file
  FunctionKind kind = FunctionKind::Function;
  bool is_async = false, is_generator = false;
  bool is_static = false, is_class_method = false, is_property = false;
  bool is_constructor = false;
  bool is_pattern = false;  // of a template, not instantiated: counts only where no instance of it is in view
  std::uint32_t first_parameter = 0, parameter_count = 0;  // into Module::parameters
  EventId first_event;                                     // into Module::events
  std::uint32_t event_count = 0;
  Span span;    // the whole definition, decorators included
  Span header;  // `def name(…)` to before the body
  Span body;    // from the first statement to the end
};

struct Class {
  StrId name, qualified;
  FunctionId body;   // of kind ClassBody: its local stores are the class's attributes
  FunctionId scope;  // the function in which the class statement stands
  EventId made_by;   // its MakeClass event
  Span span, header;
};

// Something the frontend could not read as meant; analysis goes on.
struct Notice {
  Span span;
  std::string text;
};

enum class Language : std::uint8_t { Python, Cpp };

struct Module {
  std::string path;  // relative to the analysis root, '/' separators
  std::string name;  // Python: dotted name from the analysis root ("src.pkg.mod", a package's __init__ is "src.pkg")
  std::string unit;  // C++: the path of the main file in whose unit this was told; empty: its own
  Language language = Language::Python;
  bool is_package = false;
  StringTable strings;
  std::vector<Function> functions;  // functions[0] is the module body
  std::vector<Class> classes;
  std::vector<Parameter> parameters;
  std::vector<Event> events;  // each function's events are contiguous and in evaluation order
  std::vector<EventId> operands;
  std::vector<std::uint32_t> line_starts;  // byte offset of each line's first byte
  std::vector<Notice> notices;
  bool imports_test_framework = false;  // test code is told by what it imports and where it lies, never by a name alone

  const Event& event(EventId id) const { return events[id.index]; }
  std::span<const EventId> operands_of(const Event& e) const {
    return {operands.data() + e.first_operand, e.operand_count};
  }
  std::string_view text(StrId id) const { return strings[id]; }
  std::span<const Parameter> parameters_of(const Function& f) const {
    return {parameters.data() + f.first_parameter, f.parameter_count};
  }
};

}  // namespace deadgrad::ir
