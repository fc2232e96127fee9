// What a run of a program measured: the reports of its processes, with native frames named. Everything is bytes, unless
// it says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

struct CodeLine {
  std::string file, function;
  int line = 0;
  bool operator==(const CodeLine&) const = default;
};

// Absent where the process's engine or device does not tell.
using Bytes = std::optional<std::int64_t>;

struct Site {
  std::vector<CodeLine> frames;  // innermost first; those of LibTorch and of the system are left out
  std::int64_t packs = 0, unused = 0, storages = 0, bytes = 0, peak = 0, live = 0, used = 0, wasted = 0;
  Bytes wasted_only;
};

struct Series {
  std::string name;
  std::int64_t stride = 1;
  std::vector<std::int64_t> points;
};

// Over the whole run: a point each time that `stride` CPU blocks had been allocated.
struct Timeline {
  Series live, saved;
};

struct WatchedLines {
  std::string file;
  int first_line = 0, last_line = 0;
  std::int64_t visits = 0, with_grad = 0;
  Series saved;
};

struct DeviceMemory {
  std::string device;
  Bytes allocated, allocated_peak, reserved, reserved_peak, driver, recommended_max;
};

struct ProcessReport {
  int pid = 0;
  std::string engine, torch;
  Bytes live, live_peak, saved_only, saved_only_peak, wasted_only;
  std::int64_t saved_peak = 0, used = 0, wasted = 0, packs = 0, probe_errors = 0;
  std::optional<std::int64_t> user_hooked;
  std::vector<DeviceMemory> devices;
  std::vector<Site> sites;
  std::vector<Series> scopes;
  std::vector<WatchedLines> watches;
  Timeline timeline;              // empty where the engine keeps none
  std::vector<CodeLine> reached;  // native lines below which operators ran
  std::vector<std::string> limits;
};

struct Measurement {
  int exit_status = 0;
  std::vector<ProcessReport> processes;
};

struct Watch {
  std::string file;  // absolute, or the end of a path
  int first_line = 0, last_line = 0;
};

struct RunOptions {
  std::vector<std::string> command;
  std::vector<Watch> watches = {};  // lines of Python files
  bool note_native = false;         // also which native lines run operators
  bool python_engine = false;       // without a compiled core
  bool output_to_stderr = false;
};

// Runs the command with the probe attached. An error if it cannot be started, or if no process of it loaded torch.
Result<Measurement> measure(const RunOptions& options);

// The median of the differences: what each step adds, whatever happens between loops. Absent for fewer than three
// points.
std::optional<std::int64_t> growth_per_step(const Series& series);
// The innermost frame in code of the user's own; the innermost of all if there is none.
const CodeLine* user_frame(const Site& site);

}  // namespace deadgrad::probing
