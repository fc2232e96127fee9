// The folder in which a run leaves what later runs can use. Files are put there whole or not at all, so runs may share
// it; what no run used lately makes room.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace deadgrad::driver {

class CacheFolder {
 public:
  // In the user's cache folder (XDG_CACHE_HOME, else ~/.cache). Where that cannot be written, or `lasts` is false, a
  // temporary folder that goes with the object.
  explicit CacheFolder(bool lasts);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;

  bool is_usable() const { return !path_.empty(); }
  bool lasts() const { return is_usable() && !is_temporary_; }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

  // From any thread. What is read is as it was written, or nothing; reading counts as a use.
  std::optional<std::string> read(const std::string& name) const;
  void write(const std::string& name, std::string_view bytes);
  void count_as_used(const std::string& name) const;
  void remove(const std::string& name);

  // The name of a new file for somebody else to write, empty where there can be none, and its way to its own name.
  std::string new_file();
  bool rename(const std::string& from, const std::string& to);

 private:
  void prune() const;

  std::string path_;
  bool is_temporary_ = false;
  std::atomic<bool> is_changed_ = false;
};

}  // namespace deadgrad::driver
