#include "frontends/cpp/build_hints.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "frontends/cpp/flags.h"

namespace deadgrad::cpp {

bool is_build_file(std::string_view name) {
  static const std::set<std::string_view> names = {"CMakeLists.txt", "meson.build", "BUILD",          "BUILD.bazel",
                                                   ".bazelrc",       "Makefile",    "makefile",       "GNUmakefile",
                                                   "setup.py",       "SConstruct",  "pyproject.toml", "xmake.lua"};
  return names.contains(name) || name.ends_with(".cmake") || name.ends_with(".pro");
}

static std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

static void raise(BuildHints& hints, unsigned standard) {
  if (standard < 98) hints.standard = std::max(hints.standard, standard);
}

// `-std=c++20`, `cpp_std=c++20`, `/std:c++20`, `"c++20"` in xmake.
static void read_standard_flags(std::string_view text, BuildHints& hints) {
  for (std::string_view mark : {"std=", "std:", "languages(\""})
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
      std::string_view value = text.substr(at + mark.size());
      if (value.starts_with('\'') || value.starts_with('"')) value.remove_prefix(1);
      if (!value.starts_with("c++") && !value.starts_with("gnu++")) continue;
      std::size_t end = value.find("++") + 2;
      while (end < value.size() && std::isalnum(static_cast<unsigned char>(value[end]))) ++end;
      raise(hints, standard_number(value.substr(0, end)));
    }
}

namespace {

struct CMakeCall {
  std::string name;  // lower case
  std::vector<std::string> arguments;
};

class CMakeReader {
 public:
  explicit CMakeReader(std::string_view text) : text_(text) {}

  // The next call; a nameless one at the end.
  CMakeCall next();

 private:
  bool done() const { return position_ >= text_.size(); }
  void skip_comment();
  std::string argument();

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

// At a '#'. A bracket comment ends where it says, any other with the line.
void CMakeReader::skip_comment() {
  const bool is_bracket = text_.substr(position_).starts_with("#[[");
  std::size_t end = text_.find(is_bracket ? "]]" : "\n", position_);
  position_ = end == std::string_view::npos ? text_.size() : end + (is_bracket ? 2 : 1);
}

std::string CMakeReader::argument() {
  std::string value;
  if (text_[position_] == '"') {
    for (++position_; !done() && text_[position_] != '"'; ++position_) {
      if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
      value += text_[position_];
    }
    if (!done()) ++position_;
    return value;
  }
  while (!done() && !std::isspace(static_cast<unsigned char>(text_[position_])) && text_[position_] != '(' &&
         text_[position_] != ')' && text_[position_] != '#') {
    if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
    value += text_[position_++];
  }
  return value;
}

CMakeCall CMakeReader::next() {
  while (!done()) {
    const char c = text_[position_];
    if (c == '#') {
      skip_comment();
      continue;
    }
    if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_') {
      ++position_;
      continue;
    }
    std::size_t end = position_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    CMakeCall call{lower(text_.substr(position_, end - position_)), {}};
    position_ = end;
    while (!done() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
    if (done() || text_[position_] != '(') continue;
    ++position_;
    for (int open = 1; open > 0 && !done();) {
      const char at = text_[position_];
      if (at == '#') {
        skip_comment();
      } else if (at == '(' || at == ')') {
        open += at == '(' ? 1 : -1;
        ++position_;
      } else if (std::isspace(static_cast<unsigned char>(at))) {
        ++position_;
      } else {
        call.arguments.push_back(argument());
      }
    }
    return call;
  }
  return {};
}

static void add_define(std::string_view text, BuildHints& hints) {
  if (text.starts_with("-D")) text.remove_prefix(2);
  std::size_t length = 0;
  while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
    ++length;
  if (length == 0 || std::isdigit(static_cast<unsigned char>(text[0])) || (length < text.size() && text[length] != '='))
    return;
  if (text.find_first_of("$@<>;\n") != std::string_view::npos || text.size() > 256) return;
  std::string define = "-D" + std::string(text);
  if (std::ranges::find(hints.defines, define) == hints.defines.end() && hints.defines.size() < 256)
    hints.defines.push_back(std::move(define));
}

static void read_defines(const CMakeCall& call, BuildHints& hints) {
  const auto& arguments = call.arguments;
  if (call.name == "add_definitions" || call.name == "add_compile_options") {
    for (const std::string& argument : arguments)
      if (argument.starts_with("-D")) add_define(argument, hints);
  } else if (call.name == "add_compile_definitions") {
    for (const std::string& argument : arguments) add_define(argument, hints);
  } else if (call.name == "target_compile_definitions") {
    for (std::size_t i = 1; i < arguments.size(); ++i)
      if (arguments[i] != "PRIVATE" && arguments[i] != "PUBLIC" && arguments[i] != "INTERFACE")
        add_define(arguments[i], hints);
  }
}

static void read_standard(const CMakeCall& call, BuildHints& hints) {
  const auto& arguments = call.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    read_standard_flags(arguments[i], hints);
    if (call.name == "target_compile_features" && arguments[i].starts_with("cxx_std_"))
      raise(hints, standard_number("c++" + arguments[i].substr(8)));
    const bool names_standard = arguments[i] == "CXX_STANDARD" || arguments[i] == "CMAKE_CXX_STANDARD";
    if ((call.name == "set" || call.name == "set_target_properties" || call.name == "set_property") && names_standard &&
        i + 1 < arguments.size())
      raise(hints, standard_number("c++" + arguments[i + 1]));
  }
}

// Definitions under a condition are somebody's choice; only the choice to build with torch is known to be ours.
static BuildHints read_cmake(std::string_view text) {
  BuildHints hints;
  CMakeReader reader(text);
  std::vector<bool> applies;
  for (CMakeCall call = reader.next(); !call.name.empty(); call = reader.next()) {
    if (call.name == "if") {
      std::string condition;
      for (const std::string& argument : call.arguments) condition += lower(argument) + " ";
      applies.push_back(condition.find("torch") != std::string::npos && condition.find("not ") == std::string::npos);
    } else if (call.name == "else" || call.name == "elseif") {
      if (!applies.empty()) applies.back() = false;
    } else if (call.name == "endif") {
      if (!applies.empty()) applies.pop_back();
    } else {
      read_standard(call, hints);
      if (std::ranges::all_of(applies, [](bool one) { return one; })) read_defines(call, hints);
    }
  }
  return hints;
}

BuildHints read_build_file(std::string_view name, std::string_view text) {
  if (name == "CMakeLists.txt" || name.ends_with(".cmake")) return read_cmake(text);
  BuildHints hints;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#') read_standard_flags(line, hints);
    begin = end + 1;
  }
  return hints;
}

}  // namespace deadgrad::cpp
