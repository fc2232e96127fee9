// Ordered dictionaries, archives, torch::save and torch::load.
#pragma once
#pragma GCC system_header

#include "ivalue.h"

namespace torch {

template <class Key, class Mapped>
class OrderedDict {
 public:
  class Item {
   public:
    Item(Key, Mapped);
    const Key& key() const noexcept;
    Mapped& value() noexcept;
    const Mapped& value() const noexcept;
    Mapped& operator*();
    const Mapped& operator*() const;
    Mapped* operator->();
    const Mapped* operator->() const;
    const std::pair<Key, Mapped>& pair() const noexcept;
  };
  using key_type = Key;
  using value_type = Mapped;
  using Iterator = Item*;
  using ConstIterator = const Item*;
  explicit OrderedDict(std::string = "");
  OrderedDict(std::initializer_list<Item>);
  const std::string& key_description() const noexcept;
  Item& front();
  Item& back();
  const Item& front() const;
  const Item& back() const;
  Mapped& operator[](const Key&);
  const Mapped& operator[](const Key&) const;
  Item& operator[](std::size_t);
  const Item& operator[](std::size_t) const;
  Mapped* find(const Key&) noexcept;
  const Mapped* find(const Key&) const noexcept;
  bool contains(const Key&) const noexcept;
  Item* begin();
  Item* end();
  const Item* begin() const;
  const Item* end() const;
  std::size_t size() const noexcept;
  bool is_empty() const noexcept;
  void reserve(std::size_t);
  template <class InsertedKey, class InsertedValue>
  Mapped& insert(InsertedKey&&, InsertedValue&&);
  Mapped& insert(Key, Mapped&&);
  void update(const OrderedDict&);
  void erase(const Key&);
  void clear();
  const std::vector<Item>& items() const noexcept;
  std::vector<Key> keys() const;
  std::vector<Mapped> values() const;
  std::vector<std::pair<Key, Mapped>> pairs() const;
};

namespace serialize {
class InputArchive {
 public:
  InputArchive();
  void read(const std::string&, Any, bool = false);
  bool try_read(const std::string&, Any, bool = false);
  template <class... Arguments>
  void load_from(Arguments&&...);
  std::vector<std::string> keys();
  template <class... Arguments>
  void operator()(Arguments&&...);
};
class OutputArchive {
 public:
  OutputArchive();
  explicit OutputArchive(Any);
  void write(const std::string&, Any, bool = false);
  template <class... Arguments>
  void save_to(Arguments&&...);
  template <class... Arguments>
  void operator()(Arguments&&...);
};
}  // namespace serialize

template <class Saved, class... Arguments>
void save(const Saved&, Arguments&&...);
template <class... Arguments>
void save(const std::vector<at::Tensor>&, Arguments&&...);
template <class Loaded, class... Arguments>
void load(Loaded&, Arguments&&...);
std::vector<char> pickle_save(const c10::IValue&);
c10::IValue pickle_load(const std::vector<char>&);
c10::IValue pickle_load(Any);
serialize::OutputArchive& operator<<(serialize::OutputArchive&, const at::Tensor&);
serialize::InputArchive& operator>>(serialize::InputArchive&, at::Tensor&);

// A size that is given once or once for each dimension.
template <std::size_t Dimensions, class Element = std::int64_t>
class ExpandingArray {
 public:
  ExpandingArray(Element);
  ExpandingArray(std::initializer_list<Element>);
  ExpandingArray(std::vector<Element>);
  ExpandingArray(at::ArrayRef<Element>);
  ExpandingArray(std::array<Element, Dimensions>);
  std::array<Element, Dimensions>& operator*();
  const std::array<Element, Dimensions>& operator*() const;
  std::array<Element, Dimensions>* operator->();
  const std::array<Element, Dimensions>* operator->() const;
  operator at::ArrayRef<Element>() const;
  std::size_t size() const noexcept;
};
template <std::size_t Dimensions, class Element = std::int64_t>
using ExpandingArrayWithOptionalElem = ExpandingArray<Dimensions, Element>;

}  // namespace torch
