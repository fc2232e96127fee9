#include "integrations/driver/cache_folder.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include <unistd.h>

#include "frontends/cpp/reads.h"
#include "integrations/driver/files.h"
#include "integrations/driver/packed.h"

namespace deadgrad::driver {

namespace fs = std::filesystem;

// A precompiled header takes some twenty megabytes, eighty with LibTorch's own headers; a result a tenth of one.
static constexpr std::uintmax_t kMostBytes = 600u << 20;
static constexpr std::size_t kMostBytesOfOne = 64u << 20;  // that is read as a whole
static constexpr std::size_t kSealBytes = sizeof(std::uint64_t);
static constexpr std::string_view kUnfinished = ".tmp";

static bool can_write(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && access(folder.c_str(), W_OK | X_OK) == 0;
}

static fs::path users_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "deadgrad";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "deadgrad";
  return {};
}

CacheFolder::CacheFolder(bool lasts) {
  if (const fs::path folder = users_folder(); lasts && !folder.empty() && can_write(folder)) {
    path_ = folder.string();
    return;
  }
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "deadgrad-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) return;
  path_ = pattern;
  is_temporary_ = true;
}

CacheFolder::~CacheFolder() {
  std::error_code error;
  if (is_temporary_)
    fs::remove_all(path_, error);
  else if (is_changed_)
    prune();
}

// Stands behind the bytes of a file, which a full disk or a power cut may have damaged.
static std::string seal_of(std::string_view bytes) {
  Packer packer;
  packer.number(cpp::hash_of(bytes));
  return packer.bytes();
}

std::optional<std::string> CacheFolder::read(const std::string& name) const {
  Result<std::string> bytes = read_file(path_of(name), kMostBytesOfOne);
  if (!bytes || bytes->size() < kSealBytes) return std::nullopt;
  const std::size_t size = bytes->size() - kSealBytes;
  if (seal_of({bytes->data(), size}) != bytes->substr(size)) return std::nullopt;
  bytes->resize(size);
  count_as_used(name);
  return std::move(*bytes);
}

void CacheFolder::write(const std::string& name, std::string_view bytes) {
  const std::string unfinished = new_file();
  if (unfinished.empty()) return;
  std::ofstream file(path_of(unfinished), std::ios::binary | std::ios::trunc);
  file << bytes << seal_of(bytes);
  file.close();
  if (file)
    rename(unfinished, name);
  else
    remove(unfinished);
}

void CacheFolder::count_as_used(const std::string& name) const {
  std::error_code error;
  fs::last_write_time(path_of(name), fs::file_time_type::clock::now(), error);
}

void CacheFolder::remove(const std::string& name) {
  std::error_code error;
  fs::remove(path_of(name), error);
}

std::string CacheFolder::new_file() {
  if (!is_usable()) return {};
  is_changed_ = true;
  std::string path = path_of("XXXXXX" + std::string(kUnfinished));
  const int file = mkstemps(path.data(), static_cast<int>(kUnfinished.size()));
  if (file < 0) return {};
  close(file);
  return fs::path(path).filename().string();
}

bool CacheFolder::rename(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(path_of(from), path_of(to), error);
  if (error) remove(from);
  return !error;
}

// Only what this class puts there, should the folder be somebody's.
static bool is_ours(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".pch" || extension == ".reads" || extension == ".unit" || extension == kUnfinished;
}

void CacheFolder::prune() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error))
    if (is_ours(entry.path())) files.emplace_back(entry.last_write_time(error), entry.path());
  std::ranges::sort(files, std::greater());
  std::uintmax_t bytes = 0;
  for (const auto& [time, path] : files) {
    const std::uintmax_t size = fs::file_size(path, error);
    bytes += error ? 0 : size;
    if (bytes > kMostBytes) fs::remove(path, error);
  }
}

}  // namespace deadgrad::driver
