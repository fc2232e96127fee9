#include "integrations/driver/target_torch.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "integrations/driver/requirements.h"

namespace deadgrad::driver {

namespace fs = std::filesystem;
using model::TorchVersion;

static fs::path real_path(const std::string& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : real;
}

static bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

static std::optional<TorchVersion> required_in(const fs::path& folder) {
  std::optional<TorchVersion> lowest;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!names_requirements(name)) continue;
    const Result<std::string> text = read_file(entry.path().string());
    const auto required = text ? torch_required(name, *text) : std::nullopt;
    if (required) lowest = lowest ? std::min(*lowest, *required) : *required;
  }
  return lowest;
}

// Asks each folder once.
class RequiredTorch {
 public:
  explicit RequiredTorch(const std::vector<std::string>& asked) {
    std::error_code error;
    tops_.push_back(real_path(fs::current_path(error).string()));
    for (const std::string& path : asked) tops_.push_back(real_path(path));
  }

  std::optional<TorchVersion> at(const fs::path& folder) {
    const auto [found, is_new] = known_.try_emplace(folder.string());
    if (!is_new) return found->second;
    std::optional<TorchVersion> required = required_in(folder);
    if (!required && !is_top(folder)) required = at(folder.parent_path());
    return known_[folder.string()] = required;
  }

 private:
  // Does the project end here?
  bool is_top(const fs::path& folder) const {
    std::error_code error;
    const fs::path parent = folder.parent_path();
    return parent == folder || fs::exists(folder / ".git", error) ||
           std::ranges::none_of(tops_, [&](const fs::path& top) { return lies_below(parent, top); });
  }

  std::vector<fs::path> tops_;
  std::map<std::string, std::optional<TorchVersion>> known_;
};

Result<TorchVersions> target_torch(const Inputs& inputs, const CheckOptions& options) {
  const auto given = model::parse_torch_version(options.target_torch);
  if (!given && !options.target_torch.empty())
    return Error{"target-torch: '" + options.target_torch + "' is no release such as 2.1"};
  TorchVersions versions;
  RequiredTorch required(options.paths);
  for (const InputFile& file : inputs.files) {
    const auto version = given ? given : required.at(real_path(file.open_path).parent_path());
    if (version) versions.emplace(file.display_path, *version);
  }
  return versions;
}

}  // namespace deadgrad::driver
