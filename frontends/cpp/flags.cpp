#include "frontends/cpp/flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "frontends/cpp/paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

namespace deadgrad::cpp {

static constexpr std::size_t kMaxArguments = 20'000;
static constexpr std::size_t kMaxArgumentBytes = 1u << 16;
static constexpr int kMaxResponseFiles = 64;
static constexpr int kMaxResponseDepth = 8;

// Flags whose value is a path, as one argument or two.
static constexpr std::array<std::string_view, 8> kPathFlags = {"-isystem", "-iquote",   "-idirafter",  "-include",
                                                               "-imacros", "-isysroot", "-iframework", "-I"};

static constexpr std::array<std::string_view, 22> kKept = {"-fexceptions",
                                                           "-fno-exceptions",
                                                           "-fcxx-exceptions",
                                                           "-frtti",
                                                           "-fno-rtti",
                                                           "-fopenmp",
                                                           "-fchar8_t",
                                                           "-fno-char8_t",
                                                           "-fsigned-char",
                                                           "-funsigned-char",
                                                           "-fshort-enums",
                                                           "-fshort-wchar",
                                                           "-fms-extensions",
                                                           "-fblocks",
                                                           "-ffreestanding",
                                                           "-fno-operator-names",
                                                           "-fsized-deallocation",
                                                           "-pthread",
                                                           "-nostdinc",
                                                           "-nostdinc++",
                                                           "-m32",
                                                           "-m64"};
static constexpr std::array<std::string_view, 5> kKeptPrefixes = {
    "-ftemplate-depth=", "-fconstexpr-depth=", "-fconstexpr-steps=", "-stdlib=", "--gcc-toolchain="};

// Dropped, and the user is told: they load code or configuration, or write files.
static constexpr std::array<std::string_view, 23> kDangerous = {"-fplugin",     "-fpass-plugin",
                                                                "-load",        "-plugin",
                                                                "-specs",       "--specs",
                                                                "-B",           "-wrapper",
                                                                "-mllvm",       "-Xclang",
                                                                "-Xanalyzer",   "-ivfsoverlay",
                                                                "-vfsoverlay",  "-fmodule",
                                                                "-include-pch", "-resource-dir",
                                                                "--config",     "-working-directory",
                                                                "-cc1",         "-fcrash-diagnostics-dir",
                                                                "-ftime-trace", "-serialize-diagnostics",
                                                                "--ptxas-path"};

// Dropped together with the argument after them.
static constexpr std::array<std::string_view, 49> kWithValue = {"-o",
                                                                "-MF",
                                                                "-MT",
                                                                "-MQ",
                                                                "-MJ",
                                                                "-target",
                                                                "--target",
                                                                "-Xlinker",
                                                                "-Xassembler",
                                                                "-Xptxas",
                                                                "-Xcudafe",
                                                                "-Xfatbin",
                                                                "-Xnvlink",
                                                                "-Xarch_host",
                                                                "-Xarch_device",
                                                                "-z",
                                                                "-u",
                                                                "-T",
                                                                "-L",
                                                                "-l",
                                                                "-framework",
                                                                "-ccbin",
                                                                "--compiler-bindir",
                                                                "-gencode",
                                                                "--generate-code",
                                                                "-mllvm",
                                                                "-load",
                                                                "-plugin",
                                                                "-B",
                                                                "-aux-info",
                                                                "-dumpbase",
                                                                "-dumpdir",
                                                                "-wrapper",
                                                                "-resource-dir",
                                                                "-include-pch",
                                                                "-ivfsoverlay",
                                                                "-vfsoverlay",
                                                                "-arch",
                                                                "-maxrregcount",
                                                                "-t",
                                                                "--threads",
                                                                "-working-directory",
                                                                "-Xanalyzer",
                                                                "--param",
                                                                "-G",
                                                                "-A",
                                                                "--config",
                                                                "-odir",
                                                                "-serialize-diagnostics"};

// Other names of flags, and what they are called here.
static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kLongNames = {{
    {"--include-path", "-I"},
    {"--include-directory", "-I"},
    {"--system-include", "-isystem"},
    {"--pre-include", "-include"},
    {"--include", "-include"},
    {"--define-macro", "-D"},
    {"--undefine-macro", "-U"},
    {"--std", "-std"},
    {"--compiler-options", "-Xcompiler"},
    {"--options-file", "-optf"},
    {"-cxx-isystem", "-isystem"},
}};

template <class Names>
static bool is_one_of(std::string_view text, const Names& names) {
  return std::ranges::find(names, text) != names.end();
}

template <class Names>
static bool has_prefix_of(std::string_view text, const Names& names) {
  return std::ranges::any_of(names, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

static std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

static std::vector<std::string> tokens(std::string_view text, bool for_windows) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 64> words;
  llvm::StringRef source(text.data(), text.size());
  if (for_windows) {
    llvm::cl::TokenizeWindowsCommandLine(source, saver, words);
  } else {
    llvm::cl::TokenizeGNUCommandLine(source, saver, words);
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> split_command(std::string_view command) {
  std::string start = lower(command.substr(0, 1024));
  std::string_view compiler = std::string_view(start).substr(0, start.find(" /"));
  bool for_windows = compiler.find("cl.exe") != std::string_view::npos || compiler.starts_with("cl ") ||
                     compiler.starts_with("clang-cl ") || compiler.find(":\\") != std::string_view::npos;
  return tokens(command, for_windows);
}

unsigned standard_number(std::string_view standard) {
  std::size_t plus = standard.find("++");
  if (plus == std::string_view::npos) return 0;
  std::string_view number = standard.substr(plus + 2);
  static constexpr std::array<std::pair<std::string_view, unsigned>, 8> drafts = {
      {{"0x", 11}, {"1y", 14}, {"1z", 17}, {"2a", 20}, {"2b", 23}, {"2c", 26}, {"latest", 23}, {"03", 98}}};
  for (const auto& [name, value] : drafts)
    if (number == name) return value;
  unsigned value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size() && value < 100 ? value : 0;
}

// What launches a compiler is not the compiler.
static std::size_t compiler_position(const std::vector<std::string>& arguments) {
  static constexpr std::array<std::string_view, 12> launchers = {"ccache", "sccache", "distcc",  "icecc",
                                                                 "env",    "nice",    "time",    "buildcache",
                                                                 "gomacc", "ionice",  "taskset", "fastbuild"};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    std::size_t equals = argument.find('=');
    bool assigns = equals != std::string_view::npos && equals > 0 &&
                   argument.substr(0, equals).find('/') == std::string_view::npos;
    std::string name = lower(file_name(argument));
    if (name.ends_with(".exe")) name.resize(name.size() - 4);
    bool skipped = argument.starts_with('-') || assigns || is_one_of(name, launchers) ||
                   (!name.empty() && name.find_first_not_of("0123456789x") == std::string::npos);
    if (!skipped) return i;
  }
  return arguments.size();
}

// g++ before 11 and clang++ before 16 took C++14.
static std::string default_standard(std::string_view compiler) {
  std::string name = lower(file_name(compiler));
  std::size_t dash = name.rfind('-');
  unsigned version = 0;
  if (dash != std::string::npos) std::from_chars(name.data() + dash + 1, name.data() + name.size(), version);
  if (version == 0 || version > 99) return "gnu++17";
  bool is_clang = name.find("clang") != std::string::npos;
  return version >= (is_clang ? 16u : 11u) ? "gnu++17" : "gnu++14";
}

namespace {

class Sanitiser {
 public:
  Sanitiser(const RecordedCommand& command, const std::string& root, llvm::vfs::FileSystem& files)
      : command_(command), root_(root), files_(files) {}

  Flags run();

 private:
  void expand(const std::vector<std::string>& arguments, int depth);
  void expand_response_file(std::string_view name, int depth);
  void read(const std::vector<std::string>& arguments);
  bool read_long_name(std::string_view argument, std::size_t& position, const std::vector<std::string>& all);
  bool read_valued(std::string_view argument, std::size_t& position, const std::vector<std::string>& all);
  bool read_wrapped(std::string_view argument, std::size_t& position, const std::vector<std::string>& all);
  bool read_msvc(std::string_view argument, std::size_t& position, const std::vector<std::string>& all);
  void add_path(std::string_view flag, std::string_view value);
  void add_macro(std::string_view flag, std::string_view value);
  void note(std::string text) {
    if (flags_.notes.size() < 32 && !is_one_of(text, flags_.notes)) flags_.notes.push_back(std::move(text));
  }

  const RecordedCommand& command_;
  const std::string& root_;
  llvm::vfs::FileSystem& files_;
  Flags flags_;
  std::vector<std::string> expanded_;
  int response_files_ = 0;
  int wrapped_ = 0;
  bool is_msvc_ = false;
};

}  // namespace

static std::string shown(std::string_view text) {
  return "`" + std::string(text.substr(0, 120)) + (text.size() > 120 ? "…`" : "`");
}

void Sanitiser::expand(const std::vector<std::string>& arguments, int depth) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (expanded_.size() >= kMaxArguments)
      return note("the command has more than " + std::to_string(kMaxArguments) + " arguments: the rest was dropped");
    if (argument.size() > kMaxArgumentBytes) {
      note("dropped an argument of " + std::to_string(argument.size()) + " bytes");
    } else if (argument.size() > 1 && argument[0] == '@') {
      expand_response_file(std::string_view(argument).substr(1), depth);
    } else if ((argument == "-optf" || argument == "--options-file") && i + 1 < arguments.size()) {
      expand_response_file(arguments[++i], depth);
    } else if (argument.starts_with("--options-file=")) {
      expand_response_file(std::string_view(argument).substr(15), depth);
    } else {
      expanded_.push_back(argument);
    }
  }
}

void Sanitiser::expand_response_file(std::string_view name, int depth) {
  std::string path = absolute_path(name, command_.directory);
  llvm::SmallString<256> real_path, real_root;
  bool leaves = !files_.getRealPath(path, real_path) && !files_.getRealPath(root_, real_root) &&
                !is_below(real_path.str(), real_root.str());
  if (!is_below(path, root_) || leaves)
    return note("the response file " + shown(name) + " lies outside the project: not read");
  if (depth >= kMaxResponseDepth || ++response_files_ > kMaxResponseFiles)
    return note("the response file " + shown(name) + " is one of too many: not read");
  std::optional<std::string> text = read_text(files_, path);
  if (!text) return note("the response file " + shown(name) + " cannot be read");
  expand(tokens(*text, is_msvc_), depth + 1);
}

void Sanitiser::add_path(std::string_view flag, std::string_view value) {
  if (value.empty() || value == "-") return;
  std::string path(value);
  if (is_msvc_) std::ranges::replace(path, '\\', '/');
  std::string absolute = absolute_path(path, command_.directory);
  // Such a name may also be one that the include folders know.
  const bool is_file = flag == "-include" || flag == "-imacros";
  if (!is_file || is_absolute_path(path) || is_regular_file(files_, absolute)) path = std::move(absolute);
  if (flag == "-I") {
    flags_.arguments.push_back("-I" + path);
  } else {
    flags_.arguments.insert(flags_.arguments.end(), {std::string(flag), std::move(path)});
  }
}

void Sanitiser::add_macro(std::string_view flag, std::string_view value) {
  std::size_t length = 0;
  while (length < value.size() && (std::isalnum(static_cast<unsigned char>(value[length])) || value[length] == '_'))
    ++length;
  if (length > 0 && !std::isdigit(static_cast<unsigned char>(value[0])) &&
      (length == value.size() || value[length] == '=' || value[length] == '('))
    flags_.arguments.push_back(std::string(flag).append(value));
}

// `--define-macro=X`, `--define-macro X`.
bool Sanitiser::read_long_name(std::string_view argument, std::size_t& position, const std::vector<std::string>& all) {
  for (const auto& [name, flag] : kLongNames) {
    if (!argument.starts_with(name)) continue;
    std::string_view rest = argument.substr(name.size());
    if (rest.empty() && position + 1 < all.size()) {
      read({std::string(flag), all[++position]});
    } else if (rest.starts_with('=')) {
      read({std::string(flag), std::string(rest.substr(1))});
    } else {
      continue;
    }
    return true;
  }
  return false;
}

bool Sanitiser::read_valued(std::string_view argument, std::size_t& position, const std::vector<std::string>& all) {
  auto value_after = [&](std::string_view flag) -> std::string_view {
    std::string_view joined = argument.substr(flag.size());
    if (joined.starts_with('=') && flag != "-D") joined.remove_prefix(1);
    if (!joined.empty()) return joined;
    return position + 1 < all.size() ? std::string_view(all[++position]) : std::string_view();
  };
  for (std::string_view flag : {"-D", "-U"})
    if (argument.starts_with(flag)) return add_macro(flag, value_after(flag)), true;
  if (argument == "-I-") return true;
  if (!argument.starts_with("-include-pch"))
    for (std::string_view flag : kPathFlags)
      if (argument.starts_with(flag)) return add_path(flag, value_after(flag)), true;
  if (argument.starts_with("--sysroot")) return add_path("-isysroot", value_after("--sysroot")), true;
  if (argument == "-std" || argument.starts_with("-std=")) {
    std::string_view standard = value_after("-std");
    if (standard_number(standard) != 0) flags_.standard = standard;
    return true;
  }
  if (argument == "-x" || argument.starts_with("-xc")) {
    std::string_view language = value_after("-x");
    flags_.is_cuda = language == "cu" || language == "cuda";
    return true;
  }
  return false;
}

// Flags that carry flags for another tool: those of the host compiler and of the preprocessor are ours.
bool Sanitiser::read_wrapped(std::string_view argument, std::size_t& position, const std::vector<std::string>& all) {
  if (argument == "-Xclang" && position + 1 < all.size()) {
    const std::string& inner = all[++position];
    // CMake passes its precompiled header's source this way.
    if (inner == "-include" && position + 2 < all.size() && all[position + 1] == "-Xclang") {
      position += 2;
      add_path("-include", all[position]);
    } else if (inner != "-include-pch") {
      note("dropped " + shown("-Xclang " + inner));
    } else if (position + 2 < all.size() && all[position + 1] == "-Xclang") {
      position += 2;
    }
    return true;
  }
  for (std::string_view flag : {"-Xcompiler", "-Xpreprocessor", "-Wp,"}) {
    if (!argument.starts_with(flag)) continue;
    std::string_view list = argument.substr(flag.size());
    if (list.starts_with('=')) list.remove_prefix(1);
    if (list.empty() && position + 1 < all.size()) list = all[++position];
    std::vector<std::string> inner;
    for (std::size_t begin = 0; begin < list.size();) {
      std::size_t end = std::min(list.find_first_of(", ", begin), list.size());
      if (end > begin) inner.emplace_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
    if (++wrapped_ < 100) read(inner);
    return true;
  }
  return false;
}

bool Sanitiser::read_msvc(std::string_view argument, std::size_t& position, const std::vector<std::string>& all) {
  if (!is_msvc_ || argument.size() < 2 || (argument[0] != '/' && argument[0] != '-')) return false;
  std::string_view rest = argument.substr(1);
  auto value_after = [&](std::string_view flag) -> std::string_view {
    std::string_view joined = rest.substr(flag.size());
    if (!joined.empty()) return joined;
    return position + 1 < all.size() ? std::string_view(all[++position]) : std::string_view();
  };
  if (rest.starts_with("std:")) {
    std::string_view standard = rest.substr(4);
    if (standard_number(standard) != 0)
      flags_.standard = standard == "c++latest" ? "gnu++23" : "gnu++" + std::to_string(standard_number(standard));
  } else if (rest.starts_with("external:I")) {
    add_path("-isystem", value_after("external:I"));
  } else if (rest.starts_with("imsvc")) {
    add_path("-isystem", value_after("imsvc"));
  } else if (rest.starts_with("FI")) {
    add_path("-include", value_after("FI"));
  } else if (rest.starts_with("clang:")) {
    note("dropped " + shown(argument));
  } else if (argument[0] == '/' && rest[0] == 'I') {
    add_path("-I", value_after("I"));
  } else if (argument[0] == '/' && (rest[0] == 'D' || rest[0] == 'U')) {
    add_macro(rest[0] == 'D' ? "-D" : "-U", value_after(rest.substr(0, 1)));
  } else {
    return argument[0] == '/';
  }
  return true;
}

void Sanitiser::read(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") return;  // only inputs follow
    if (read_msvc(argument, i, arguments) || argument.size() < 2 || argument[0] != '-') continue;
    if (read_wrapped(argument, i, arguments) || read_long_name(argument, i, arguments) ||
        read_valued(argument, i, arguments))
      continue;
    if (is_one_of(argument, kKept) || has_prefix_of(argument, kKeptPrefixes)) {
      flags_.arguments.emplace_back(argument);
      continue;
    }
    const bool has_value = is_one_of(argument, kWithValue) && i + 1 < arguments.size();
    if (has_prefix_of(argument, kDangerous) && argument != "-fmodules")
      note("dropped " + shown(has_value ? std::string(argument) + " " + arguments[i + 1] : std::string(argument)));
    i += has_value;
  }
}

Flags Sanitiser::run() {
  expand(command_.arguments, 0);
  std::size_t compiler = compiler_position(expanded_);
  if (compiler < expanded_.size()) {
    std::string path = expanded_[compiler];
    std::ranges::replace(path, '\\', '/');
    std::string name = lower(file_name(path));
    if (name.ends_with(".exe")) name.resize(name.size() - 4);
    is_msvc_ = name == "cl" || name.starts_with("clang-cl") || is_one_of("--driver-mode=cl", expanded_);
    flags_.standard = default_standard(path);
    flags_.is_cuda = name == "nvcc";
  }
  expanded_.erase(expanded_.begin(),
                  expanded_.begin() + static_cast<std::ptrdiff_t>(std::min(compiler + 1, expanded_.size())));
  read(std::move(expanded_));
  if (flags_.standard.empty()) flags_.standard = "gnu++17";
  return std::move(flags_);
}

Flags sanitise(const RecordedCommand& command, const std::string& root, llvm::vfs::FileSystem& files) {
  return Sanitiser(command, root, files).run();
}

std::vector<std::string> include_folders(const std::vector<std::string>& arguments) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("-I")) {
      folders.push_back(argument.substr(2));
    } else if ((argument == "-isystem" || argument == "-iquote" || argument == "-idirafter") &&
               i + 1 < arguments.size()) {
      folders.push_back(arguments[++i]);
    }
  }
  return folders;
}

}  // namespace deadgrad::cpp
