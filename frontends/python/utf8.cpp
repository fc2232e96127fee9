#include "frontends/python/utf8.h"

#include <cstdint>
#include <cstring>

namespace deadgrad::python {

static std::size_t utf8_length(const unsigned char* at, std::size_t left) {
  const unsigned char first = at[0];
  const auto follows = [&](std::size_t i) { return i < left && (at[i] & 0xC0) == 0x80; };
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if ((first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F)) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if ((first == 0xF0 && at[1] < 0x90) || (first == 0xF4 && at[1] > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

// The length of the longest valid beginning.
static std::size_t valid_prefix(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t i = 0;
  while (i < text.size()) {
    std::uint64_t eight;
    while (i + 8 <= text.size() && (std::memcpy(&eight, bytes + i, 8), (eight & 0x8080808080808080u) == 0)) i += 8;
    if (i == text.size()) break;
    const std::size_t length = utf8_length(bytes + i, text.size() - i);
    if (length == 0) return i;
    i += length;
  }
  return i;
}

std::string_view valid_utf8(std::string_view text, std::string& storage) {
  std::size_t good = valid_prefix(text);
  if (good == text.size()) return text;
  storage.clear();
  while (true) {
    storage.append(text.substr(0, good));
    if (good == text.size()) return storage;
    storage.push_back('?');
    text.remove_prefix(good + 1);
    good = valid_prefix(text);
  }
}

bool is_valid_utf8(std::string_view text) {
  return valid_prefix(text) == text.size();
}

}  // namespace deadgrad::python
