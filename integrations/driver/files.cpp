#include "integrations/driver/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace deadgrad::driver {

namespace fs = std::filesystem;

// Folders that hold no source of the project whatever their content.
static constexpr std::array<std::string_view, 14> kSkippedFolders = {
    ".git",        ".hg",         ".svn",  "node_modules",  "__pycache__",        ".venv",         ".tox", ".nox",
    ".mypy_cache", ".ruff_cache", ".eggs", ".pytest_cache", ".ipynb_checkpoints", "__pypackages__"};
static constexpr std::array<std::string_view, 6> kVendorFolders = {"third_party", "thirdparty",    "vendor",
                                                                   "_vendor",     "site-packages", "dist-packages"};

static std::string errno_text(int error) {
  return std::strerror(error);
}

static std::optional<FileKind> kind_of(std::string_view name) {
  auto ends = [&](std::string_view suffix) { return name.size() > suffix.size() && name.ends_with(suffix); };
  if (ends(".py")) return FileKind::Python;
  if (ends(".ipynb")) return FileKind::Notebook;
  for (std::string_view suffix : {".cpp", ".cc", ".cxx", ".cu", ".h", ".hpp", ".hh", ".cuh"})
    if (ends(suffix)) return FileKind::Cpp;
  return std::nullopt;
}

static bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A folder that a tool filled: it says so itself (a virtual environment, a cache, a CMake or setuptools build folder).
static bool is_generated_folder(const fs::path& folder) {
  if (is_there(folder / "pyvenv.cfg") || is_there(folder / "CACHEDIR.TAG") || is_there(folder / "CMakeCache.txt"))
    return true;
  if (folder.filename() != "build" || !is_there(folder.parent_path() / "setup.py")) return false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name == "lib" || name.starts_with("lib.") || name.starts_with("bdist.")) return true;
  }
  return false;
}

static bool is_vendored(std::string_view module_path) {
  for (std::size_t begin = 0, slash; (slash = module_path.find('/', begin)) != std::string_view::npos;
       begin = slash + 1)
    if (std::ranges::find(kVendorFolders, module_path.substr(begin, slash - begin)) != kVendorFolders.end())
      return true;
  return false;
}

// `inner` relative to `outer`, both absolute and normal; nothing when it does not lie below it.
static std::optional<std::string> relative_below(const std::string& inner, const std::string& outer) {
  if (inner == outer) return "";
  std::string prefix = outer == "/" ? outer : outer + "/";
  if (!inner.starts_with(prefix)) return std::nullopt;
  return inner.substr(prefix.size());
}

