#include "frontends/cpp/project.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "frontends/cpp/database.h"
#include "frontends/cpp/flags.h"
#include "frontends/cpp/include_graph.h"
#include "frontends/cpp/paths.h"
#include "frontends/cpp/torch_install.h"

namespace deadgrad::cpp {

// The stub headers need C++17, as LibTorch 2 does.
static constexpr unsigned kOldestStandard = 17;

// What nvcc understands and a C++ compiler does not.
static constexpr std::string_view kCudaAttributes[] = {
    "-D__global__=",
    "-D__device__=",
    "-D__host__=",
    "-D__shared__=",
    "-D__constant__=",
    "-D__managed__=",
    "-D__restrict__=__restrict",
    "-D__forceinline__=inline",
    "-D__launch_bounds__(...)=",
};

class UnitFinder {
 public:
  UnitFinder(const ProjectOptions& options, llvm::vfs::FileSystem& files)
      : options_(options), files_(files), graph_(options.root, options.all_files, files) {}

  Result<Project> run();

 private:
  Result<bool> open_database();
  Result<bool> open_torch();
  Unit make_unit(FileIndex file, IncludeGraph::Walk& walk);
  void take_flags(Unit& unit, FileIndex file);
  void use_torch(Unit& unit);
  void add_unit(FileIndex file, bool is_context);
  void add_headers(const std::vector<FileIndex>& headers);
  bool holds(const std::string& folder);

  const ProjectOptions& options_;
  llvm::vfs::FileSystem& files_;
  IncludeGraph graph_;
  std::optional<Database> database_;
  std::vector<std::string> torch_folders_;  // given by the user or found
  std::map<std::string, bool> holds_torch_;
  std::set<FileIndex> wanted_headers_, covered_;
  Project project_;
};

bool UnitFinder::holds(const std::string& folder) {
  auto [found, is_new] = holds_torch_.try_emplace(folder, false);
  if (is_new) found->second = holds_torch(files_, folder);
  return found->second;
}

Result<bool> UnitFinder::open_database() {
  std::optional<std::string> path = find_database(options_.database, options_.root, files_);
  if (!path && !options_.database.empty()) return Error{options_.database + ": no compile_commands.json there"};
  if (!path) return true;
  database_.emplace(*path, options_.root, files_);
  project_.notes.insert(project_.notes.end(), database_->notes().begin(), database_->notes().end());
  project_.database = *path;
  return true;
}

Result<bool> UnitFinder::open_torch() {
  if (options_.torch.empty()) return true;
  if (options_.torch == "auto") {
    torch_folders_ = find_torch(files_, options_.root, options_.torch_places);
    return true;
  }
  torch_folders_ = torch_include_folders(files_, absolute_path(options_.torch, options_.root));
  if (torch_folders_.empty())
    return Error{options_.torch +
                 ": no LibTorch there: include/torch/csrc/api/include/torch/torch.h is neither in it nor in a Python "
                 "environment below it"};
  return true;
}

// Removes the include folders for which `is_dropped` holds.
template <class Predicate>
static void drop_folders(std::vector<std::string>& arguments, Predicate is_dropped) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = arguments[i] == "-isystem" || arguments[i] == "-iquote" || arguments[i] == "-idirafter";
    if (has_value && i + 1 < arguments.size()) {
      if (!is_dropped(arguments[i + 1])) kept.insert(kept.end(), {arguments[i], arguments[i + 1]});
      ++i;
    } else if (!arguments[i].starts_with("-I") || !is_dropped(arguments[i].substr(2))) {
      kept.push_back(arguments[i]);
    }
  }
  arguments = std::move(kept);
}

// Real headers: the user's path wins over what the command names, and that over what "auto" finds.
void UnitFinder::use_torch(Unit& unit) {
  std::vector<std::string> named = include_folders(unit.arguments);
  unit.real_torch = std::ranges::any_of(named, [&](const std::string& folder) { return holds(folder); });
  const bool is_forced = !options_.torch.empty() && options_.torch != "auto";
  if (torch_folders_.empty() || (unit.real_torch && !is_forced)) return;
  drop_folders(unit.arguments, [&](const std::string& folder) { return holds(folder); });
  for (const std::string& folder : torch_folders_) unit.arguments.insert(unit.arguments.end(), {"-isystem", folder});
  unit.real_torch = true;
}

// Flags but for the guessed include folders; -std comes first.
void UnitFinder::take_flags(Unit& unit, FileIndex file) {
  std::string standard = "gnu++17";
  const std::string* owner = database_ ? database_->flags_owner(unit.path) : nullptr;
  if (owner != nullptr) {
    RecordedCommand command = database_->command_of(*owner);
    Flags flags = sanitise(command, options_.root, files_);
    unit.from_database = true;
    unit.directory = command.directory;
    unit.arguments = std::move(flags.arguments);
    unit.notes = std::move(flags.notes);
    unit.is_cuda = unit.is_cuda || (flags.is_cuda && *owner == unit.path && !unit.is_header);
    if (*owner != unit.path) unit.notes.push_back("not in the compile database: read with the flags of " + *owner);
    standard = flags.standard;
  } else {
    const BuildHints& hints = graph_.hints_for(file);
    unit.directory = options_.root;
    unit.arguments = hints.defines;
    if (hints.standard > kOldestStandard) standard = "gnu++" + std::to_string(hints.standard);
  }
  use_torch(unit);
  if (!unit.real_torch && standard_number(standard) < kOldestStandard) {
    unit.notes.push_back("read as C++17 instead of " + standard + ", which LibTorch's stub headers need");
    standard = "gnu++17";
  }
  if (unit.is_cuda) unit.arguments.insert(unit.arguments.end(), std::begin(kCudaAttributes), std::end(kCudaAttributes));
  unit.arguments.insert(unit.arguments.begin(), "-std=" + standard);
}

