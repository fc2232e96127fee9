// One loop on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace deadgrad::driver {

// As many threads as the user wants, of whom 0 wants one per core.
inline unsigned threads_wanted(unsigned jobs) {
  return jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : jobs;
}

// Calls work(i) for each i below `count`, in any order, on this thread and on `threads` - 1 others.
template <class Work>
void in_parallel(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  auto take_turns = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) others.emplace_back(take_turns);
  take_turns();
}

}  // namespace deadgrad::driver
