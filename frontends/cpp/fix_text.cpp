#include "frontends/cpp/fix_text.h"

#include "analyzer/findings/fix_words.h"

namespace deadgrad::cpp {

static bool is_qualified_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  });
}

std::string with_a_name(std::string_view construction, std::string_view name) {
  const std::size_t open = construction.find_first_of("({");
  if (open == std::string_view::npos || !is_qualified_name(construction.substr(0, open))) return {};
  const std::string_view arguments = construction.substr(open);
  const bool has_none = arguments == "()" || arguments == "{}";
  return std::string(construction.substr(0, open)) + " " + std::string(name) + std::string(has_none ? "" : arguments);
}

std::string fix_text(const FixRequest& fix, std::string_view source) {
  const std::string guard =
      fix.guard == FixGuard::InferenceMode ? "c10::InferenceMode guard" : "torch::NoGradGuard guard";
  const std::string_view words = words_of(source, fix.where.span);
  const std::string lines = lines_of(source, fix.where.span);
  const std::string on_line = lines.empty() ? "" : " on " + lines;
  const std::string in_function = fix.function.empty() ? "" : " in " + quoted(fix.function);

  switch (fix.kind) {
    case FixKind::GuardFunction: {
      const bool is_lambda = fix.where.span.begin < source.size() && source[fix.where.span.begin] == '[';
      const std::string function = is_lambda ? "the lambda" + on_line : quoted(fix.function);
      return "make " + quoted(guard + ";") + " the first statement of " + function;
    }
    case FixKind::GuardRegion:
      return "put " + (lines.empty() ? "these statements" : lines) +
             (fix.function.empty() ? "" : " of " + quoted(fix.function)) + " into a block that starts with " +
             quoted(guard + ";");
    case FixKind::DetachValue:
      return "add " + quoted(".detach()") + " to " + (words.empty() ? "the value" + on_line : quoted(words));
    case FixKind::NameGuard:
    case FixKind::EnterGuard: {
      const std::string named = with_a_name(words, "guard");
      return "give the guard a name, so that it lives to the end of its block: " +
             quoted((named.empty() ? guard : named) + ";");
    }
    case FixKind::DefineGuard: {
      const std::size_t open = words.rfind('(');
      return "remove the parentheses, so that it defines an object: " +
             quoted((open == std::string_view::npos ? guard : std::string(words.substr(0, open))) + ";");
    }
    case FixKind::MoveGuard:
      return "move the guard into " + quoted(fix.function) + ", as its first statement: " + quoted(guard + ";") +
             (fix.or_member ? "; as a data member it would hold for as long as its object lives" : "");
    case FixKind::RemoveGuard:
      break;
  }
  return "remove " + (words.empty() ? "this guard" + in_function : quoted(words));
}

}  // namespace deadgrad::cpp
