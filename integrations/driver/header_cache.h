// Precompiled headers kept between runs, so that a C++ file costs a tenth of a second and not a whole one.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontends/cpp/cpp.h"

namespace deadgrad::driver {

class HeaderCache {
 public:
  // In the user's cache folder (XDG_CACHE_HOME, else ~/.cache), else in a temporary folder that goes with the object.
  HeaderCache();
  ~HeaderCache();
  HeaderCache(const HeaderCache&) = delete;
  // The precompiled header for the unit's flags, made if it is not there; empty if that is not possible. Not for
  // use from several threads.
  std::string get(const cpp::Unit& unit);
  // The header could not be used: it is made again by the next run.
  void forget(const std::string& path);

 private:
  std::string folder_;
  bool temporary_ = false;
  std::map<std::uint64_t, std::string> known_;
};

}  // namespace deadgrad::driver
