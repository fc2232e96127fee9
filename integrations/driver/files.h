// Which files an invocation names, and their bytes. The driver and the fixture runner call it; nothing here knows what
// the files mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ir/ir.h"

namespace deadgrad::driver {

enum class FileKind : std::uint8_t { Python, Cpp, Notebook };

struct InputFile {
  std::string open_path;  // what open(2) gets
  std::string
      display_path;  // as reports name it: relative to the current directory when it lies below it, '/' separators
  std::string module_path;  // relative to the analysis root: imports resolve by it
  FileKind kind = FileKind::Python;
  bool vendored = false;  // third-party code inside the project: read for context, never reported
};

// Something that was left out or could not be read as meant, for people.
struct FileNotice {
  std::string path;
  std::string text;
  std::optional<ir::Span> where;  // absent when it is about the whole file
  auto operator<=>(const FileNotice&) const = default;
};

struct Inputs {
  std::vector<InputFile> files;  // sorted by display path, byte order; no file twice
  std::vector<FileNotice> notices;
};

// Expands `paths`: files as they are, folders recursively. An error for a path that does not exist or is neither.
// Modules are named from the folder `root`; empty: from the outermost folder around `paths` that is no package.
Result<Inputs> find_inputs(const std::vector<std::string>& paths, const std::string& root = "");

// Files that are larger are skipped with a notice.
inline constexpr std::size_t kMaxFileBytes = 4u << 20;

// The bytes of a regular file. Never blocks on a pipe or device.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

}  // namespace deadgrad::driver
