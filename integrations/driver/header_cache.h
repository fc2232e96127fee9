// Precompiled headers kept between runs, so that a C++ file costs a tenth of a second and not a whole one (with
// LibTorch's own headers: a quarter of a second and not six).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "frontends/cpp/cpp.h"

namespace deadgrad::driver {

class HeaderCache {
 public:
  // In the user's cache folder (XDG_CACHE_HOME, else ~/.cache), else in a temporary folder that goes with the object.
  HeaderCache();
  ~HeaderCache();
  HeaderCache(const HeaderCache&) = delete;
  // Makes the headers that most of the units share, before any thread asks for one.
  void prepare(std::span<const cpp::Unit> units);
  // The precompiled header for the unit's flags, made if it is not there; empty if that is not possible or not worth
  // it. From any thread.
  std::string get(const cpp::Unit& unit);
  // The header could not be used: it is made again by the next run.
  void forget(const std::string& path);

 private:
  std::string find_or_make(const cpp::Unit& unit, std::uint64_t key);

  std::mutex mutex_;
  std::string folder_;
  bool temporary_ = false;
  bool are_many_ = false;  // units of this run
  std::map<std::uint64_t, std::string> known_;
  unsigned real_made_ = 0;
};

}  // namespace deadgrad::driver