// Absolute and without `.` and `..` parts or a slash at the end; links stay as they are written.
static std::string normal(const fs::path& path) {
  std::string text = path.lexically_normal().generic_string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

using Identity = std::pair<dev_t, ino_t>;

class Finder {
 public:
  explicit Finder(std::string current) : current_(std::move(current)) {}

  Result<Inputs> run(const std::vector<std::string>& paths, const std::string& root);

 private:
  void walk(const std::string& top);
  void add(const std::string& absolute, FileKind kind, bool explicitly, const struct stat& info);

  std::string current_;
  std::string root_;  // of module names
  std::set<Identity> folders_seen_;
  std::set<Identity> files_seen_;
  Inputs inputs_;
};

// Imports resolve from the outermost folder that is no package itself.
static std::string above_packages(std::string folder) {
  while (folder != "/" && is_there(fs::path(folder) / "__init__.py")) folder = normal(fs::path(folder).parent_path());
  return folder;
}

static std::string common_parent(const std::string& a, const std::string& b) {
  if (relative_below(b, a)) return a;
  fs::path parent = a;
  while (!relative_below(b, normal(parent))) parent = parent.parent_path();
  return normal(parent);
}

void Finder::add(const std::string& absolute, FileKind kind, bool explicitly, const struct stat& info) {
  if (!files_seen_.insert({info.st_dev, info.st_ino}).second) return;
  InputFile file;
  file.open_path = absolute;
  file.display_path = relative_below(absolute, current_).value_or(absolute);
  file.module_path = relative_below(absolute, root_).value_or(absolute);
  file.kind = kind;
  file.vendored = !explicitly && is_vendored(file.module_path);
  inputs_.files.push_back(std::move(file));
}

// Links are followed last, so that a file is known by its real name, and only to places below `top`.
void Finder::walk(const std::string& top) {
  struct Step {
    std::string path;
    bool is_link;
  };
  std::error_code error;
  const std::string real_top = normal(fs::canonical(top, error));
  std::vector<std::string> pending = {top};
  std::vector<std::string> links;
  auto visit_folder = [&](const std::string& folder) {
    struct stat info;
    if (::stat(folder.c_str(), &info) != 0 || !folders_seen_.insert({info.st_dev, info.st_ino}).second) return;
    std::error_code failed;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
      names.push_back(entry->path().filename().string());
    if (failed) inputs_.notices.push_back({relative_below(folder, current_).value_or(folder), failed.message(), {}});
    std::ranges::sort(names);
    std::vector<std::string> children;
    for (const std::string& name : names) {
      std::string path = folder == "/" ? "/" + name : folder + "/" + name;
      if (::lstat(path.c_str(), &info) != 0) continue;
      if (S_ISLNK(info.st_mode)) {
        links.push_back(path);
      } else if (S_ISREG(info.st_mode)) {
        if (auto kind = kind_of(name)) add(path, *kind, false, info);
      } else if (S_ISDIR(info.st_mode)) {
        if (std::ranges::find(kSkippedFolders, name) == kSkippedFolders.end() && !is_generated_folder(path))
          children.push_back(std::move(path));
      }
    }
    pending.insert(pending.end(), std::make_move_iterator(children.rbegin()), std::make_move_iterator(children.rend()));
  };
  for (std::size_t next_link = 0;;) {
    while (!pending.empty()) {
      std::string folder = std::move(pending.back());
      pending.pop_back();
      visit_folder(folder);
    }
    if (next_link == links.size()) return;
    const std::string link = links[next_link++];
    std::error_code broken;
    std::string target = normal(fs::canonical(link, broken));
    struct stat info;
    if (broken || !relative_below(target, real_top) || ::stat(link.c_str(), &info) != 0) continue;
    std::string name = fs::path(link).filename().string();
    if (S_ISDIR(info.st_mode)) {
      if (std::ranges::find(kSkippedFolders, name) == kSkippedFolders.end()) pending.push_back(link);
    } else if (S_ISREG(info.st_mode)) {
      if (auto kind = kind_of(name)) add(link, *kind, false, info);
    }
  }
}

Result<Inputs> Finder::run(const std::vector<std::string>& paths, const std::string& wanted_root) {
  struct Argument {
    std::string path;
    struct stat info;
  };
  std::vector<Argument> arguments;
  for (const std::string& path : paths) {
    Argument argument{normal(fs::path(current_) / path), {}};
    if (::stat(argument.path.c_str(), &argument.info) != 0) return Error{path + ": " + errno_text(errno)};
    if (!S_ISDIR(argument.info.st_mode) && !S_ISREG(argument.info.st_mode))
      return Error{path + ": neither a file nor a folder"};
    std::string folder = S_ISDIR(argument.info.st_mode) ? argument.path : normal(fs::path(argument.path).parent_path());
    std::string root = above_packages(folder);
    root_ = root_.empty() ? root : common_parent(root_, root);
    arguments.push_back(std::move(argument));
  }
  if (!wanted_root.empty()) root_ = normal(fs::path(current_) / wanted_root);
  // Files that are named come first: they are taken even where a walk would count them as vendored.
  for (const Argument& argument : arguments) {
    if (!S_ISREG(argument.info.st_mode)) continue;
    std::string name = fs::path(argument.path).filename().string();
    add(argument.path, kind_of(name).value_or(FileKind::Python), true, argument.info);
  }
  for (const Argument& argument : arguments)
    if (S_ISDIR(argument.info.st_mode)) walk(argument.path);
  std::ranges::sort(inputs_.files, {}, &InputFile::display_path);
  std::ranges::sort(inputs_.notices);
  return std::move(inputs_);
}

Result<Inputs> find_inputs(const std::vector<std::string>& paths, const std::string& root) {
  std::error_code error;
  fs::path current = fs::current_path(error);
  if (error) return Error{"the current directory: " + error.message()};
  return Finder(normal(current)).run(paths, root);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  struct Descriptor {
    int value;
    ~Descriptor() {
      if (value >= 0) ::close(value);
    }
  } file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.value < 0) return Error{errno_text(errno)};
  struct stat info;
  if (::fstat(file.value, &info) != 0) return Error{errno_text(errno)};
  if (!S_ISREG(info.st_mode)) return Error{"not a regular file"};
  auto too_large = [&] { return Error{"larger than " + std::to_string(max_bytes >> 20) + " MB"}; };
  if (static_cast<std::size_t>(info.st_size) > max_bytes) return too_large();
  std::string text(static_cast<std::size_t>(info.st_size) + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    if (size == text.size()) {
      if (size > max_bytes) return too_large();  // it grows while it is read
      text.resize(size * 2);
    }
    ssize_t got = ::read(file.value, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{errno_text(errno)};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace deadgrad::driver
