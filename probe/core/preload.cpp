// Only in the shared library: starts the probe in a native program that the library is preloaded into, and writes its
// report when the process ends in whatever regular way.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "probe/core/state.h"
#include "probe/core/torch.h"

namespace deadgrad::probe {

static bool started = false;

// Preloading is for this process: its children would map LibTorch for nothing.
static void leave_preload_list() {
  const char* before = std::getenv("DEADGRAD_PROBE_LD_PRELOAD");
  if (before != nullptr && *before != '\0') {
    ::setenv("LD_PRELOAD", before, 1);
  } else {
    ::unsetenv("LD_PRELOAD");
  }
}

static void write_report() {
  if (!started) return;
  started = false;
  deadgrad_probe_totals totals = {};
  deadgrad_probe_read(&totals);
  if (state().forked && totals.packs == 0) return;
  deadgrad_probe_report(nullptr);
}

__attribute__((constructor)) static void start() {
  const char* preload = std::getenv("DEADGRAD_PROBE_PRELOAD");
  if (preload == nullptr) return;
  leave_preload_list();
  ::unsetenv("DEADGRAD_PROBE_PRELOAD");
  unsigned what = DEADGRAD_PROBE_ALLOCATOR | DEADGRAD_PROBE_SAVED | DEADGRAD_PROBE_STACKS;
  if (std::strcmp(preload, "ops") == 0) what |= DEADGRAD_PROBE_OPS;
  started = deadgrad_probe_install(what) == 0;
  // What LibTorch makes at the first use goes away before what was made, and registered, earlier.
  device_memory();
  std::atexit(&write_report);
}

}  // namespace deadgrad::probe

#ifdef __linux__
extern "C" {
// exit handlers do not run for these.
__attribute__((noreturn)) void _exit(int status) {
  deadgrad::probe::write_report();
  for (;;) ::syscall(SYS_exit_group, status);
}
__attribute__((noreturn)) void _Exit(int status) {
  _exit(status);
}
}
#endif
