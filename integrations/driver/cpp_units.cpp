#include "integrations/driver/cpp_units.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <unistd.h>

#include "frontends/cpp/cpp.h"
#include "integrations/driver/cache_folder.h"
#include "integrations/driver/header_cache.h"
#include "integrations/driver/parallel.h"
#include "integrations/driver/progress.h"
#include "integrations/driver/requirements.h"
#include "integrations/driver/unit_cache.h"

namespace deadgrad::driver {

namespace fs = std::filesystem;

// What one thread needs at most, in bytes: with a precompiled header or stub headers, and with LibTorch's own alone.
static constexpr std::uint64_t kSmallUnit = 300u << 20, kLargeUnit = 900u << 20;

static std::string real_path(const std::string& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

// The folder whose files belong together: the repository that holds `path`, else the current folder if it lies below
// that, else its own.
static std::string project_root(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::weakly_canonical(fs::current_path(error), error);
  for (fs::path folder = fs::path(path).parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / ".git", error)) return folder.string();
  const std::string below = here.string() + "/";
  return path.starts_with(below) ? here.string() : fs::path(path).parent_path().string();
}

static std::string common_folder(const std::string& a, const std::string& b) {
  const fs::path left = a, right = b;
  fs::path common;
  for (auto i = left.begin(), j = right.begin(); i != left.end() && j != right.end() && *i == *j; ++i, ++j)
    common /= *i;
  return common.string();
}

static std::vector<std::string> torch_places() {
  std::vector<std::string> places;
  for (const char* name : {"Torch_DIR", "Torch_ROOT", "CMAKE_PREFIX_PATH"}) {
    const char* value = std::getenv(name);
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
      const std::size_t end = rest.find_first_of(":;");
      if (end != 0) places.emplace_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  return places;
}

// Which LibTorch a unit is compiled with, by the folders among its arguments.
static std::optional<model::TorchVersion> torch_of_headers(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const auto text = read_file((argument.starts_with("-I") ? argument.substr(2) : argument) + "/torch/version.h");
    if (const auto version = text ? torch_of_header(*text) : std::nullopt) return version;
  }
  return std::nullopt;
}

// As many threads as have room in the memory that is free now.
static unsigned threads_for(const std::vector<const cpp::Unit*>& units, HeaderCache& headers, unsigned wanted) {
  const bool is_large = std::ranges::any_of(
      units, [&](const cpp::Unit* unit) { return unit->real_torch && headers.get(*unit).path.empty(); });
  const long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) {
    const std::uint64_t free = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
    wanted = static_cast<unsigned>(
        std::min<std::uint64_t>(wanted, std::max<std::uint64_t>(1, free / (is_large ? kLargeUnit : kSmallUnit))));
  }
  return wanted;
}

// The results of the units: those that were kept, and the others read now.
static std::vector<cpp::LoweredUnit> lower_units(const std::vector<cpp::Unit>& units, const cpp::NameFile& name_file,
                                                 const CheckOptions& options, CppSummary& summary) {
  const unsigned jobs = threads_wanted(options.jobs);
  CacheFolder folder(options.keep != Keep::Nothing);
  cpp::Disk disk;
  HeaderCache headers(folder, disk);
  UnitCache cache(folder, disk, headers, name_file, options.keep == Keep::HeadersAndResults);
  std::vector<std::optional<cpp::LoweredUnit>> kept(units.size());
  in_parallel(units.size(), jobs, [&](std::size_t i) { kept[i] = cache.find(units[i]); });

  std::vector<cpp::LoweredUnit> lowered(units.size());
  std::vector<const cpp::Unit*> left;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (kept[i])
      lowered[i] = std::move(*kept[i]);
    else
      left.push_back(&units[i]);
  }
  summary.parsed = left.size();
  headers.prepare(left);
  Progress progress("reading C++", left.size(), options.show_progress);
  in_parallel(left.size(), threads_for(left, headers, jobs), [&](std::size_t i) {
    lowered[static_cast<std::size_t>(left[i] - units.data())] = cache.lower(*left[i]);
    progress.advance();
  });
  for (const cpp::LoweredUnit& unit : lowered)
    if (!unit.unusable_header.empty()) headers.forget(unit.unusable_header);
  return lowered;
}

