#include "frontends/cpp/database.h"

#include <algorithm>

#include "frontends/cpp/paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"

namespace deadgrad::cpp {

static constexpr std::string_view kName = "compile_commands.json";
static constexpr std::uint64_t kMaxDatabaseBytes = 512ull << 20;
static constexpr std::size_t kMaxObjectBytes = 4u << 20;
static constexpr std::size_t kMaxKin = 256;  // files of one name that are compared

static std::vector<std::string> subfolders(llvm::vfs::FileSystem& files, const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = files.dir_begin(folder, error); !error && entry != llvm::vfs::directory_iterator();
       entry.increment(error)) {
    if (names.size() > 10'000) break;
    names.emplace_back(file_name(std::string_view(entry->path().data(), entry->path().size())));
  }
  std::ranges::sort(names);
  return names;
}

static std::optional<std::string> database_in(llvm::vfs::FileSystem& files, const std::string& folder) {
  std::string path = join_path(folder, kName);
  return is_regular_file(files, path) ? std::optional(path) : std::nullopt;
}

static std::optional<std::string> database_below(llvm::vfs::FileSystem& files, const std::string& folder) {
  if (auto found = database_in(files, folder)) return found;
  for (const std::string& name : subfolders(files, folder)) {
    const std::string inner = join_path(folder, name);
    if (name.starts_with("build") || name.starts_with("cmake-build-") || name == "out")
      if (auto found = database_in(files, inner)) return found;
    if (name != "out" && name != "build") continue;
    for (const std::string& configuration : subfolders(files, inner))
      if (auto found = database_in(files, join_path(inner, configuration))) return found;
  }
  return std::nullopt;
}

std::optional<std::string> find_database(const std::string& wanted, const std::string& root,
                                         llvm::vfs::FileSystem& files) {
  if (!wanted.empty()) {
    if (is_regular_file(files, wanted)) return wanted;
    return database_in(files, wanted);
  }
  for (std::string folder = root;; folder = parent_path(folder)) {
    if (auto found = database_below(files, folder)) return found;
    // A repository ends where its .git is; above it lies somebody else's code.
    if (folder.size() <= 1 || files.exists(join_path(folder, ".git"))) return std::nullopt;
  }
}

Database::Database(const std::string& path, const std::string& root, llvm::vfs::FileSystem& files)
    : folder_(parent_path(path)), root_(root), files_(files) {
  llvm::SmallString<256> real;
  if (!files.getRealPath(root, real)) real_root_ = std::string(real.begin(), real.end());
  auto status = files.status(path);
  if (!status || !status->isRegularFile() || status->getSize() > kMaxDatabaseBytes) {
    notes_.push_back(path + ": too large or no file; the flags are guessed instead");
    return;
  }
  auto buffer = files.getBufferForFile(path);
  if (!buffer) {
    notes_.push_back(path + ": " + buffer.getError().message() + "; the flags are guessed instead");
    return;
  }
  buffer_ = std::move(*buffer);
  read(std::string_view(buffer_->getBufferStart(), buffer_->getBufferSize()));
  if (broken_ > 0) notes_.push_back(path + ": " + std::to_string(broken_) + " broken parts were left out");
  if (missing_ > 0) notes_.push_back(path + ": " + std::to_string(missing_) + " entries name files that do not exist");
  if (entries_.empty()) notes_.push_back(path + ": no entry for a file of the project; the flags are guessed instead");
  index();
}

// Cuts the array into its objects: one that is broken then costs no other, and nothing is parsed that is too deep or
// too large.
void Database::read(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t braces = 0, brackets = 0, deepest = 0, begin = 0;
  bool in_string = false, is_damaged = false;
  char last = ' ';
  auto start = [&](std::size_t at) {
    begin = at;
    braces = deepest = 1;
    brackets = 0;
    is_damaged = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"' && c != '\n';
      is_damaged = is_damaged || c == '\n';  // no string goes over a line: a quote is missing
      continue;
    }
    if (c == '{' && braces > 0 && (is_damaged || (last == ',' && brackets == 0))) {
      ++broken_;  // an object cannot start here, so the one before has lost its end
      start(i);
    } else if (c == '{' && braces == 0) {
      start(i);
    } else if (braces > 0) {
      if (c == '"') in_string = true;
      if (c == '{') ++braces;
      if (c == '[') ++brackets;
      if (c == ']' && brackets > 0) --brackets;
      deepest = std::max(deepest, braces + brackets);
      if (c == '}' && --braces == 0) {
        const std::string_view object = text.substr(begin, i + 1 - begin);
        if (deepest > 8 || object.size() > kMaxObjectBytes) {
          ++broken_;
        } else {
          add(object);
        }
      }
    }
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') last = c;
  }
  const bool has_array = text.find('[') != std::string_view::npos;
  if (braces > 0 || (entries_.empty() && broken_ == 0 && missing_ == 0 && !has_array)) ++broken_;
}

