// Precompiled headers kept between runs, so that a C++ file costs a tenth of a second and not a whole one (with
// LibTorch's own headers: a quarter of a second and not six).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "frontends/cpp/cpp.h"
#include "integrations/driver/cache_folder.h"

namespace deadgrad::driver {

struct KeptHeader {
  std::string path;  // empty: there is none
  std::uint64_t key = 0;
  std::uint64_t origin = 0;  // stands for the files that it was made from and their bytes
};

class HeaderCache {
 public:
  // Both must outlive it.
  HeaderCache(CacheFolder& folder, cpp::Disk& disk) : folder_(folder), disk_(disk) {}
  // Makes the headers that most of the units share, before any thread asks for one.
  void prepare(std::span<const cpp::Unit* const> units);
  // The precompiled header for the unit's flags, made if it is not there; none if that is not possible or not worth
  // it. From any thread.
  KeptHeader get(const cpp::Unit& unit);
  // Where the header with this key was made from now: zero when that is not known, or when the files have changed.
  std::uint64_t origin(std::uint64_t key);
  // The header could not be used: it is made again by the next run.
  void forget(const std::string& path);

 private:
  KeptHeader find_or_make(const cpp::Unit& unit, std::uint64_t key);
  std::uint64_t find_origin(std::uint64_t key);

  CacheFolder& folder_;
  cpp::Disk& disk_;
  std::mutex mutex_;
  bool are_many_ = false;  // units of this run
  std::map<std::uint64_t, KeptHeader> known_;
  std::map<std::uint64_t, std::uint64_t> origins_;
  unsigned real_made_ = 0;
};

}  // namespace deadgrad::driver
