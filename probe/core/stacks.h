// Where the program is: Python frames of a thread that runs Python, else native ones. Found without linking to
// libpython, so one library serves programs of both kinds. A stack is interned: equal stacks have one id.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deadgrad::probe {

// Python: file, line, function. Native: module, offset (of the call, not of the return), function where the symbol is
// exported.
struct Frame {
  std::string file, function;
  std::int64_t line = 0;  // 0: native
  std::uint64_t offset = 0;
};

struct Watch {
  std::string file;
  int first_line = 0, last_line = 0;
};

class Stacks {
 public:
  Stacks();

  // The id of the calling thread's stack. Takes the GIL where the thread has a Python state, and never while it holds a
  // lock.
  int here();
  // Notes the native code that runs now, if it is not yet.
  void note_native(bool grad_on);

  std::vector<std::vector<Frame>> all();
  struct Reached {
    Frame frame;
    bool grad_on;
  };
  std::vector<Reached> reached();

  int watch(Watch watch);
  // The stacks that go through a watched line.
  std::vector<int> sites_of(int watch);
  std::vector<Watch> watches();
  std::mutex& mutex() { return mutex_; }

 private:
  struct PythonApi;
  struct RawFrame {
    const void* where;  // a code object, or a return address
    int line;
  };
  static constexpr int kMostFrames = 64;

  int python_frames(RawFrame* frames);
  const Frame& code_names(const void* code);
  int intern(std::uint64_t hash, std::vector<Frame> frames);
  bool watched(const Watch& watch, const std::vector<Frame>& frames) const;

  const PythonApi* python_;  // null where the process has no Python
  std::mutex mutex_;         // of everything below
  std::unordered_map<std::uint64_t, int> ids_;
  std::vector<std::vector<Frame>> stacks_;
  std::unordered_map<const void*, Frame> codes_;
  std::vector<Watch> watches_;
  std::vector<std::vector<int>> watch_sites_;
  std::unordered_set<std::uint64_t> reached_[2];
};

}  // namespace deadgrad::probe
