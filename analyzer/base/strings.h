// Interned strings: one table per ir::Module and one per Program. A StrId is only meaningful with its table.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/base/ids.h"

namespace deadgrad {

using StrId = Id<struct StrTag>;

class StringTable {
 public:
  StringTable() = default;
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  // Views in the index point into the deque, so a copy re-interns.
  StringTable(const StringTable& other) { *this = other; }
  StringTable& operator=(const StringTable& other) {
    if (this == &other) return *this;
    texts_.clear();
    index_.clear();
    for (const std::string& text : other.texts_) intern(text);
    return *this;
  }

  StrId intern(std::string_view text) {
    if (auto found = index_.find(text); found != index_.end()) return found->second;
    StrId id{static_cast<std::uint32_t>(texts_.size())};
    texts_.emplace_back(text);
    index_.emplace(texts_.back(), id);
    return id;
  }
  // The id of `text`, or an invalid id if it was never interned.
  StrId find(std::string_view text) const {
    auto found = index_.find(text);
    return found == index_.end() ? StrId{} : found->second;
  }
  std::string_view operator[](StrId id) const {
    return id.valid() ? std::string_view(texts_[id.index]) : std::string_view();
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, StrId> index_;
};

}  // namespace deadgrad
