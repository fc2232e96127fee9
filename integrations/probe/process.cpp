#include "integrations/probe/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace deadgrad::probing {

// In the child: becomes the command, or reports errno through `failure`.
[[noreturn]] static void become(const Command& command, int failure) {
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  ::execvp(words[0], words.data());
  const int error = errno;
  ssize_t ignored = ::write(failure, &error, sizeof error);
  static_cast<void>(ignored);
  ::_exit(127);
}

static Error could_not_start(const Command& command, int error) {
  return Error{command.words[0] + ": " + std::strerror(error)};
}

// An empty result means that exec succeeded.
static int error_of_exec(int failure) {
  int error = 0;
  const ssize_t size = ::read(failure, &error, sizeof error);
  ::close(failure);
  return size == sizeof error ? error : 0;
}

static int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe(ends) != 0) return;
    read = ends[0], write = ends[1];
  }
};

Result<int> run_program(const Command& command) {
  Pipe failure;
  std::fflush(nullptr);
  auto interrupt = std::signal(SIGINT, SIG_IGN);  // an interrupt is meant for the program; its report is still wanted
  const pid_t child = ::fork();
  if (child < 0) return could_not_start(command, errno);
  if (child == 0) {
    std::signal(SIGINT, interrupt);
    ::close(failure.read);
    ::fcntl(failure.write, F_SETFD, FD_CLOEXEC);
    if (command.output_to_stderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    become(command, failure.write);
  }
  ::close(failure.write);
  const int error = error_of_exec(failure.read);
  const int status = wait_for(child);
  std::signal(SIGINT, interrupt);
  if (error != 0) return could_not_start(command, error);
  return status;
}

// The input is small enough for a file: writing to a pipe while reading from another could block both sides.
static int temporary_with(const std::string& text) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return -1;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
  const int descriptor = ::dup(::fileno(file));
  std::fclose(file);
  if (descriptor >= 0) ::lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

Result<Output> run_quietly(const Command& command) {
  Pipe failure, output;
  const int input = temporary_with(command.input);
  const pid_t child = ::fork();
  if (child < 0) return could_not_start(command, errno);
  if (child == 0) {
    ::close(failure.read);
    ::fcntl(failure.write, F_SETFD, FD_CLOEXEC);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output.write, STDOUT_FILENO);
    ::close(output.read);
    become(command, failure.write);
  }
  ::close(failure.write);
  ::close(output.write);
  if (input >= 0) ::close(input);
  Output result{0, ""};
  char buffer[4096];
  for (ssize_t size; (size = ::read(output.read, buffer, sizeof buffer)) != 0;) {
    if (size < 0 && errno != EINTR) break;
    if (size > 0) result.text.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(output.read);
  const int error = error_of_exec(failure.read);
  result.status = wait_for(child);
  if (error != 0) return could_not_start(command, error);
  return result;
}

std::string find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return ::access(word.c_str(), X_OK) == 0 ? word : "";
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    std::string candidate = rest.substr(begin, end - begin) + "/" + word;
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate, error)) return candidate;
    begin = end + 1;
  }
  return "";
}

}  // namespace deadgrad::probing
