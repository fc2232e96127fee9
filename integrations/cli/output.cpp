#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "integrations/cli/commands.h"

namespace deadgrad::cli {

int fail(std::string_view message) {
  std::fprintf(stderr, "deadgrad: error: %.*s\n", static_cast<int>(message.size()), message.data());
  return kFailed;
}

bool write_stdout(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return true;  // the reader has seen enough
    if (written < 0) {
      fail(std::string("stdout: ") + std::strerror(errno));
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_output(const std::string& path, std::string_view text) {
  if (path.empty()) return write_stdout(text);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) fail(path + ": " + std::strerror(errno));
  return !file.fail();
}

}  // namespace deadgrad::cli
