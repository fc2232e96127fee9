// Internal to the frontend: what is used of libraries whose headers are missing. Clang drops whatever it cannot give a
// type, a whole loop if need be; so the names that nothing declares are declared in a header made up for the unit, as
// something that takes and gives anything, and the unit is read again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deadgrad::cpp {

class MissingNames {
 public:
  // An identifier that nothing declares.
  void note(std::string_view name);
  // It is declared somewhere after all: in the standard library.
  void forget(std::string_view name) {
    if (auto found = names_.find(name); found != names_.end()) names_.erase(found);
  }
  const std::set<std::string, std::less<>>& names() const { return names_; }
  bool empty() const { return names_.empty(); }
  // Looks how a file of the project uses the noted names.
  void scan(std::string_view text);
  // A header that declares them.
  std::string declarations() const;

 private:
  enum class Use { Constant, Function, Type, Template };
  struct Scope {
    std::map<std::string, Use, std::less<>> names;
    std::map<std::string, Scope, std::less<>> scopes;
  };
  static void use(Scope& scope, std::string_view name, Use how);
  void print(const Scope& scope, std::string& out, int depth, bool in_class) const;

  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> members_;
  std::set<std::string, std::less<>> member_templates_;
  std::map<std::string, std::vector<std::string>, std::less<>> aliases_;  // of namespaces
  Scope global_;
};

}  // namespace deadgrad::cpp
