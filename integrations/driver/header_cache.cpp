#include "integrations/driver/header_cache.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "integrations/driver/packed.h"

namespace deadgrad::driver {

namespace fs = std::filesystem;

// How many of LibTorch's own headers one run makes: each takes as long as one or two units without it.
static constexpr unsigned kMostRealMade = 4;

// Beside each header: what it was made from.
static std::string header_name(std::uint64_t key) {
  return "torch-" + std::to_string(key) + ".pch";
}
static std::string reads_name(std::uint64_t key) {
  return "torch-" + std::to_string(key) + ".reads";
}

void HeaderCache::prepare(std::span<const cpp::Unit* const> units) {
  struct Group {
    std::size_t size = 0, first = 0;
  };
  are_many_ = units.size() > 3;
  std::map<std::uint64_t, Group> by_key;
  for (std::size_t i = 0; i < units.size(); ++i) {
    Group& group = by_key[cpp::precompiled_header_key(*units[i])];
    if (group.size++ == 0) group.first = i;
  }
  by_key.erase(0);
  std::vector<Group> groups;
  for (const auto& [key, group] : by_key) groups.push_back(group);
  std::ranges::sort(
      groups, [](const Group& a, const Group& b) { return a.size != b.size ? a.size > b.size : a.first < b.first; });
  for (const Group& group : groups) get(*units[group.first]);
}

KeptHeader HeaderCache::get(const cpp::Unit& unit) {
  const std::uint64_t key = cpp::precompiled_header_key(unit);
  if (!folder_.is_usable() || key == 0) return {};
  const std::lock_guard lock(mutex_);
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  return known_[key] = find_or_make(unit, key);
}

std::uint64_t HeaderCache::origin(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  return find_origin(key);
}

std::uint64_t HeaderCache::find_origin(std::uint64_t key) {
  auto [known, is_new] = origins_.emplace(key, 0);
  if (!is_new) return known->second;
  const std::optional<std::string> bytes = folder_.read(reads_name(key));
  if (!bytes) return 0;
  Unpacker unpacker(*bytes);
  const cpp::Reads reads = unpack_reads(unpacker);
  if (unpacker.is_at_end() && disk_.still_answers(reads)) known->second = cpp::hash_of(*bytes);
  return known->second;
}

KeptHeader HeaderCache::find_or_make(const cpp::Unit& unit, std::uint64_t key) {
  const std::string name = header_name(key), path = folder_.path_of(name);
  std::error_code error;
  if (fs::exists(path, error)) {
    const std::uint64_t origin = find_origin(key);
    // A few units notice by themselves that Clang finds the stub's out of date, for less than what this look costs.
    const bool is_cheap_to_fail = !unit.real_torch && !are_many_;
    if (origin != 0 && (is_cheap_to_fail || cpp::precompiled_header_fits(unit, path))) {
      folder_.count_as_used(name);
      return {path, key, origin};
    }
    folder_.remove(name);
  }
  if (unit.real_torch && ++real_made_ > kMostRealMade) return {};
  const std::string unfinished = folder_.new_file();
  if (unfinished.empty()) return {};
  cpp::Reads reads;
  if (!cpp::make_precompiled_header(unit, folder_.path_of(unfinished), reads)) {
    folder_.remove(unfinished);
    return {};
  }
  Packer packer;
  pack_reads(packer, reads);
  // First, so that no header ever lies beside the reads of an older one.
  folder_.write(reads_name(key), packer.bytes());
  if (!folder_.rename(unfinished, name)) return {};
  return {path, key, origins_[key] = cpp::hash_of(packer.bytes())};
}

void HeaderCache::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, known] : known_)
    if (known.path == path) known.path.clear();
  folder_.remove(fs::path(path).filename().string());
}

}  // namespace deadgrad::driver