static std::optional<llvm::json::Value> parse_object(std::string_view text) {
  llvm::StringRef source(text.data(), text.size());
  llvm::Expected<llvm::json::Value> value =
      llvm::json::isUTF8(source) ? llvm::json::parse(source) : llvm::json::parse(llvm::json::fixUTF8(source));
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::move(*value);
}

void Database::add(std::string_view text) {
  std::optional<llvm::json::Value> value = parse_object(text);
  const llvm::json::Object* object = value ? value->getAsObject() : nullptr;
  std::optional<llvm::StringRef> file = object ? object->getString("file") : std::nullopt;
  if (!file || file->empty() || (!object->get("command") && !object->get("arguments"))) {
    ++broken_;
    return;
  }
  std::string directory = absolute_path(object->getString("directory").value_or("").str(), folder_);
  std::string path = file->str();
  std::ranges::replace(path, '\\', '/');
  path = absolute_path(path, directory);
  if (!is_below(path, root_) && !real_root_.empty() && is_below(path, real_root_))
    path = normal_path(root_ + path.substr(real_root_.size()));
  if (!is_below(path, root_) || file_extension(path) == ".c" || entries_.contains(path)) return;
  if (!is_regular_file(files_, path)) {
    ++missing_;
    return;
  }
  entries_.emplace(std::move(path), Entry{std::move(directory), text});
}

void Database::index() {
  for (const auto& [path, entry] : entries_) {
    by_stem_[std::string(file_stem(path))].push_back(&path);
    std::string_view folder = parent_path(path);
    by_folder_[std::string(folder)].push_back(&path);
    for (;; folder = parent_path(folder)) {
      if (!below_folder_.try_emplace(std::string(folder), &path).second || folder == root_ || folder.size() <= 1) break;
    }
  }
}

static std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// In one folder the file whose name starts alike; else one of the same name elsewhere; else the first below the nearest
// folder that has any.
const std::string* Database::flags_owner(const std::string& path) const {
  if (auto found = entries_.find(path); found != entries_.end()) return &found->first;
  const std::string* best = nullptr;
  std::size_t best_score = 0;
  auto consider = [&](const std::vector<const std::string*>& kin, auto score) {
    for (std::size_t i = 0; i < kin.size() && i < kMaxKin; ++i)
      if (std::size_t value = score(*kin[i]); best == nullptr || value > best_score) best = kin[i], best_score = value;
  };
  auto here = by_folder_.find(parent_path(path));
  auto same_name = by_stem_.find(file_stem(path));
  if (same_name != by_stem_.end() && here == by_folder_.end()) {
    consider(same_name->second, [&](const std::string& other) { return common_depth(path, other); });
  } else if (here != by_folder_.end()) {
    consider(here->second, [&](const std::string& other) {
      std::size_t common = common_prefix(file_stem(path), file_stem(other)) * 2;
      return common + (file_stem(path) == file_stem(other));
    });
  }
  if (best != nullptr) return best;
  for (std::string_view folder = parent_path(path); is_below(folder, root_); folder = parent_path(folder)) {
    if (auto found = below_folder_.find(folder); found != below_folder_.end()) return found->second;
    if (folder.size() <= 1) break;
  }
  return nullptr;
}

RecordedCommand Database::command_of(const std::string& owner) const {
  const Entry& entry = entries_.at(owner);
  RecordedCommand command{entry.directory, {}};
  std::optional<llvm::json::Value> value = parse_object(entry.json);
  const llvm::json::Object* object = value ? value->getAsObject() : nullptr;
  if (object == nullptr) return command;
  if (const llvm::json::Array* arguments = object->getArray("arguments")) {
    for (const llvm::json::Value& argument : *arguments)
      if (auto text = argument.getAsString()) command.arguments.push_back(text->str());
  } else if (auto text = object->getString("command")) {
    command.arguments = split_command(std::string_view(text->data(), text->size()));
  }
  return command;
}

}  // namespace deadgrad::cpp
