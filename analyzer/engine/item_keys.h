// Which elements of a container hold a value, where all were stored under constant keys.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>

#include "analyzer/engine/ssa.h"

namespace deadgrad::engine {

class ItemKeys {
 public:
  // A constant's kind and text; an invalid one stands for any element.
  using Key = std::pair<std::uint8_t, NameId>;
  static constexpr Key kAny{0, NameId{}};

  void add(ValueNo container, Key key) {
    Entry& entry = entries_[container];
    const bool grows = !entry.any && (key == kAny ? true : entry.keys.insert(key).second);
    entry.any |= key == kAny;
    if (grows && entry.passed_over) incomplete_ = true;
  }
  // May the element hold the value? An answer of no is taken back by `incomplete` if an element is added later.
  bool holds(ValueNo container, Key key) {
    const auto found = entries_.find(container);
    if (found == entries_.end() || found->second.any || key == kAny || found->second.keys.contains(key)) return true;
    found->second.passed_over = true;
    return false;
  }
  // Was something passed over that may hold the value after all? Then look again.
  bool incomplete() { return std::exchange(incomplete_, false); }

 private:
  struct Entry {
    std::set<Key> keys;
    bool any = false;
    bool passed_over = false;
  };
  std::unordered_map<ValueNo, Entry> entries_;
  bool incomplete_ = false;
};

}  // namespace deadgrad::engine
