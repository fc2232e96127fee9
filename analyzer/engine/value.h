// Abstract values: which things an expression may be. A value is a hash-consed set of at most sixteen atoms, the
// parameters it may be an alias of, and whether it may be something else as well.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/base/ids.h"
#include "analyzer/model/api_model.h"
#include "analyzer/program/program.h"

namespace deadgrad::engine {

enum class AtomKind : std::uint8_t {
  Instance,   // a: TypeId; b: 1 = maybe of a subclass (a method's own `self`)
  Object,     // of a library class. a: NameId of the class (or factory) symbol; b: model::Shape | Parameters << 4
  Function,   // a: FuncId
  Bound,      // a: FuncId; b: atom number of the receiver
  Class,      // a: TypeId
  Api,        // a: NameId of a canonical symbol
  ApiMethod,  // a: NameId of the method; b: atom number of the receiver
  Module,     // a: ModuleId
  Container,  // a: event number that made it; b: see container_size() and any_key()
  Generator,  // a: FuncId
  Guard,      // a: event number of the call that made it; b: model::Guard | GuardKind << 4
  Bool,       // a: 0 / 1
  None,
  Text,     // a: NameId, a constant string
  Number,   // a: NameId, a constant number as written
  Partial,  // a: FuncId; b: positional arguments already bound
  Super,    // a: TypeId whose bases are searched; b: atom number of the receiver
  Tensor,
  Plain,  // never carries a graph
};

// Numbers, strings, flags: what never carries a graph and cannot be called.
inline bool is_data(AtomKind kind) {
  return kind == AtomKind::Plain || kind == AtomKind::Bool || kind == AtomKind::None || kind == AtomKind::Text ||
         kind == AtomKind::Number;
}

struct Atom {
  std::uint64_t bits = 0;
  static Atom make(AtomKind kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    return {static_cast<std::uint64_t>(kind) << 58 | static_cast<std::uint64_t>(b & 0x3ffffff) << 32 | a};
  }
  AtomKind kind() const { return static_cast<AtomKind>(bits >> 58); }
  std::uint32_t a() const { return static_cast<std::uint32_t>(bits); }
  std::uint32_t b() const { return static_cast<std::uint32_t>(bits >> 32) & 0x3ffffff; }
  auto operator<=>(const Atom&) const = default;

  FuncId func() const { return FuncId{a()}; }
  TypeId type() const { return TypeId{a()}; }
  NameId name() const { return NameId{a()}; }
  static Atom instance(TypeId type, bool maybe_subclass) {
    return make(AtomKind::Instance, type.index, maybe_subclass);
  }
  static Atom object(NameId symbol, model::Shape shape, model::Parameters parameters = model::Parameters::Grad) {
    return make(AtomKind::Object, symbol.index,
                static_cast<std::uint32_t>(shape) | static_cast<std::uint32_t>(parameters) << 4);
  }
  // `size`: how many elements a display has; 0 if that is not known. With `any_key` what was stored under unknown keys
  // may be under any of the known ones.
  static Atom container(std::uint32_t event, std::uint32_t size, bool any_key) {
    return make(AtomKind::Container, event, size << 1 | any_key);
  }
  std::uint32_t container_size() const { return b() >> 1; }
  bool any_key() const { return (b() & 1) != 0; }
  model::Shape object_shape() const { return static_cast<model::Shape>(b() & 15); }
  model::Parameters object_parameters() const { return static_cast<model::Parameters>(b() >> 4 & 3); }
  model::Guard guard() const { return static_cast<model::Guard>(b() & 15); }
  model::GuardKind guard_kind() const { return static_cast<model::GuardKind>(b() >> 4 & 15); }
};

using SetId = Id<struct AtomSetTag>;

struct Value {
  SetId set{0};              // 0 is the empty set
  std::uint16_t params = 0;  // bit i: may be parameter i itself (parameters 0–15)
  bool unknown = false;      // may be something that the atoms do not say
  auto operator<=>(const Value&) const = default;
  bool nothing() const { return set.index == 0 && params == 0 && !unknown; }
};

// Hash-consing of atom sets, and numbers for atoms that other atoms refer to.
class ValueTable {
 public:
  ValueTable();
  std::span<const Atom> atoms(SetId id) const { return sets_[id.index]; }
  SetId single(Atom atom);
  SetId unite(SetId a, SetId b);
  Value of(Atom atom) { return Value{single(atom), 0, false}; }
  Value join(Value a, Value b);
  std::uint32_t number(Atom atom);
  Atom numbered(std::uint32_t number) const { return numbered_[number]; }

 private:
  SetId intern(std::vector<Atom> atoms);
  std::vector<std::vector<Atom>> sets_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
  std::unordered_map<std::uint64_t, SetId> unions_;
  std::unordered_map<std::uint64_t, SetId> singles_;
  std::vector<std::pair<std::uint64_t, SetId>> recent_singles_ =
      std::vector<std::pair<std::uint64_t, SetId>>(1 << 12);  // direct-mapped
  std::vector<Atom> numbered_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

inline constexpr std::size_t kMostAtoms = 16;

}  // namespace deadgrad::engine
