// The lines of a C++ text that the preprocessor acts on, found without preprocessing: what it includes, and under which
// macros. The include graph is built from them, and a unit whose torch code is switched off learns how to switch it on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deadgrad::cpp {

struct Directive {
  std::string name;  // "include", "ifdef", …
  std::string text;  // what follows, on one line, without comments and outer blanks
  std::uint32_t line = 0;
};

// In order of appearance; comments, strings of every kind and continued lines are understood.
std::vector<Directive> scan_directives(std::string_view text);

struct Include {
  std::string path;
  bool angled = false;
};

// Nothing for other directives, and for an include whose name is a macro.
std::optional<Include> include_of(const Directive& directive);

bool is_torch_header(std::string_view included);     // of LibTorch or one of its libraries
bool is_standard_header(std::string_view included);  // of C or C++

// Macros by name with their text.
using Macros = std::map<std::string, std::string, std::less<>>;

// Follows the conditions of one text, directive after directive, over macros that texts read before may have defined.
class Conditions {
 public:
  explicit Conditions(Macros& macros) : macros_(macros) {}  // must outlive this

  // Returns false for what is no condition and no definition.
  bool follow(const Directive& directive);

  bool active() const { return branches_.empty() || branches_.back().active; }

  // What would have to be defined besides for this place to be active; nothing when no definition can do it.
  std::optional<Macros> needed() const;

 private:
  struct Branch {
    bool outer_active = true;
    bool active = true;
    bool taken = false;                // by this branch or one before
    std::vector<std::string> refused;  // the conditions of the branches before
    std::optional<Macros> outer_needs;
    std::optional<Macros> needs;
  };

  void open(const std::string& condition);
  void choose(Branch& branch, const std::string& condition);

  Macros& macros_;
  std::vector<Branch> branches_;
};

// The macros that `-D` and `-U` in `arguments` leave defined.
Macros macros_of(std::span<const std::string> arguments);

// `-D` arguments under which one more torch include of `text` would be seen; none when some torch include is seen
// anyway, and none when no definition would help.
std::vector<std::string> inactive_torch_macros(std::string_view text, std::span<const std::string> arguments = {});

// The same `-D` arguments for macros that Conditions::needed() names.
std::vector<std::string> definitions_of(const Macros& macros);

}  // namespace deadgrad::cpp
