#include "probe/core/state.h"

#include <pthread.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "probe/core/torch.h"

namespace deadgrad::probe {

void Series::add(std::int64_t value) {
  if (wants_next()) keep(value);
  ++seen;
}

void Series::keep(std::int64_t value) {
  points.push_back(value);
  if (points.size() < kMostPoints) return;
  for (std::size_t i = 0; i < kMostPoints / 2; ++i) points[i] = points[2 * i];
  points.resize(kMostPoints / 2);
  stride *= 2;
}

State::State() : ledger(&owners_of) {}

void State::count_allocation() {
  if (allocations.fetch_add(1, std::memory_order_relaxed) % allocations_per_point.load(std::memory_order_relaxed) != 0)
    return;
  try {
    std::lock_guard lock(mutex);
    timeline.live.keep(cpu_bytes().live);
    timeline.saved.keep(ledger.saved_now());
    allocations_per_point = timeline.live.stride;
  } catch (...) {
    errors.fetch_add(1);
  }
}

// A fork copies one thread only: no other may hold a lock of ours at that moment.
static void before_fork() {
  State& all = state();
  all.mutex.lock();
  all.stacks.mutex().lock();
  all.ledger.mutex().lock();
  lock_allocator();
}

static void unlock_all() {
  State& all = state();
  unlock_allocator();
  all.ledger.mutex().unlock();
  all.stacks.mutex().unlock();
  all.mutex.unlock();
}

static void after_fork_in_child() {
  State& all = state();
  all.ledger.forget();
  all.scopes.clear();
  for (Visits& visits : all.visits) visits = {};
  all.timeline = {};
  all.allocations = 0;
  all.allocations_per_point = 1;
  all.forked = true;
  unlock_all();
}

State& state() {
  static State* instance = [] {
    auto* made = new State();
    ::pthread_atfork(&before_fork, &unlock_all, &after_fork_in_child);
    return made;
  }();
  return *instance;
}

// Runs what may fail; the program never sees it.
template <class Body>
static int guarded(Body body) {
  try {
    return body();
  } catch (...) {
    state().errors.fetch_add(1);
    return -1;
  }
}

}  // namespace deadgrad::probe

using namespace deadgrad::probe;

extern "C" {

int deadgrad_probe_install(unsigned what) {
  return guarded([&] {
    State& all = state();
    all.stacks_on = (what & DEADGRAD_PROBE_STACKS) != 0;
    if ((what & DEADGRAD_PROBE_ALLOCATOR) != 0) install_allocator();
    if ((what & DEADGRAD_PROBE_SAVED) != 0) install_saved_hooks();
    if ((what & DEADGRAD_PROBE_OPS) != 0) install_op_callback();
    all.installed = what;
    return 0;
  });
}

void deadgrad_probe_uninstall(void) {
  guarded([] {
    remove_op_callback();
    remove_saved_hooks();
    remove_allocator();
    state().installed = 0;
    return 0;
  });
}

const char* deadgrad_probe_torch_version(void) {
  return torch_version();
}

void deadgrad_probe_read(deadgrad_probe_totals* totals) {
  guarded([&] {
    *totals = state().ledger.totals();
    totals->live = cpu_bytes().live;
    totals->live_peak = cpu_bytes().peak;
    return 0;
  });
}

void deadgrad_probe_reset(void) {
  guarded([] {
    reset_cpu_peak();
    state().ledger.reset();
    return 0;
  });
}

void deadgrad_probe_reset_device_peaks(void) {
  guarded([] {
    reset_device_peaks();
    return 0;
  });
}

int deadgrad_probe_scope(const char* name) {
  return guarded([&] {
    std::lock_guard lock(state().mutex);
    state().scopes.push_back({name, {}, {}});
    return static_cast<int>(state().scopes.size()) - 1;
  });
}

void deadgrad_probe_step(int scope) {
  guarded([&] {
    State& all = state();
    std::lock_guard lock(all.mutex);
    if (scope < 0 || static_cast<std::size_t>(scope) >= all.scopes.size()) return -1;
    ScopeSeries& series = all.scopes[static_cast<std::size_t>(scope)];
    series.saved_only.add(series.saved_only.wants_next() ? all.ledger.saved_only() : 0);
    series.live.add(cpu_bytes().live);
    sample_devices();
    return 0;
  });
}

int deadgrad_probe_watch(const char* file, int first_line, int last_line) {
  return guarded([&] {
    const int watch = state().stacks.watch({file, first_line, last_line});
    std::lock_guard lock(state().mutex);
    if (watch >= 0) state().visits.resize(static_cast<std::size_t>(watch) + 1);
    return watch;
  });
}

void deadgrad_probe_visit(int watch) {
  guarded([&] {
    State& all = state();
    std::lock_guard lock(all.mutex);
    if (watch < 0 || static_cast<std::size_t>(watch) >= all.visits.size()) return -1;
    Visits& visits = all.visits[static_cast<std::size_t>(watch)];
    if (grad_is_on()) ++visits.with_grad;
    visits.saved.add(visits.saved.wants_next() ? all.ledger.live_at(all.stacks.sites_of(watch)) : 0);
    sample_devices();
    return 0;
  });
}

int deadgrad_probe_report(const char* name) {
  return guarded([&] {
    std::string path = name == nullptr ? "" : name;
    if (name == nullptr) {
      const char* folder = std::getenv("DEADGRAD_PROBE_OUT");
      if (folder == nullptr) return -1;
      path = std::string(folder) + "/" + std::to_string(::getpid()) + ".json";
    }
    const std::string text = report_json();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return -1;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written ? 0 : -1;
  });
}

}  // extern "C"
