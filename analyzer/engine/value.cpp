#include "analyzer/engine/value.h"

#include <algorithm>

namespace deadgrad::engine {

ValueTable::ValueTable() {
  sets_.emplace_back();
}

SetId ValueTable::intern(std::vector<Atom> atoms) {
  if (atoms.empty()) return SetId{0};
  std::uint64_t hash = 1469598103934665603ull;
  for (Atom atom : atoms) hash = (hash ^ atom.bits) * 1099511628211ull;
  for (std::uint32_t candidate : by_hash_[hash]) {
    if (sets_[candidate] == atoms) return SetId{candidate};
  }
  const auto index = static_cast<std::uint32_t>(sets_.size());
  sets_.push_back(std::move(atoms));
  by_hash_[hash].push_back(index);
  return SetId{index};
}

SetId ValueTable::single(Atom atom) {
  auto& [bits, set] = recent_singles_[(atom.bits ^ atom.bits >> 29) & (recent_singles_.size() - 1)];
  if (bits != atom.bits || !set.valid()) {
    auto [it, added] = singles_.emplace(atom.bits, SetId{});
    if (added) it->second = intern({atom});
    bits = atom.bits;
    set = it->second;
  }
  return set;
}

// Past the limit the smallest atoms are kept: the same ones whatever the order of joins, so results stay deterministic;
// the caller learns of the loss through Value::unknown (join below).
SetId ValueTable::unite(SetId a, SetId b) {
  if (a == b || b.index == 0) return a;
  if (a.index == 0) return b;
  if (b < a) std::swap(a, b);
  const std::uint64_t key = static_cast<std::uint64_t>(a.index) << 32 | b.index;
  if (auto found = unions_.find(key); found != unions_.end()) return found->second;
  std::vector<Atom> merged;
  std::set_union(sets_[a.index].begin(), sets_[a.index].end(), sets_[b.index].begin(), sets_[b.index].end(),
                 std::back_inserter(merged));
  if (merged.size() > kMostAtoms) merged.resize(kMostAtoms);
  SetId result = intern(std::move(merged));
  unions_.emplace(key, result);
  return result;
}

Value ValueTable::join(Value a, Value b) {
  Value result{unite(a.set, b.set), static_cast<std::uint16_t>(a.params | b.params), a.unknown || b.unknown};
  if (sets_[result.set.index].size() == kMostAtoms && result.set != a.set && result.set != b.set) result.unknown = true;
  return result;
}

std::uint32_t ValueTable::number(Atom atom) {
  auto [it, added] = numbers_.emplace(atom.bits, static_cast<std::uint32_t>(numbered_.size()));
  if (added) numbered_.push_back(atom);
  return it->second;
}

}  // namespace deadgrad::engine
