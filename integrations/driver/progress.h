// A progress line on stderr that appears only when the work takes longer than a second and goes away at the end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace deadgrad::driver {

class Progress {
 public:
  Progress(std::string_view verb, std::size_t total, bool enabled) : verb_(verb), total_(total), enabled_(enabled) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance();  // from any thread

 private:
  std::string_view verb_;
  std::size_t total_;
  bool enabled_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> done_ = 0;
  std::atomic<long> next_draw_ms_ = 1000;
  std::atomic<bool> drawn_ = false;
};

}  // namespace deadgrad::driver
