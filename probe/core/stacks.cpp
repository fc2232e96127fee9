#include "probe/core/stacks.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace deadgrad::probe {

// The part of Python's C API that reads frames; there since 3.9.
struct Stacks::PythonApi {
  int (*is_initialized)();
  int (*is_finalizing)();  // may be null
  void* (*this_thread)();
  int (*ensure)();
  void (*release)(int);
  void* (*thread_state)();
  void* (*top_frame)(void*);
  void* (*back)(void*);
  void* (*code_of)(void*);
  int (*line_of)(void*);
  void* (*attribute)(void*, const char*);
  const char* (*utf8)(void*);
  void (*decref)(void*);
  void (*clear_error)();

  template <class Function>
  static bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
  }
  bool load() {
    find(is_finalizing, "Py_IsFinalizing") || find(is_finalizing, "_Py_IsFinalizing");
    return find(is_initialized, "Py_IsInitialized") && find(this_thread, "PyGILState_GetThisThreadState") &&
           find(ensure, "PyGILState_Ensure") && find(release, "PyGILState_Release") &&
           find(thread_state, "PyThreadState_Get") && find(top_frame, "PyThreadState_GetFrame") &&
           find(back, "PyFrame_GetBack") && find(code_of, "PyFrame_GetCode") &&
           find(line_of, "PyFrame_GetLineNumber") && find(attribute, "PyObject_GetAttrString") &&
           find(utf8, "PyUnicode_AsUTF8") && find(decref, "Py_DecRef") && find(clear_error, "PyErr_Clear");
  }
  bool runs_here() const {
    return is_initialized() != 0 && (is_finalizing == nullptr || is_finalizing() == 0) && this_thread() != nullptr;
  }
  std::string text(void* object, const char* name) const {
    void* value = attribute(object, name);
    const char* text = value == nullptr ? nullptr : utf8(value);
    std::string copy = text == nullptr ? "?" : text;
    if (value != nullptr) decref(value);
    if (text == nullptr) clear_error();
    return copy;
  }
};

static std::string real_path(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) == nullptr ? path : buffer;
}

Stacks::Stacks() {
  auto* api = new PythonApi();  // never freed, like all of the probe
  python_ = api->load() ? api : nullptr;
  void* frames[2];
  ::backtrace(frames, 2);  // the first call loads the unwinder
}

// The frames of the thread's Python code, innermost first. Generated bindings let go of the GIL around operators, so it
// is taken back.
int Stacks::python_frames(RawFrame* frames) {
  int count = 0;
  const int state = python_->ensure();
  void* frame = python_->top_frame(python_->thread_state());
  while (frame != nullptr && count < kMostFrames) {
    void* code = python_->code_of(frame);
    frames[count++] = {code, python_->line_of(frame)};
    bool known;
    {
      std::lock_guard lock(mutex_);
      known = codes_.count(code) != 0;
    }
    if (known) {
      python_->decref(code);
    } else {  // the reference is kept, so that no other code object gets this address
      Frame names;
      names.file = real_path(python_->text(code, "co_filename"));
      names.function = python_->text(code, "co_name");
      std::lock_guard lock(mutex_);
      codes_.emplace(code, std::move(names));
    }
    void* caller = python_->back(frame);
    python_->decref(frame);
    frame = caller;
  }
  if (frame != nullptr) python_->decref(frame);
  python_->release(state);
  return count;
}

static std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

static Frame native_frame(std::uint64_t address) {
  Frame frame;
  Dl_info info = {};
  frame.offset = address;
  if (::dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return frame;
  frame.file = real_path(info.dli_fname);
  frame.offset = address - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  if (info.dli_sname != nullptr) frame.function = info.dli_sname;
  return frame;
}

int Stacks::here() {
  RawFrame frames[kMostFrames];
  const bool python = python_ != nullptr && python_->runs_here();
  int count = 0;
  if (python) {
    count = python_frames(frames);
  } else {
    void* addresses[kMostFrames];
    count = ::backtrace(addresses, kMostFrames);
    for (int i = 0; i < count; ++i) frames[i] = {static_cast<char*>(addresses[i]) - 1, 0};
  }
  std::uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < count; ++i)
    hash = mixed(mixed(hash, reinterpret_cast<std::uint64_t>(frames[i].where)),
                 static_cast<std::uint64_t>(frames[i].line));

  std::unique_lock lock(mutex_);
  auto known = ids_.find(hash);
  if (known != ids_.end()) return known->second;
  std::vector<Frame> named;
  for (int i = 0; i < count; ++i) {
    if (python) {
      named.push_back(codes_[frames[i].where]);
      named.back().line = frames[i].line;
    } else {
      named.push_back(native_frame(reinterpret_cast<std::uint64_t>(frames[i].where)));
    }
  }
  return intern(hash, std::move(named));
}

bool Stacks::watched(const Watch& watch, const std::vector<Frame>& frames) const {
  for (const Frame& frame : frames) {
    if (frame.line < watch.first_line || frame.line > watch.last_line) continue;
    if (frame.file == watch.file) return true;
    const std::size_t size = watch.file.size();
    if (watch.file[0] != '/' && frame.file.size() > size && frame.file[frame.file.size() - size - 1] == '/' &&
        frame.file.compare(frame.file.size() - size, size, watch.file) == 0)
      return true;
  }
  return false;
}

int Stacks::intern(std::uint64_t hash, std::vector<Frame> frames) {
  const int id = static_cast<int>(stacks_.size());
  ids_.emplace(hash, id);
  for (std::size_t i = 0; i < watches_.size(); ++i)
    if (watched(watches_[i], frames)) watch_sites_[i].push_back(id);
  stacks_.push_back(std::move(frames));
  return id;
}

void Stacks::note_native(bool grad_on) {
  if (python_ != nullptr && python_->runs_here()) return;  // its lines are watched from Python
  void* addresses[kMostFrames];
  const int count = ::backtrace(addresses, kMostFrames);
  std::lock_guard lock(mutex_);
  for (int i = 0; i < count; ++i) reached_[grad_on ? 1 : 0].insert(reinterpret_cast<std::uint64_t>(addresses[i]) - 1);
}

std::vector<std::vector<Frame>> Stacks::all() {
  std::lock_guard lock(mutex_);
  return stacks_;
}

std::vector<Stacks::Reached> Stacks::reached() {
  std::lock_guard lock(mutex_);
  std::vector<Reached> out;
  for (bool grad_on : {false, true})
    for (std::uint64_t address : reached_[grad_on ? 1 : 0]) out.push_back({native_frame(address), grad_on});
  return out;
}

int Stacks::watch(Watch watch) {
  std::lock_guard lock(mutex_);
  if (watch.file.empty()) return -1;
  watches_.push_back(std::move(watch));
  watch_sites_.emplace_back();
  return static_cast<int>(watches_.size()) - 1;
}

std::vector<int> Stacks::sites_of(int watch) {
  std::lock_guard lock(mutex_);
  return watch_sites_[static_cast<std::size_t>(watch)];
}

std::vector<Watch> Stacks::watches() {
  std::lock_guard lock(mutex_);
  return watches_;
}

}  // namespace deadgrad::probe
