#include "integrations/driver/progress.h"

#include <cstdio>

namespace deadgrad::driver {

void Progress::advance() {
  std::size_t done = ++done_;
  if (!enabled_) return;
  auto elapsed = std::chrono::steady_clock::now() - start_;
  long ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  long due = next_draw_ms_.load();
  // Only the thread that moves the due time draws.
  if (ms < due || !next_draw_ms_.compare_exchange_strong(due, ms + 100)) return;
  constexpr std::size_t kWidth = 24;
  std::size_t filled = done * kWidth / total_;
  char bar[kWidth + 1];
  for (std::size_t i = 0; i < kWidth; ++i) bar[i] = i < filled ? '#' : '.';
  bar[kWidth] = '\0';
  std::fprintf(stderr, "\r%.*s [%s] %zu/%zu files", static_cast<int>(verb_.size()), verb_.data(), bar, done, total_);
  std::fflush(stderr);
  drawn_ = true;
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

}  // namespace deadgrad::driver
