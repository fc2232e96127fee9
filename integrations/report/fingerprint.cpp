#include "integrations/report/fingerprint.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "integrations/report/source_text.h"

namespace deadgrad::report {

// All arithmetic wraps at 64 bits, as in the original.
class LineHasher {
 public:
  LineHasher() {
    for (std::size_t i = 0; i < kBlock; ++i) first_factor_ *= kFactor;
  }

  void add(std::uint32_t unit) {
    if (unit == ' ' || unit == '\t' || (after_cr_ && unit == '\n')) {
      after_cr_ = false;
      return;
    }
    after_cr_ = unit == '\r';
    if (after_cr_) unit = '\n';
    if (line_at_[index_] != 0) emit();
    if (line_starts_) {
      line_starts_ = false;
      line_at_[index_] = ++line_;
    }
    if (unit == '\n') line_starts_ = true;
    push(unit);
  }

  std::vector<std::string> finish() {
    add(kEndOfFile);
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (line_at_[index_] != 0) emit();
      push(0);
    }
    return std::move(hashes_);
  }

 private:
  static constexpr std::size_t kBlock = 100;
  static constexpr std::uint64_t kFactor = 37;
  static constexpr std::uint32_t kEndOfFile = 65535;

  void push(std::uint32_t unit) {
    hash_ = kFactor * hash_ + unit - first_factor_ * window_[index_];
    window_[index_] = unit;
    index_ = (index_ + 1) % kBlock;
  }

  // The window is full of the characters that follow the start of a line.
  void emit() {
    char digits[16];
    auto end = std::to_chars(digits, digits + sizeof digits, hash_, 16).ptr;
    std::string text(digits, end);
    text += ":" + std::to_string(++occurrences_[hash_]);
    if (hashes_.size() < line_at_[index_]) hashes_.resize(line_at_[index_]);
    hashes_[line_at_[index_] - 1] = std::move(text);
    line_at_[index_] = 0;
  }

  std::array<std::uint64_t, kBlock> window_{};
  std::array<std::size_t, kBlock> line_at_{};  // the line that starts there, 0 for none
  std::size_t index_ = 0, line_ = 0;
  std::uint64_t hash_ = 0, first_factor_ = 1;
  bool line_starts_ = true, after_cr_ = false;
  std::unordered_map<std::uint64_t, int> occurrences_;
  std::vector<std::string> hashes_;
};

std::vector<std::string> line_hashes(std::string_view text) {
  LineHasher hasher;
  for (std::size_t at = 0; at < text.size();) {
    Character c = decode(text, at);
    if (c.code > 0xffff) {  // hashed as two UTF-16 units
      hasher.add(0xd800 + ((c.code - 0x10000) >> 10));
      hasher.add(0xdc00 + ((c.code - 0x10000) & 0x3ff));
    } else {
      hasher.add(c.code);
    }
    at += c.bytes;
  }
  return hasher.finish();
}

}  // namespace deadgrad::report
