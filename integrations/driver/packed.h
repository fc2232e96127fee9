// Numbers and texts in a row of bytes, for files that only this program reads on the same machine. Reading is safe on
// any bytes: what is not there reads as zero or empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/cpp/reads.h"

namespace deadgrad::driver {

class Packer {
 public:
  void number(std::uint64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}  // `bytes` must outlive it
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::ranges::copy(take(sizeof number), reinterpret_cast<char*>(&number));
    return number;
  }
  std::string_view text() { return take(number()); }
  // How many items follow, each of at least one number.
  std::size_t count() {
    const std::uint64_t count = number();
    if (count > rest_.size() / sizeof count) fail();
    return is_sound_ ? static_cast<std::size_t>(count) : 0;
  }
  // All that was asked for was there.
  bool is_sound() const { return is_sound_; }
  bool is_at_end() const { return is_sound_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail();
    if (!is_sound_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void fail() { is_sound_ = false; }

  std::string_view rest_;
  bool is_sound_ = true;
};

void pack_reads(Packer& packer, const cpp::Reads& reads);
cpp::Reads unpack_reads(Unpacker& unpacker);

}  // namespace deadgrad::driver
