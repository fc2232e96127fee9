// The probe's one instance. It is made at the first use and never destroyed: tensors are let go after the program's
// exit handlers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "probe/core/ledger.h"
#include "probe/core/stacks.h"

namespace deadgrad::probe {

// Points at equal distances. When it is full every second point goes, and the distance doubles.
struct Series {
  static constexpr std::size_t kMostPoints = 4096;

  std::vector<std::int64_t> points;
  std::int64_t stride = 1, seen = 0;

  bool wants_next() const { return seen % stride == 0; }
  void add(std::int64_t value);  // counts; keeps the value if it was wanted
  void keep(std::int64_t value);
};

struct ScopeSeries {
  std::string name;
  Series saved_only, live;
};

struct Visits {
  std::int64_t with_grad = 0;
  Series saved;  // bytes saved by the watched lines, when the program comes to them
};

// Memory over the whole run: a point each time that `stride` CPU blocks have been allocated.
struct Timeline {
  Series live, saved;
};

struct State {
  State();

  void count_allocation();

  Ledger ledger;
  Stacks stacks;
  std::atomic<std::int64_t> errors{0};  // exceptions inside the probe
  std::atomic<bool> stacks_on{false};
  std::atomic<unsigned> installed{0};
  std::atomic<std::int64_t> allocations{0}, allocations_per_point{1};

  std::mutex mutex;  // of what follows
  std::vector<ScopeSeries> scopes;
  std::vector<Visits> visits;  // by watch
  Timeline timeline;
  bool forked = false;
};

State& state();

// The report as JSON.
std::string report_json();

}  // namespace deadgrad::probe
