// A folder that goes away with what is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace deadgrad::probing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "deadgrad-probe-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }  // empty if none could be made

 private:
  std::string path_;
};

}  // namespace deadgrad::probing
