// What the compiler made of each C++ unit, kept between runs: a unit is read again only if its flags, its text,
// anything that was looked up for it, or the program itself changed. One file per unit; its result depends on no other
// unit's.
#pragma once

#include <optional>
#include <string>

#include "frontends/cpp/cpp.h"
#include "integrations/driver/cache_folder.h"
#include "integrations/driver/header_cache.h"

namespace deadgrad::driver {

class UnitCache {
 public:
  // All must outlive it. Without `keeps` nothing is found and nothing is kept.
  UnitCache(CacheFolder& folder, cpp::Disk& disk, HeaderCache& headers, const cpp::NameFile& name_file, bool keeps);
  // From any thread: the unit's result if it is known, and the way to know it.
  std::optional<cpp::LoweredUnit> find(const cpp::Unit& unit);
  cpp::LoweredUnit lower(const cpp::Unit& unit);

 private:
  struct Asked;
  std::string key_of(const cpp::Unit& unit);
  std::optional<cpp::LoweredUnit> unpack(std::string_view packed, std::string_view key);
  void keep(const std::string& key, const Asked& asked, const cpp::LoweredUnit& lowered);

  CacheFolder& folder_;
  cpp::Disk& disk_;
  HeaderCache& headers_;
  const cpp::NameFile& name_file_;
  const bool keeps_;
  const std::string identity_;
};

}  // namespace deadgrad::driver
