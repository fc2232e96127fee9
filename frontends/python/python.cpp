#include "frontends/python/python.h"

#include "frontends/python/lowering.h"

namespace deadgrad::python {

// Offsets are 32 bits wide; no source anybody wrote comes near.
static constexpr std::size_t kMostBytes = 256u << 20;

// Python ends lines at LF, CR LF and a CR alone.
static std::vector<std::uint32_t> line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r') starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return starts;
}

ir::Module lower(const SourceFile& file) {
  ir::Module module;
  module.path = file.path;
  module.name = file.module_name;
  module.is_package = file.is_package;
  module.language = ir::Language::Python;
  SourceFile read = file;
  if (read.text.size() > kMostBytes) {
    module.notices.push_back({{0, 0}, "the file is too large and is not analysed"});
    read.text = {};
  }
  module.line_starts = line_starts(read.text);
  const Tree tree = parse(read.text, module);
  Lowering(read, tree, module).run();
  return module;
}

ModuleName module_name_for(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (const std::size_t dot = path.rfind('.'); dot != std::string_view::npos && path.find('/', dot) == path.npos) {
    path = path.substr(0, dot);
  }
  ModuleName module;
  constexpr std::string_view kInit = "__init__";
  if (path == kInit || path.ends_with("/__init__")) {
    module.is_package = true;
    path.remove_suffix(kInit.size());
    if (path.ends_with('/')) path.remove_suffix(1);
  }
  module.name = path;
  for (char& c : module.name) {
    if (c == '/') c = '.';
  }
  return module;
}

}  // namespace deadgrad::python
