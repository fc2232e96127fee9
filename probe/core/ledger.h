// What autograd has saved: one entry per storage, and sums per site (the stack that saved it first). Knows nothing of
// LibTorch; a storage is its address, and `Owners` tells how many references it has.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "probe/include/deadgrad/probe.h"

namespace deadgrad::probe {

inline constexpr int kNoSite = -1;

struct SiteSums {
  std::int64_t packs = 0;   // tensors saved here
  std::int64_t unused = 0;  // of those, let go without having been read
  std::int64_t storages = 0, bytes = 0;
  std::int64_t live = 0, peak = 0;
  std::int64_t used = 0, wasted = 0, wasted_only = 0;
};

struct DeviceSums {
  std::int64_t saved = 0, peak = 0, used = 0, wasted = 0;
};

class Ledger {
 public:
  using Owners = std::int64_t (*)(const void* storage);
  explicit Ledger(Owners owners) : owners_(owners) {}

  // A hook of ours holds a reference to `storage` from before saved() until after released().
  void saved(const void* storage, std::int64_t bytes, int device, bool parameter, int site);
  void read(const void* storage);
  // `was_read`: whether this hook's tensor was read, while read() is about the storage.
  void released(const void* storage, bool was_read, int site);
  void user_hooked();

  deadgrad_probe_totals totals();
  std::int64_t saved_only();
  std::int64_t saved_now();
  // Saved bytes that are there now, by site. A site may be asked for before it has saved anything.
  std::int64_t live_at(const std::vector<int>& sites);
  // Sums of every site and device; what is live and was never read counts as wasted.
  void sums(std::vector<SiteSums>& sites, std::vector<DeviceSums>& devices);
  void reset();
  // In a forked child: what the parent saved is the parent's.
  void forget();
  std::mutex& mutex() { return mutex_; }

 private:
  struct Entry {
    std::int64_t bytes = 0;
    int hooks = 0;
    int site = kNoSite;
    int device = 0;
    bool parameter = false;
    bool read = false;
    bool alone = false;  // seen with no owner but our hooks
  };

  SiteSums& site(int id);
  DeviceSums& device(int id);
  void let_go(const Entry& entry);
  std::int64_t look_for_owners();

  std::mutex mutex_;
  Owners owners_;
  std::unordered_map<const void*, Entry> entries_;
  std::vector<SiteSums> sites_;
  std::vector<DeviceSums> devices_;
  deadgrad_probe_totals totals_ = {};
  std::int64_t next_look_ = 0;
};

}  // namespace deadgrad::probe
