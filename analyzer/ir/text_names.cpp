#include "analyzer/ir/text_names.h"

namespace deadgrad::ir {

// Offset just behind the last separator; 0 if there is none.
static std::size_t last_component_offset(std::string_view qualified) {
  int depth = 0;
  for (std::size_t i = qualified.size(); i > 0; --i) {
    const char c = qualified[i - 1];
    if (c == '>') ++depth;
    if (c == '<') --depth;
    if (depth == 0 && (c == '.' || c == ':')) return i;
  }
  return 0;
}

std::string_view last_component(std::string_view qualified) {
  return qualified.substr(last_component_offset(qualified));
}

static std::string_view without_last_component(std::string_view qualified) {
  std::string_view rest = qualified.substr(0, last_component_offset(qualified));
  while (!rest.empty() && (rest.back() == '.' || rest.back() == ':')) rest.remove_suffix(1);
  return rest;
}

void FunctionNames::add(FunctionKind kind, std::string_view qualified) {
  const auto index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(Entry{kind, std::string(qualified)});
  if (kind == FunctionKind::ModuleBody) {
    if (module_body_ == kNone) module_body_ = index;
  } else {
    by_name_[std::string(qualified)].push_back(index);
  }
}

std::uint32_t FunctionNames::find(std::string_view qualified) const {
  auto found = by_name_.find(std::string(qualified));
  if (found == by_name_.end()) return kNone;
  return found->second.size() == 1 ? found->second.front() : kAmbiguous;
}

std::uint32_t FunctionNames::find_enclosing(std::string_view qualified, bool is_class) const {
  auto found = by_name_.find(std::string(qualified));
  if (found == by_name_.end()) return kNone;
  std::uint32_t result = kNone;
  for (std::uint32_t index : found->second) {
    if ((entries_[index].kind == FunctionKind::ClassBody) != is_class) continue;
    if (result != kNone) return kNone;
    result = index;
  }
  return result;
}

std::uint32_t FunctionNames::default_parent(std::uint32_t function) const {
  constexpr std::string_view kLocals = ".<locals>";
  std::string_view around = without_last_component(entries_[function].qualified);
  std::uint32_t parent = kNone;
  if (around.ends_with(kLocals)) {
    parent = find_enclosing(around.substr(0, around.size() - kLocals.size()), false);
  } else if (!around.empty()) {
    parent = find_enclosing(around, true);
  }
  return parent == kNone ? module_body_ : parent;
}

}  // namespace deadgrad::ir
