// What a result of the compiler rests on besides the flags: each question that it asked the disk, and the answer. The
// result is good for as long as the disk gives the same answers, and no file nearer in the search path has come to be.
// The driver keeps results and asks again; free of LLVM.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deadgrad::cpp {

enum class Question : std::uint8_t {
  Kind,   // is it a file (and under which real path: one may have two names), a folder, or nothing
  Bytes,  // of a file
  Names,  // in a folder
};

struct Read {
  std::string path;  // absolute, as the compiler spelled it
  Question question = Question::Kind;
  std::uint64_t answer = 0;  // a hash
  auto operator<=>(const Read&) const = default;
};
// Sorted, each once. Two answers to one question mean that the disk changed meanwhile: these never hold.
using Reads = std::vector<Read>;

std::uint64_t hash_of(std::string_view bytes);

// The disk as it is during a run, each question asked once. From any thread.
class Disk {
 public:
  std::uint64_t ask(const std::string& path, Question question);
  bool still_answers(const Reads& reads);

 private:
  std::mutex mutex_;
  std::array<std::unordered_map<std::string, std::uint64_t>, 3> answers_;  // by Question
};

}  // namespace deadgrad::cpp
