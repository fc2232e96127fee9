#include "frontends/cpp/include_graph.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "frontends/cpp/flags.h"
#include "frontends/cpp/paths.h"
#include "frontends/cpp/torch_install.h"

namespace deadgrad::cpp {

static constexpr std::size_t kMaxGuessedFolders = 64;
static constexpr std::size_t kMaxCandidates = 64;
static constexpr std::size_t kMaxMayInclude = 8;  // candidates that count when an include is ambiguous
static constexpr std::size_t kMaxListedFiles = 400'000;
static constexpr std::size_t kMaxListedFolders = 50'000;

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// `part` with no letter before it: `at::` but not `format::`.
static bool contains_word_start(std::string_view text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    char before = at == 0 ? ' ' : text[at - 1];
    if (!(before == '_' || (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') ||
          (before >= 'A' && before <= 'Z')))
      return true;
  }
  return false;
}

static bool names_torch(std::string_view text) {
  return contains(text, "torch") || contains(text, "TORCH") || contains_word_start(text, "at::") ||
         contains_word_start(text, "c10::");
}

// A file that no walk over source files lists, yet is included: without an extension, or with one of these.
static bool is_includable(std::string_view name) {
  static const std::set<std::string_view> extensions = {"",     ".h",   ".hpp", ".hh",  ".hxx", ".h++", ".H",   ".cuh",
                                                        ".inl", ".inc", ".ipp", ".tpp", ".tcc", ".txx", ".ixx", ".def",
                                                        ".cpp", ".cc",  ".cxx", ".cu",  ".c",   ".mm",  ".impl"};
  return !name.starts_with('.') && extensions.contains(file_extension(name));
}

IncludeGraph::IncludeGraph(std::string root, const std::vector<std::string>& all_files, llvm::vfs::FileSystem& files)
    : root_(std::move(root)), files_(files) {
  std::set<std::string> folders = {root_};
  for (const std::string& path : all_files) {
    by_name_[std::string(file_name(path))].push_back(index_of(path));
    for (std::string_view folder = parent_path(path); is_below(folder, root_) && folders.size() < kMaxListedFolders;
         folder = parent_path(folder))
      if (!folders.emplace(folder).second || folder.size() <= 1) break;
  }
  for (const std::string& folder : folders) list_folder(folder);

  // When the root is a folder inside a repository, the build files and headers around it count too.
  std::vector<std::string> around;
  bool is_repository = files_.exists(join_path(root_, ".git"));
  for (std::string folder = root_; !is_repository && folder.size() > 1 && around.size() < 6;) {
    folder = parent_path(folder);
    around.push_back(folder);
    is_repository = files_.exists(join_path(folder, ".git"));
  }
  if (is_repository)
    for (const std::string& folder : around) {
      if (auto text = read_text(files_, join_path(folder, "CMakeLists.txt")))
        hints_[folder] = read_build_file("CMakeLists.txt", *text);
      for (std::string_view below : {"", "include", "src"})
        outer_folders_.push_back(below.empty() ? folder : join_path(folder, below));
    }
}

FolderIndex IncludeGraph::folder_index(std::string_view folder) {
  auto found = folder_indices_.find(folder);
  if (found != folder_indices_.end()) return found->second;
  auto index = static_cast<FolderIndex>(folders_.size());
  folders_.emplace_back(folder);
  shadowing_.push_back(false);
  real_torch_.push_back(std::nullopt);
  folder_indices_.emplace(std::string(folder), index);
  return index;
}

FileIndex IncludeGraph::index_of(const std::string& path) {
  auto [found, is_new] = indices_.try_emplace(path, static_cast<FileIndex>(nodes_.size()));
  if (is_new) {
    Node node;
    node.path = path;
    node.folder = folder_index(parent_path(path));
    if (is_standard_header(file_name(path))) shadowing_[node.folder] = true;
    nodes_.push_back(std::move(node));
  }
  return found->second;
}

// Adds what is there to be included besides the files that were named, and reads the build files.
void IncludeGraph::list_folder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (auto entry = files_.dir_begin(folder, error); !error && entry != llvm::vfs::directory_iterator();
       entry.increment(error)) {
    if (entry->type() == llvm::sys::fs::file_type::directory_file || nodes_.size() + paths.size() > kMaxListedFiles)
      continue;
    const std::string name(file_name(std::string_view(entry->path().data(), entry->path().size())));
    std::string path = join_path(folder, name);
    if (is_build_file(name)) {
      auto text = read_text(files_, path);
      if (!text) continue;
      BuildHints hints = read_build_file(name, *text);
      BuildHints& all = hints_[folder];
      all.standard = std::max(all.standard, hints.standard);
      all.defines.insert(all.defines.end(), hints.defines.begin(), hints.defines.end());
    } else if (is_includable(name)) {
      paths.push_back(std::move(path));
    }
  }
  std::ranges::sort(paths);
  if (auto found = hints_.find(folder); found != hints_.end()) std::ranges::sort(found->second.defines);
  for (const std::string& path : paths)
    if (!indices_.contains(path)) by_name_[std::string(file_name(path))].push_back(index_of(path));
}

