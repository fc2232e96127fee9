// "did you mean …?": the known word closest to a misspelt one. Used by the readers of data and configuration.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace deadgrad {

inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// ", did you mean 'effect'?", or nothing when no word is near enough.
template <class Words>
std::string did_you_mean(std::string_view written, const Words& words) {
  std::size_t best = std::max<std::size_t>(2, written.size() / 3) + 1;
  std::string_view nearest;
  if (written.size() > 100) return {};
  for (std::string_view word : words) {
    if (std::size_t distance = edit_distance(written, word); distance < best) {
      best = distance;
      nearest = word;
    }
  }
  return nearest.empty() ? std::string() : ", did you mean '" + std::string(nearest) + "'?";
}

}  // namespace deadgrad
