// The Python frontend: source text to one ir::Module. The driver calls lower() once per file, from any thread; what
// cannot be read as Python becomes a notice and partial IR, never a failure.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace deadgrad::python {

struct SourceFile {
  std::string path;         // relative to the analysis root
  std::string module_name;  // as module_name_for() gives it
  bool is_package = false;
  std::string_view text;  // the bytes on disk; only read during the call
};

// The same file gives the same module, whatever else runs.
ir::Module lower(const SourceFile& file);

struct ModuleName {
  std::string name;
  bool is_package = false;
};

// "a/b/c.py" is {"a.b.c", false} and "a/b/__init__.py" is {"a.b", true}.
ModuleName module_name_for(std::string_view relative_path);

}  // namespace deadgrad::python