const BuildHints& IncludeGraph::hints_for(FileIndex file) {
  const std::string& folder = folders_[nodes_[file].folder];
  auto [found, is_new] = collected_hints_.try_emplace(folder);
  BuildHints& hints = found->second;
  if (!is_new) return hints;
  for (std::string_view at = folder;; at = parent_path(at)) {
    if (auto own = hints_.find(at); own != hints_.end()) {
      if (hints.standard == 0) hints.standard = own->second.standard;  // the nearest decides
      for (const std::string& define : own->second.defines) {
        // Of two values for one name the nearer stays.
        std::string_view name = std::string_view(define).substr(0, define.find('='));
        if (std::ranges::none_of(hints.defines,
                                 [&](std::string_view other) { return other.substr(0, other.find('=')) == name; }))
          hints.defines.push_back(define);
      }
    }
    if (at.size() <= 1) break;
  }
  return hints;
}

bool IncludeGraph::is_real_torch(FolderIndex folder) {
  if (!real_torch_[folder]) real_torch_[folder] = holds_torch(files_, folders_[folder]);
  return *real_torch_[folder];
}

// Files whose path ends with `included`, those nearest to the includer first.
std::vector<IncludeGraph::Candidate> IncludeGraph::candidates_for(std::string_view included,
                                                                  std::string_view includer_folder) {
  std::string path = normal_path(included);
  if (path.empty() || path.starts_with('/')) return {};
  if (path.starts_with("../")) return candidates_above(path, includer_folder);
  auto named = by_name_.find(std::string(file_name(path)));
  if (named == by_name_.end()) return {};
  const std::string suffix = "/" + path;
  std::vector<Candidate> found;
  for (FileIndex file : named->second)
    if (std::string_view whole = nodes_[file].path; whole.size() > suffix.size() && whole.ends_with(suffix)) {
      FolderIndex folder = folder_index(whole.substr(0, whole.size() - suffix.size()));
      if (!is_real_torch(folder)) found.push_back({file, folder});
    }
  auto rank = [&](const Candidate& candidate) {
    const std::string& folder = folders_[candidate.folder];
    std::string_view name = file_name(folder);
    const bool is_usual = name == "include" || name == "src" || name == "inc" || folder == root_;
    return std::tuple(-static_cast<long>(common_depth(folder, includer_folder)), !is_usual, folder.size(),
                      std::string_view(folder));
  };
  std::ranges::sort(found, {}, rank);
  if (found.size() > kMaxCandidates) found.resize(kMaxCandidates);
  return found;
}

