#include "analyzer/model/torch_version.h"

#include <charconv>

namespace deadgrad::model {

std::optional<TorchVersion> parse_torch_version(std::string_view text) {
  TorchVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || version.major < 0) return std::nullopt;
  if (end - major.ptr > 1 && *major.ptr == '.' && major.ptr[1] >= '0' && major.ptr[1] <= '9' &&
      std::from_chars(major.ptr + 1, end, version.minor).ec != std::errc())
    return std::nullopt;
  return version;
}

}  // namespace deadgrad::model
