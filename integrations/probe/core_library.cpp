#include "integrations/probe/core_library.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "integrations/driver/files.h"
#include "integrations/probe/process.h"

namespace deadgrad::probing {

namespace fs = std::filesystem;

#ifdef __APPLE__
static constexpr const char* kCoreName = "libdeadgrad_probe.dylib";
#else
static constexpr const char* kCoreName = "libdeadgrad_probe.so";
#endif

static std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

static std::string hash_of_sources() {
  std::string all;
  for (const EmbeddedText& source : probe_sources()) all.append(source.name).append(source.text);
  return hash_of(all);
}

static fs::path cache_folder() {
  for (auto [variable, below] : {std::pair{"XDG_CACHE_HOME", "deadgrad/probe"}, {"HOME", ".cache/deadgrad/probe"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below;
  }
  return fs::temp_directory_path() / ("deadgrad-probe-" + std::to_string(::getuid()));
}

std::string own_path() {
#ifdef __APPLE__
  char buffer[PATH_MAX];
  std::uint32_t size = sizeof buffer;
  if (::_NSGetExecutablePath(buffer, &size) != 0) return "";
  std::error_code error;
  return fs::canonical(buffer, error).string();
#else
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
#endif
}

Result<std::string> source_folder() {
  const fs::path folder = cache_folder() / ("sources-" + hash_of_sources());
  std::error_code error;
  if (fs::exists(folder, error)) return folder.string();
  const fs::path part = folder.string() + "." + std::to_string(::getpid());
  for (const EmbeddedText& source : probe_sources()) {
    const fs::path file = part / source.name;
    fs::create_directories(file.parent_path(), error);
    std::ofstream out(file, std::ios::binary);
    out << source.text;
    out.close();
    if (!out) return Error{file.string() + ": cannot be written"};
  }
  fs::rename(part, folder, error);
  if (error) fs::remove_all(part, error);  // another process was faster
  return folder.string();
}

// The core that was built with this program; the file beside it names its libtorch_cpu.
static std::string core_beside_us(const TorchInstall& torch) {
  const fs::path lib = fs::path(own_path()).parent_path().parent_path() / "lib";
  auto built_for = driver::read_file((lib / "libdeadgrad_probe.torch").string());
  std::error_code error;
  if (!built_for || *built_for != torch.library || !fs::exists(lib / kCoreName, error)) return "";
  return (lib / kCoreName).string();
}

static fs::path cached_core(const TorchInstall& torch) {
  std::error_code error;
  const auto size = fs::file_size(torch.library, error);
  const auto changed = fs::last_write_time(torch.library, error).time_since_epoch().count();
  const std::string key =
      torch.library + "\n" + std::to_string(size) + "\n" + std::to_string(changed) + "\n" + hash_of_sources();
  return cache_folder() / (torch.version + "-" + hash_of(key)) / kCoreName;
}

std::string find_core(const TorchInstall& torch) {
  std::string beside = core_beside_us(torch);
  if (!beside.empty()) return beside;
  fs::path cached = cached_core(torch);
  std::error_code error;
  return fs::exists(cached, error) ? cached.string() : "";
}

static Command compile_command(const TorchInstall& torch, const fs::path& sources, const fs::path& target) {
  const char* compiler = std::getenv("CXX");
  const std::string lib = fs::path(torch.library).parent_path().string();
  std::vector<std::string> words = {compiler == nullptr || *compiler == '\0' ? "c++" : compiler,
                                    torch.needs_cxx20 ? "-std=c++20" : "-std=c++17",
                                    "-O2",
                                    "-fPIC",
                                    "-shared",
                                    "-w"};
  if (torch.old_abi) words.push_back("-D_GLIBCXX_USE_CXX11_ABI=0");
  words.insert(words.end(),
               {"-I" + sources.string(), "-I" + torch.include, "-I" + torch.include + "/torch/csrc/api/include"});
  for (const EmbeddedText& source : probe_sources())
    if (source.name.ends_with(".cpp")) words.push_back((sources / source.name).string());
  words.insert(words.end(), {"-L" + lib, "-ltorch_cpu", "-lc10", "-Wl,-rpath," + lib});
  if (!torch.cuda_include.empty())
    words.insert(words.end(), {"-DDEADGRAD_PROBE_CUDA", "-I" + torch.cuda_include, "-lc10_cuda"});
  words.insert(words.end(), {"-o", target.string()});
  return {.words = std::move(words)};
}

// Processes that start together compile once.
class Lock {
 public:
  explicit Lock(const fs::path& path) : descriptor_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

Result<std::string> core_for(const TorchInstall& torch) {
  std::string found = find_core(torch);
  if (!found.empty()) return found;
  auto sources = source_folder();
  if (!sources) return sources.error();
  const fs::path target = cached_core(torch);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) return Error{target.parent_path().string() + ": " + error.message()};
  Lock lock(target.parent_path() / "lock");
  if (fs::exists(target, error)) return target.string();
  std::fprintf(stderr, "deadgrad: compiling the probe for LibTorch %s (once)\n", torch.version.c_str());
  const fs::path part = target.string() + ".part";
  Command command = compile_command(torch, *sources, part);
  auto compiled = run_quietly(command);
  if (!compiled) return Error{compiled.error().message + ": a C++ compiler is needed; set CXX to one"};
  if (compiled->status != 0)
    return Error{"the probe does not compile with " + command.words[0] + " against the LibTorch in " + torch.library};
  fs::rename(part, target, error);
  if (error) return Error{target.string() + ": " + error.message()};
  return target.string();
}

}  // namespace deadgrad::probing
