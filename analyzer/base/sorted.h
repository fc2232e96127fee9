// Short sorted lists without repetition.
#pragma once

#include <algorithm>
#include <vector>

namespace deadgrad {

template <class T>
void add_sorted(std::vector<T>& list, const T& one) {
  auto at = std::lower_bound(list.begin(), list.end(), one);
  if (at == list.end() || *at != one) list.insert(at, one);
}

}  // namespace deadgrad