// `../x/y.h` under an include folder means a folder beside it.
std::vector<IncludeGraph::Candidate> IncludeGraph::candidates_above(std::string_view included,
                                                                    std::string_view includer_folder) {
  std::vector<std::string> folders;
  for (const std::string& folder : folders_)
    if (is_below(folder, root_)) folders.push_back(folder);
  std::ranges::sort(folders, {}, [&](const std::string& folder) {
    return std::tuple(-static_cast<long>(common_depth(folder, includer_folder)), folder.size(),
                      std::string_view(folder));
  });
  if (folders.size() > 4096) folders.resize(4096);
  for (const std::string& folder : folders)
    if (auto found = indices_.find(absolute_path(included, folder)); found != indices_.end()) {
      FolderIndex index = folder_index(folder);
      return {{found->second, index}};
    }
  return {};
}

void IncludeGraph::resolve(FileIndex includer, IncludeLine& line) {
  const std::string& included = line.include.path;
  const std::string folder = folders_[nodes_[includer].folder];
  line.is_torch = is_torch_header(included);
  line.is_standard = is_standard_header(included);
  if (is_absolute_path(included)) {
    if (auto found = indices_.find(normal_path(included)); found != indices_.end()) line.relative = found->second;
    return;
  }
  if (!line.include.angled) {
    std::string path = absolute_path(included, folder);
    if (indices_.contains(path) || is_regular_file(files_, path)) {
      line.relative = index_of(path);
      return;
    }
  }
  if (line.is_standard) return;
  const std::string key = folder + '\n' + included;
  auto known = resolved_.find(key);
  if (known == resolved_.end()) {
    std::vector<Candidate> candidates = candidates_for(included, folder);
    if (candidates.empty() && !line.is_torch && !included.starts_with("..")) {
      for (const std::string& outer : outer_folders_) {
        std::string path = absolute_path(included, outer);
        if (!is_regular_file(files_, path)) continue;
        FileIndex file = index_of(path);
        candidates.push_back({file, folder_index(outer)});
        break;
      }
    }
    known = resolved_.emplace(key, std::move(candidates)).first;
  }
  line.candidates = known->second;
}

void IncludeGraph::read(FileIndex file) {
  if (nodes_[file].is_read) return;
  nodes_[file].is_read = true;
  std::optional<std::string> text = read_text(files_, nodes_[file].path);
  if (!text) return;
  Node node = std::move(nodes_[file]);
  node.names_torch = names_torch(*text);
  node.sounds_like_torch = contains(*text, "forward(") || contains(*text, "forward (") || contains(*text, "jit");
  Macros macros;
  Conditions conditions(macros);
  for (Directive& directive : scan_directives(*text)) {
    const bool is_condition = conditions.follow(directive);
    std::optional<Include> include = is_condition ? std::nullopt : include_of(directive);
    if (!is_condition && !include) continue;
    if (include) {
      IncludeLine line{std::move(*include), node.directives.size(), false, false, conditions.active(), kNone, {}};
      node.includes.push_back(std::move(line));
    }
    node.directives.push_back(std::move(directive));
  }
  nodes_[file].path = node.path;
  nodes_[file].folder = node.folder;
  for (IncludeLine& line : node.includes) {
    resolve(file, line);
    node.includes_torch_active |= line.is_torch && line.is_active;
    node.includes_torch_inactive |= line.is_torch && !line.is_active;
  }
  nodes_[file] = std::move(node);
}

void IncludeGraph::reach(const std::vector<FileIndex>& starts) {
  std::vector<FileIndex> pending(starts.rbegin(), starts.rend());
  while (!pending.empty()) {
    const FileIndex file = pending.back();
    pending.pop_back();
    if (std::exchange(nodes_[file].is_reached, true)) continue;
    read(file);
    auto follow = [&](FileIndex included) {
      nodes_[included].includers.push_back(file);
      pending.push_back(included);
    };
    for (const IncludeLine& line : nodes_[file].includes) {
      if (line.relative != kNone) follow(line.relative);
      for (std::size_t i = 0; i < line.candidates.size() && i < kMaxMayInclude; ++i) follow(line.candidates[i].file);
    }
  }
  spread_torch();
}

