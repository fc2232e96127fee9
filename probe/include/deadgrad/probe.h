// The probe's C interface, and scopes for C++. `deadgrad probe run` needs none of it; a program that links LibTorch
// statically, or wants its own loops measured step by step, includes this file and links libdeadgrad_probe. Nothing
// here throws.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is installed, as bits. Stacks attribute saved bytes to source lines. Ops note which native code runs operators
// at all.
enum {
  DEADGRAD_PROBE_ALLOCATOR = 1,
  DEADGRAD_PROBE_SAVED = 2,
  DEADGRAD_PROBE_STACKS = 4,
  DEADGRAD_PROBE_OPS = 8,
};

// Bytes, except for the last two. A storage counts once, however many saved tensors share it; parameters do not count.
typedef struct deadgrad_probe_totals {
  int64_t live;             // CPU blocks allocated since the probe was installed and not freed
  int64_t live_peak;        // the most there was of `live`
  int64_t saved;            // storages that autograd has saved for a backward
  int64_t saved_peak;       // the most there was of `saved`
  int64_t saved_only;       // the part of `saved` that nothing but autograd keeps alive
  int64_t saved_only_peak;  // the most that was seen of it; it is looked at when `saved` grows by 5 %
  int64_t used;             // let go, after a backward had read it
  int64_t wasted;           // let go, or still there, and never read
  int64_t wasted_only;      // the part of `wasted` that nothing but autograd kept alive
  int64_t packs;            // tensors saved, parameters included
  int64_t user_hooked;      // tensors left to saved-tensor hooks of the program's own
} deadgrad_probe_totals;

// 0 on success. May be called again, after `import torch` has replaced the autograd engine for example.
int deadgrad_probe_install(unsigned what);
// Stops measuring. Tensors that are saved already stay the probe's until they are let go.
void deadgrad_probe_uninstall(void);
// The LibTorch that the probe was compiled for: "1.13.1".
const char* deadgrad_probe_torch_version(void);

void deadgrad_probe_read(deadgrad_probe_totals* totals);
// Peaks start again from what is there now, sums from zero.
void deadgrad_probe_reset(void);
// The peaks that LibTorch keeps for the devices. They are the program's own too: nothing else in the probe resets them.
void deadgrad_probe_reset_device_peaks(void);

// A series with one point per step. A negative scope is ignored.
int deadgrad_probe_scope(const char* name);
void deadgrad_probe_step(int scope);

// Lines of a Python file to watch: an absolute path is meant as it is, a relative one as the end of a path. Returns the
// watch.
int deadgrad_probe_watch(const char* file, int first_line, int last_line);
// The program is about to run a watched line.
void deadgrad_probe_visit(int watch);

// Writes what was measured as JSON. 0 on success. Without a path it goes to the `deadgrad probe run` or `confirm` that
// started the program; -1 if none did.
int deadgrad_probe_report(const char* path);

#ifdef __cplusplus
}

namespace deadgrad::probe {

// Measures from here to the end of its scope, where it writes the report: to the `deadgrad probe run` or `confirm` that
// started the program, else to `path`.
class Session {
 public:
  explicit Session(const char* path) : path_(path) {
    deadgrad_probe_install(DEADGRAD_PROBE_ALLOCATOR | DEADGRAD_PROBE_SAVED | DEADGRAD_PROBE_STACKS |
                           DEADGRAD_PROBE_OPS);
  }
  ~Session() {
    if (deadgrad_probe_report(nullptr) != 0) deadgrad_probe_report(path_);
    deadgrad_probe_uninstall();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  const char* path_;  // must outlive the session
};

// for (...) { scope.step(); x = model(x); } gives a series; a last step() behind the loop closes it.
class Scope {
 public:
  explicit Scope(const char* name) : scope_(deadgrad_probe_scope(name)) {}
  void step() { deadgrad_probe_step(scope_); }

 private:
  int scope_;
};

}  // namespace deadgrad::probe
#endif