Result<bool> lower_cpp(const Inputs& inputs, const CheckOptions& options, CheckResult& result,
                       std::vector<ir::Module>& modules) {
  std::unordered_map<std::string, const InputFile*> by_path;
  cpp::ProjectOptions wanted;
  for (const InputFile& file : inputs.files) {
    if (file.kind != FileKind::Cpp) continue;
    std::string path = real_path(file.open_path);
    if (!by_path.emplace(path, &file).second) continue;
    const std::string root = options.paths_are_all ? fs::path(path).parent_path().string() : project_root(path);
    wanted.root = wanted.root.empty() ? root : common_folder(wanted.root, root);
    if (!file.vendored) wanted.files.push_back(path);
    wanted.all_files.push_back(std::move(path));
  }
  if (wanted.files.empty()) return true;
  // What was not named is read where it is included, and known by its path.
  if (!options.paths_are_all) {
    if (Result<Inputs> around = find_inputs({wanted.root}))
      for (const InputFile& file : around->files)
        if (file.kind == FileKind::Cpp && !by_path.contains(real_path(file.open_path)))
          wanted.all_files.push_back(real_path(file.open_path));
  }
  wanted.database = options.compile_database;
  wanted.torch = options.torch;
  wanted.torch_places = torch_places();
  Result<cpp::Project> project = cpp::find_units(wanted);
  if (!project) return project.error();

  std::error_code error;
  const std::string here = real_path(fs::current_path(error).string()) + "/";
  const std::string root = wanted.root.ends_with('/') ? wanted.root : wanted.root + "/";
  const cpp::NameFile name_file = [&](std::string_view path) -> std::string {
    if (auto found = by_path.find(std::string(path)); found != by_path.end()) return found->second->display_path;
    if (!path.starts_with(root)) return {};
    return std::string(path.starts_with(here) ? path.substr(here.size()) : path);
  };

  std::vector<cpp::Unit>& units = project->units;
  for (const auto& [path, file] : by_path) {
    const auto given = options.texts.find(file->display_path);
    if (given == options.texts.end()) continue;
    const bool is_unit = std::ranges::find(units, path, &cpp::Unit::path) != units.end();
    for (cpp::Unit& unit : units)
      if (!is_unit || unit.path == path) unit.texts.emplace_back(path, given->second);
  }
  CppSummary& summary = result.cpp;
  std::vector<cpp::LoweredUnit> lowered = lower_units(units, name_file, options, summary);
  for (const std::string& note : project->notes) result.notices.push_back({wanted.root, note, {}});
  summary.without_torch = project->without_torch;
  std::unordered_set<std::string> texts;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string name = name_file(units[i].path);
    for (const std::string& note : units[i].notes) result.notices.push_back({name, note, {}});
    ++summary.units;
    summary.with_real_headers += units[i].real_torch;
    CppUnitReport report{name, lowered[i].errors, lowered[i].torch_symbols == 0, units[i].real_torch, {}};
    if (!lowered[i].first_errors.empty()) report.first_error = lowered[i].first_errors[0];
    if (lowered[i].modules.empty()) {
      const std::string& why = lowered[i].given_up;
      result.notices.push_back({name, "skipped: " + (why.empty() ? "the compiler could not open it" : why), {}});
    }
    const auto version =
        units[i].real_torch && options.target_torch.empty() ? torch_of_headers(units[i].arguments) : std::nullopt;
    for (ir::Module& module : lowered[i].modules) {
      if (version) result.torch_versions[module.path] = *version;
      if (texts.insert(module.path).second) {
        const std::string path = real_path(module.path);
        const auto given = options.texts.find(module.path);
        auto text = given != options.texts.end() ? given->second : read_file(path);
        const auto asked = by_path.find(path);
        const bool is_ours = asked != by_path.end() && !asked->second->vendored;
        if (text) result.files.push_back({module.path, std::move(*text), path, is_ours});
      }
      modules.push_back(std::move(module));
    }
    summary.reports.push_back(std::move(report));
  }
  std::ranges::sort(result.files, {}, &SourceFile::path);
  return true;
}

}  // namespace deadgrad::driver