// From the files that are sure to the files that include them. A header that is nowhere may be torch's messenger when
// the words around it sound like it.
void IncludeGraph::spread_torch() {
  std::vector<bool> is_open(nodes_.size()), sounds(nodes_.size());
  std::vector<FileIndex> torch, open, sounding;
  for (FileIndex file = 0; file < nodes_.size(); ++file) {
    Node& node = nodes_[file];
    node.may_torch = false;
    if (node.names_torch) torch.push_back(file);
    if (node.sounds_like_torch) sounding.push_back(file);
    if (std::ranges::any_of(node.includes, [](const IncludeLine& line) {
          return !line.is_standard && !line.is_torch && line.relative == kNone && line.candidates.empty();
        }))
      open.push_back(file);
  }
  auto spread = [&](std::vector<FileIndex> pending, auto mark) {
    while (!pending.empty()) {
      FileIndex file = pending.back();
      pending.pop_back();
      if (!mark(file)) continue;
      pending.insert(pending.end(), nodes_[file].includers.begin(), nodes_[file].includers.end());
    }
  };
  spread(std::move(torch), [&](FileIndex file) { return !std::exchange(nodes_[file].may_torch, true); });
  auto mark_in = [](std::vector<bool>& marks) {
    return [&marks](FileIndex file) {
      bool was = marks[file];
      marks[file] = true;
      return !was;
    };
  };
  spread(std::move(open), mark_in(is_open));
  spread(std::move(sounding), mark_in(sounds));
  for (FileIndex file = 0; file < nodes_.size(); ++file)
    nodes_[file].may_torch = nodes_[file].may_torch || (is_open[file] && sounds[file]);
}

FileIndex IncludeGraph::nearest_includer(FileIndex header) const {
  std::set<FileIndex> seen = {header};
  std::vector<FileIndex> level = {header};
  while (!level.empty()) {
    std::vector<FileIndex> next;
    for (FileIndex file : level)
      for (FileIndex includer : nodes_[file].includers)
        if (seen.insert(includer).second) next.push_back(includer);
    std::ranges::sort(next, {}, [&](FileIndex file) -> const std::string& { return nodes_[file].path; });
    for (FileIndex file : next)
      if (is_source_file(nodes_[file].path)) return file;
    level = std::move(next);
  }
  return kNone;
}

// The candidate that a compiler finds first, given the position of each folder; kNone when no folder has any.
FileIndex IncludeGraph::choose(const IncludeLine& line,
                               const std::unordered_map<FolderIndex, std::size_t>& order) const {
  if (line.relative != kNone) return line.relative;
  FileIndex best = kNone;
  std::size_t best_position = ~std::size_t{0};
  for (const Candidate& candidate : line.candidates) {
    auto position = order.find(candidate.folder);
    if (position == order.end() || position->second >= best_position) continue;
    best = candidate.file;
    best_position = position->second;
  }
  return best;
}

