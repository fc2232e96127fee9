#include "frontends/python/fix_text.h"

#include <algorithm>

#include "analyzer/findings/fix_words.h"

namespace deadgrad::python {

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

// The name that a top-level `import torch`, `import torch.nn` or `import torch as th` gives the package; empty if no
// line of the file does.
static std::string_view torch_name(std::string_view source) {
  constexpr std::string_view kImport = "import torch", kAs = " as ";
  while (!source.empty()) {
    const std::size_t end = std::min(source.find_first_of("\r\n"), source.size());
    const std::string_view line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    if (!line.starts_with(kImport)) continue;
    std::string_view rest = line.substr(kImport.size());
    if (rest.starts_with(kAs)) {
      rest.remove_prefix(kAs.size());
      const auto last = std::ranges::find_if_not(rest, is_name_byte);
      if (last != rest.begin()) return rest.substr(0, static_cast<std::size_t>(last - rest.begin()));
    }
    // `import torch.nn as nn` binds nn alone.
    const bool binds_torch = rest.empty() || rest[0] == ',' || rest[0] == ' ' || rest[0] == ';' || rest[0] == '#' ||
                             (rest[0] == '.' && rest.find(kAs) == std::string_view::npos);
    if (binds_torch) return "torch";
  }
  return {};
}

std::string fix_text(const FixRequest& fix, std::string_view source) {
  const std::string_view bound = torch_name(source);
  const std::string torch(bound.empty() ? std::string_view("torch") : bound);
  const std::string guard = torch + (fix.guard == FixGuard::InferenceMode ? ".inference_mode()" : ".no_grad()");
  const std::string import = source.empty() || !bound.empty() ? "" : " and " + quoted("import torch");
  const std::string with = quoted("with " + guard + ":");
  const std::string_view words = words_of(source, fix.where.span);
  const std::string lines = lines_of(source, fix.where.span);
  const std::string on_line = lines.empty() ? "" : " on " + lines;
  const std::string in_function = fix.function.empty() ? "" : " in " + quoted(fix.function);

  switch (fix.kind) {
    case FixKind::GuardFunction: {
      const std::string_view header =
          fix.where.span.begin < source.size() ? source.substr(fix.where.span.begin) : std::string_view();
      // A decorator on a coroutine function only guards the call that makes the coroutine, and a lambda takes none.
      if (header.starts_with("async ")) {
        return "put the body of " + quoted("async def " + fix.function) + " under " + with + import;
      }
      if (header.starts_with("lambda")) return "evaluate the lambda" + on_line + " under " + with + import;
      return "add " + quoted("@" + guard) + " above " + quoted("def " + fix.function) + import;
    }
    case FixKind::GuardRegion:
      return "wrap " + (lines.empty() ? "these statements" : lines) +
             (fix.function.empty() ? "" : " of " + quoted(fix.function)) + " in " + with + import;
    case FixKind::DetachValue:
      return "add " + quoted(".detach()") + " to " + (words.empty() ? "the value" + on_line : quoted(words));
    case FixKind::NameGuard:
    case FixKind::DefineGuard:
      return "write " + with + " and indent the statements that it should cover" + import;
    case FixKind::EnterGuard:
      return "call and enter the guard: " + with + in_function + import;
    case FixKind::MoveGuard:
      return "move the guard to where the forward runs: " + with + in_function + import;
    case FixKind::RemoveGuard:
      break;
  }
  return "remove " + (words.empty() ? "the guard" + on_line : quoted(words));
}

}  // namespace deadgrad::python
