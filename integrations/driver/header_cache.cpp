#include "integrations/driver/header_cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <unistd.h>

namespace deadgrad::driver {

namespace fs = std::filesystem;

// Headers that no run used lately make room for new ones: some twenty megabytes each, eighty for LibTorch's own.
static constexpr std::uintmax_t kMostBytes = 600u << 20;
// How many of LibTorch's own headers one run makes: each takes as long as one or two units without it.
static constexpr unsigned kMostRealMade = 4;

static bool can_write(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && access(folder.c_str(), W_OK | X_OK) == 0;
}

HeaderCache::HeaderCache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (cache != nullptr && fs::path(cache).is_absolute())
    folder = fs::path(cache) / "deadgrad";
  else if (home != nullptr && fs::path(home).is_absolute())
    folder = fs::path(home) / ".cache" / "deadgrad";
  if (!folder.empty() && can_write(folder)) {
    folder_ = folder.string();
    return;
  }
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "deadgrad-XXXXXX").string();
  if (!error && mkdtemp(pattern.data()) != nullptr) {
    folder_ = pattern;
    temporary_ = true;
  }
}

HeaderCache::~HeaderCache() {
  std::error_code error;
  if (temporary_) {
    fs::remove_all(folder_, error);
    return;
  }
  if (folder_.empty()) return;
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
    if (entry.path().extension() == ".pch") kept.emplace_back(entry.last_write_time(error), entry.path());
  std::ranges::sort(kept, std::greater());
  std::uintmax_t bytes = 0;
  for (const auto& [time, path] : kept) {
    const std::uintmax_t size = fs::file_size(path, error);
    bytes += error ? 0 : size;
    if (bytes > kMostBytes) fs::remove(path, error);
  }
}

void HeaderCache::prepare(std::span<const cpp::Unit> units) {
  struct Group {
    std::size_t size = 0, first = 0;
  };
  are_many_ = units.size() > 3;
  std::map<std::uint64_t, Group> by_key;
  for (std::size_t i = 0; i < units.size(); ++i) {
    Group& group = by_key[cpp::precompiled_header_key(units[i])];
    if (group.size++ == 0) group.first = i;
  }
  by_key.erase(0);
  std::vector<Group> groups;
  for (const auto& [key, group] : by_key) groups.push_back(group);
  std::ranges::sort(
      groups, [](const Group& a, const Group& b) { return a.size != b.size ? a.size > b.size : a.first < b.first; });
  for (const Group& group : groups) get(units[group.first]);
}

std::string HeaderCache::get(const cpp::Unit& unit) {
  const std::uint64_t key = cpp::precompiled_header_key(unit);
  if (folder_.empty() || key == 0) return {};
  const std::lock_guard lock(mutex_);
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  return known_[key] = find_or_make(unit, key);
}

std::string HeaderCache::find_or_make(const cpp::Unit& unit, std::uint64_t key) {
  const fs::path path = fs::path(folder_) / ("torch-" + std::to_string(key) + ".pch");
  std::error_code error;
  if (fs::exists(path, error)) {
    // A few units notice by themselves that the stub's is out of date, for less than what this look costs.
    const bool is_cheap_to_fail = !unit.real_torch && !are_many_;
    if (is_cheap_to_fail || cpp::precompiled_header_fits(unit, path.string())) {
      fs::last_write_time(path, fs::file_time_type::clock::now(), error);
      return path.string();
    }
    fs::remove(path, error);
  }
  if (unit.real_torch && ++real_made_ > kMostRealMade) return {};
  const std::string unfinished = path.string() + "." + std::to_string(getpid()) + ".tmp";
  const bool made = cpp::make_precompiled_header(unit, unfinished);
  if (made) fs::rename(unfinished, path, error);
  if (made && !error) return path.string();
  fs::remove(unfinished, error);
  return {};
}

void HeaderCache::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  fs::remove(path, error);
  for (auto& [key, known] : known_)
    if (known == path) known.clear();
}

}  // namespace deadgrad::driver