IncludeGraph::Walk IncludeGraph::walk(FileIndex main, const std::vector<std::string>& arguments) {
  Walk walk;
  std::unordered_map<FolderIndex, std::size_t> order;
  for (const std::string& folder : include_folders(arguments)) order.try_emplace(folder_index(folder), order.size());
  std::vector<bool> seen(nodes_.size());
  std::vector<bool> shown(nodes_.size());  // reached with no definition from elsewhere
  bool has_inactive_torch = false;
  auto visit = [&](FileIndex file, bool is_active) {
    if (file >= seen.size()) seen.resize(file + 1), shown.resize(file + 1);
    if (is_active) shown[file] = true;
    if (!seen[file]) walk.files.push_back(file);
    seen[file] = true;
  };
  visit(main, true);
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "-include")
      if (auto found = indices_.find(arguments[i + 1]); found != indices_.end()) visit(found->second, true);
  for (std::size_t next = 0; next < walk.files.size(); ++next) {
    const FileIndex file = walk.files[next];
    read(file);
    for (const IncludeLine& line : nodes_[file].includes) {
      FileIndex included = choose(line, order);
      if (included == kNone && !line.candidates.empty() && !line.is_torch && walk.folders.size() < kMaxGuessedFolders) {
        const Candidate& first = line.candidates.front();
        order.try_emplace(first.folder, order.size());
        walk.folders.push_back(first.folder);
        included = first.file;
      }
      if (included != kNone) {
        visit(included, line.is_active && shown[file]);
      } else if (!line.is_standard && !line.is_torch) {
        ++walk.unresolved;
      }
    }
    walk.torch_is_active |= nodes_[file].includes_torch_active && shown[file];
    has_inactive_torch |= nodes_[file].includes_torch_inactive || (nodes_[file].includes_torch_active && !shown[file]);
  }
  if (!walk.torch_is_active && has_inactive_torch) find_hidden_torch(main, arguments, order, walk);
  return walk;
}

// A run of the preprocessor over the conditions of a unit, each file once.
struct IncludeGraph::Simulation {
  Macros macros;
  const std::unordered_map<FolderIndex, std::size_t>& order;
  std::set<FileIndex> entered;
  std::size_t steps = 0;
  bool torch_is_active = false;
  std::optional<Macros> fewest;
  std::vector<std::pair<FileIndex, Macros>> hidden;  // includes that definitions would reach
};

void IncludeGraph::simulate(FileIndex file, Simulation& state, std::size_t depth) {
  if (depth > 100 || !state.entered.insert(file).second) return;
  read(file);
  Conditions conditions(state.macros);
  std::size_t next_include = 0;
  for (std::size_t i = 0; i < nodes_[file].directives.size() && !state.torch_is_active; ++i) {
    if (++state.steps > 200'000) return;
    if (conditions.follow(nodes_[file].directives[i])) continue;
    const IncludeLine& line = nodes_[file].includes[next_include++];
    const FileIndex included = line.is_torch ? kNone : choose(line, state.order);
    if (!line.is_torch && included == kNone) continue;
    if (conditions.active()) {
      if (included != kNone) simulate(included, state, depth + 1);
      state.torch_is_active |= line.is_torch;
      continue;
    }
    std::optional<Macros> needed = conditions.needed();
    if (!needed || needed->empty()) continue;
    if (included != kNone) {
      state.hidden.emplace_back(included, std::move(*needed));
    } else if (!state.fewest || needed->size() < state.fewest->size()) {
      state.fewest = std::move(needed);
    }
  }
}

// With the macros that files define for each other, the torch includes may be seen after all.
void IncludeGraph::find_hidden_torch(FileIndex main, const std::vector<std::string>& arguments,
                                     const std::unordered_map<FolderIndex, std::size_t>& order, Walk& walk) {
  Simulation state{macros_of(arguments), order, {}, 0, false, std::nullopt, {}};
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "-include")
      if (auto found = indices_.find(arguments[i + 1]); found != indices_.end()) simulate(found->second, state, 0);
  simulate(main, state, 0);
  walk.torch_is_active = state.torch_is_active;
  if (state.torch_is_active) return;
  // No include of torch itself is in sight: one may stand in a project header that is itself switched off.
  for (std::size_t i = 0; !state.fewest && i < state.hidden.size() && i < 64; ++i) {
    auto [file, needed] = state.hidden[i];
    Simulation inner{state.macros, order, {}, 0, false, std::nullopt, {}};
    inner.macros.insert(needed.begin(), needed.end());
    simulate(file, inner, 0);
    if (inner.torch_is_active) {
      state.fewest = needed;
    } else if (inner.fewest) {
      inner.fewest->insert(needed.begin(), needed.end());
      state.fewest = std::move(inner.fewest);
    }
  }
  if (state.fewest) walk.torch_definitions = definitions_of(*state.fewest);
}

}  // namespace deadgrad::cpp
