// Typed indexes and the vectors they index. Every layer uses them: an id names a thing for as long as its owner
// lives, and mixing up two kinds of id does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace deadgrad {

template <class Tag>
struct Id {
  std::uint32_t index = ~0u;

  constexpr bool valid() const { return index != ~0u; }
  constexpr auto operator<=>(const Id&) const = default;
};

// Owns values and hands out their ids. Ids never dangle; references may, as with any vector.
template <class IdType, class Value>
class Store {
 public:
  IdType add(Value value) {
    values_.push_back(std::move(value));
    return IdType{static_cast<std::uint32_t>(values_.size() - 1)};
  }
  Value& operator[](IdType id) { return values_[id.index]; }
  const Value& operator[](IdType id) const { return values_[id.index]; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  bool contains(IdType id) const { return id.index < values_.size(); }
  void reserve(std::size_t count) { values_.reserve(count); }
  void resize(std::size_t count) { values_.resize(count); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::vector<Value>& raw() { return values_; }
  const std::vector<Value>& raw() const { return values_; }

 private:
  std::vector<Value> values_;
};

}  // namespace deadgrad

template <class Tag>
struct std::hash<deadgrad::Id<Tag>> {
  std::size_t operator()(deadgrad::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
