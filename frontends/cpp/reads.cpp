#include "frontends/cpp/reads.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontends/cpp/recording_files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace deadgrad::cpp {

using llvm::IntrusiveRefCntPtr;
namespace vfs = llvm::vfs;

static constexpr std::uint64_t kNothing = 0, kFolder = 1, kDevice = 2, kUnreadable = 3;

std::uint64_t hash_of(std::string_view bytes) {
  return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
}

static std::uint64_t kind_of(vfs::FileSystem& files, const std::string& path,
                             const llvm::ErrorOr<vfs::Status>& status) {
  if (!status || !status->exists()) return kNothing;
  if (status->isDirectory()) return kFolder;
  if (!status->isRegularFile()) return kDevice;
  llvm::SmallString<256> real;
  return files.getRealPath(path, real) ? kUnreadable : hash_of({real.data(), real.size()});
}

static std::uint64_t names_in(vfs::FileSystem& files, const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = files.dir_begin(path, error); !error && entry != vfs::directory_iterator(); entry.increment(error))
    names.push_back(llvm::sys::path::filename(entry->path()).str());
  if (error) return kUnreadable;
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) all += name + '\0';
  return hash_of(all);
}

static std::uint64_t answer_of(vfs::FileSystem& files, const std::string& path, Question question) {
  const llvm::ErrorOr<vfs::Status> status = files.status(path);
  if (question == Question::Kind) return kind_of(files, path, status);
  if (question == Question::Names) return names_in(files, path);
  // A pipe would never end.
  if (!status || !status->isRegularFile()) return kUnreadable;
  const auto buffer = files.getBufferForFile(path, -1, /*RequiresNullTerminator=*/false);
  return buffer ? llvm::xxh3_64bits((*buffer)->getBuffer()) : kUnreadable;
}

std::uint64_t Disk::ask(const std::string& path, Question question) {
  auto& answers = answers_[static_cast<std::size_t>(question)];
  {
    const std::lock_guard lock(mutex_);
    if (auto known = answers.find(path); known != answers.end()) return known->second;
  }
  const std::uint64_t answer = answer_of(*vfs::getRealFileSystem(), path, question);
  const std::lock_guard lock(mutex_);
  return answers.emplace(path, answer).first->second;
}

bool Disk::still_answers(const Reads& reads) {
  return std::ranges::all_of(reads, [&](const Read& read) { return ask(read.path, read.question) == read.answer; });
}

void settle(Reads& reads) {
  std::ranges::sort(reads);
  const auto rest = std::ranges::unique(reads);
  reads.erase(rest.begin(), rest.end());
}

// ---- noting what is asked

namespace {

class RecordedFile final : public vfs::File {
 public:
  RecordedFile(std::unique_ptr<vfs::File> file, std::string path, Reads& reads)
      : file_(std::move(file)), path_(std::move(path)), reads_(reads) {}
  llvm::ErrorOr<vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t size,
                                                               bool with_zero, bool is_volatile) override {
    auto buffer = file_->getBuffer(name, size, with_zero, is_volatile);
    reads_.push_back({path_, Question::Bytes, buffer ? llvm::xxh3_64bits((*buffer)->getBuffer()) : kUnreadable});
    return buffer;
  }
  std::error_code close() override { return file_->close(); }

 private:
  std::unique_ptr<vfs::File> file_;
  std::string path_;
  Reads& reads_;
};

class RecordingFileSystem final : public vfs::ProxyFileSystem {
 public:
  RecordingFileSystem(IntrusiveRefCntPtr<vfs::FileSystem> base, std::string ignored, Reads& reads)
      : ProxyFileSystem(std::move(base)), ignored_(std::move(ignored)), reads_(reads) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    auto status = ProxyFileSystem::status(path);
    note_kind(absolute(path), status);
    return status;
  }

#if LLVM_VERSION_MAJOR >= 19  // before that, exists() asks status()
  bool exists(const llvm::Twine& path) override {
    const auto found = status(path);
    return found && found->exists();
  }
#endif

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    std::string full = absolute(path);
    const auto status = file ? (*file)->status() : ProxyFileSystem::status(path);
    note_kind(full, status);
    if (!file && status) reads_.push_back({full, Question::Bytes, kUnreadable});
    if (!file || full == ignored_) return file;
    return std::make_unique<RecordedFile>(std::move(*file), std::move(full), reads_);
  }

  vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override {
    std::string full = absolute(path);
    const std::uint64_t names = names_in(getUnderlyingFS(), full);
    reads_.push_back({std::move(full), Question::Names, names});
    return ProxyFileSystem::dir_begin(path, error);
  }

 private:
  std::string absolute(const llvm::Twine& path) {
    llvm::SmallString<256> full;
    path.toVector(full);
    makeAbsolute(full);
    return {full.begin(), full.end()};
  }
  void note_kind(const std::string& path, const llvm::ErrorOr<vfs::Status>& status) {
    if (path != ignored_) reads_.push_back({path, Question::Kind, kind_of(getUnderlyingFS(), path, status)});
  }

  std::string ignored_;
  Reads& reads_;
};

}  // namespace

IntrusiveRefCntPtr<vfs::FileSystem> make_recording_file_system(IntrusiveRefCntPtr<vfs::FileSystem> base,
                                                               std::string ignored, Reads& reads) {
  return llvm::makeIntrusiveRefCnt<RecordingFileSystem>(std::move(base), std::move(ignored), reads);
}

}  // namespace deadgrad::cpp
