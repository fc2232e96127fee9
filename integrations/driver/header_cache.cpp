#include "integrations/driver/header_cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <unistd.h>

namespace deadgrad::driver {

namespace fs = std::filesystem;

// Headers that no run used lately make room for new ones: some twenty megabytes each.
static constexpr std::size_t kMostHeaders = 12;

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
  for (std::size_t i = kMostHeaders; i < kept.size(); ++i) fs::remove(kept[i].second, error);
}

std::string HeaderCache::get(const cpp::Unit& unit) {
  const std::uint64_t key = cpp::precompiled_header_key(unit);
  if (folder_.empty() || key == 0) return {};
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  const fs::path path = fs::path(folder_) / ("torch-" + std::to_string(key) + ".pch");
  std::error_code error;
  if (fs::exists(path, error)) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return known_[key] = path.string();
  }
  const std::string unfinished = path.string() + "." + std::to_string(getpid()) + ".tmp";
  const bool made = cpp::make_precompiled_header(unit, unfinished);
  if (made) fs::rename(unfinished, path, error);
  if (!made || error) {
    fs::remove(unfinished, error);
    return known_[key] = "";
  }
  return known_[key] = path.string();
}

void HeaderCache::forget(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  for (auto& [key, known] : known_)
    if (known == path) known.clear();
}

}  // namespace deadgrad::driver
