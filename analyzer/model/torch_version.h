// A release of PyTorch, as far as facts depend on it: rows say since when something is so, the driver for which release
// a file is written.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace deadgrad::model {

struct TorchVersion {
  int major = 0, minor = 0;
  auto operator<=>(const TorchVersion&) const = default;
};

inline constexpr TorchVersion kNewestTorch{1 << 20, 0};

// The beginning of "1.9", "2", "2.1.0+cu118", "1.8.*". Nothing if no number stands there.
std::optional<TorchVersion> parse_torch_version(std::string_view text);

}  // namespace deadgrad::model
