#include "integrations/fix/write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace deadgrad::fix {

namespace fs = std::filesystem;

static Error error_at(const FixedFile& file, int number) {
  return Error{file.path + ": " + std::strerror(number)};
}

static bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<bool> write(const FixedFile& file) {
  std::error_code failed;
  const std::string target = fs::canonical(file.open_path, failed).string();
  if (failed) return Error{file.path + ": " + failed.message()};
  struct stat info;
  if (::stat(target.c_str(), &info) != 0 || ::access(target.c_str(), W_OK) != 0) return error_at(file, errno);

  std::string name = (fs::path(target).parent_path() / ".deadgrad-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return error_at(file, errno);
  const bool owned = info.st_uid == ::geteuid() && info.st_gid == ::getegid();
  bool done = write_all(descriptor, file.after) && (owned || ::fchown(descriptor, info.st_uid, info.st_gid) == 0) &&
              ::fchmod(descriptor, info.st_mode & 07777) == 0 && ::fsync(descriptor) == 0;
  int number = errno;
  ::close(descriptor);
  // Last of all, so that little time is left for somebody else to write it.
  const Result<std::string> now = driver::read_file(target);
  const bool unchanged = now && *now == file.before;
  if (done && unchanged) {
    done = ::rename(name.c_str(), target.c_str()) == 0;
    number = errno;
  }
  if (done && unchanged) return true;
  ::unlink(name.c_str());
  return done ? Error{file.path + ": changed on disk since it was read; left as it is"} : error_at(file, number);
}

}  // namespace deadgrad::fix