Unit UnitFinder::make_unit(FileIndex file, IncludeGraph::Walk& walk) {
  Unit unit;
  unit.path = graph_.path_of(file);
  unit.is_header = !is_source_file(unit.path);
  unit.is_cuda = is_cuda_file(unit.path);
  take_flags(unit, file);
  walk = graph_.walk(file, unit.arguments);
  for (FolderIndex folder : walk.folders) {
    const std::string& path = graph_.folder_of(folder);
    // With -I, a project's own string.h or version would take the place of the standard one.
    if (graph_.shadows_standard(folder)) {
      unit.arguments.insert(unit.arguments.end(), {"-iquote", path});
    } else {
      unit.arguments.push_back("-I" + path);
    }
    if (unit.from_database) unit.notes.push_back("the compile command does not name the include folder " + path);
  }
  unit.without_torch_include = !walk.torch_is_active;
  unit.torch_definitions = std::move(walk.torch_definitions);
  return unit;
}

void UnitFinder::add_unit(FileIndex file, bool is_context) {
  IncludeGraph::Walk walk;
  Unit unit = make_unit(file, walk);
  unit.context = is_context;
  for (FileIndex included : walk.files) {
    if (included == file || !wanted_headers_.contains(included)) continue;
    covered_.insert(included);
    unit.covers.push_back(graph_.path_of(included));
  }
  std::ranges::sort(unit.covers);
  project_.units.push_back(std::move(unit));
}

// Headers that no unit covers yet: through a source that was not asked for, or by themselves.
void UnitFinder::add_headers(const std::vector<FileIndex>& headers) {
  std::vector<FileIndex> left;
  for (FileIndex header : headers) {
    if (covered_.contains(header)) continue;
    if (graph_.may_hold_torch(header)) {
      left.push_back(header);
    } else {
      ++project_.without_torch;
    }
  }
  if (left.empty()) return;
  std::vector<FileIndex> sources;
  for (const std::string& path : options_.all_files)
    if (is_source_file(path)) sources.push_back(graph_.index_of(path));
  graph_.reach(sources);
  std::set<FileIndex> tried;
  for (FileIndex header : left) {
    if (covered_.contains(header)) continue;
    FileIndex source = graph_.nearest_includer(header);
    if (source != kNone && tried.insert(source).second) {
      std::size_t before = covered_.size();
      add_unit(source, true);
      if (covered_.size() == before) project_.units.pop_back();
    }
  }
  // A header that includes others covers them, so those that nothing includes come first.
  std::ranges::stable_sort(left, {}, [&](FileIndex header) { return graph_.is_included(header); });
  for (FileIndex header : left)
    if (!covered_.contains(header)) add_unit(header, false);
}

Result<Project> UnitFinder::run() {
  if (auto opened = open_database(); !opened) return opened.error();
  if (auto opened = open_torch(); !opened) return opened.error();

  std::set<std::string> paths;
  for (const std::string& path : options_.files) paths.insert(normal_path(path));
  std::vector<FileIndex> sources, headers, wanted;
  for (const std::string& path : paths) {
    FileIndex file = graph_.index_of(path);
    (is_source_file(path) ? sources : headers).push_back(file);
    wanted.push_back(file);
  }
  wanted_headers_.insert(headers.begin(), headers.end());
  graph_.reach(wanted);
  for (FileIndex source : sources) {
    if (graph_.may_hold_torch(source)) {
      add_unit(source, false);
    } else {
      ++project_.without_torch;
    }
  }
  add_headers(headers);
  std::ranges::sort(project_.units, {}, &Unit::path);
  const bool has_real = std::ranges::any_of(project_.units, &Unit::real_torch);
  if (options_.torch == "auto" && !has_real && !project_.units.empty())
    project_.notes.push_back("no LibTorch was found: read with the stub headers");
  return std::move(project_);
}

Result<Project> find_units(const ProjectOptions& options, llvm::vfs::FileSystem& files) {
  return UnitFinder(options, files).run();
}

Result<Project> find_units(const ProjectOptions& options) {
  return find_units(options, *llvm::vfs::getRealFileSystem());
}

std::vector<std::string> standards_to_try(const Unit& unit) {
  std::string own = "gnu++17";
  for (const std::string& argument : unit.arguments)
    if (argument.starts_with("-std=")) own = argument.substr(5);
  if (unit.from_database) return {own};
  switch (standard_number(own)) {
    case 17:
      return {own, "gnu++20"};
    case 20:
      return {own, "gnu++23"};
    default:
      return {own, "gnu++20"};
  }
}

}  // namespace deadgrad::cpp
