// All modules of one analysis, linked: program-wide names, functions and classes with flat ids, module lookup for
// imports, and which modules matter. Built once, then only read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/base/ids.h"
#include "analyzer/base/strings.h"
#include "analyzer/ir/ir.h"
#include "analyzer/model/api_model.h"

namespace deadgrad {

using ModuleId = Id<struct ModuleTag>;
using FuncId = Id<struct FuncTag>;  // a function of the whole program
using TypeId = Id<struct TypeTag>;  // a class of the whole program
using NameId = StrId;               // in Program::names

struct FunctionInfo {
  ModuleId module;
  ir::FunctionId local;
  FuncId parent;
  TypeId owner;  // the class whose body defines it directly
  NameId name;
  bool is_nested_in_function = false;  // closure or lambda: its parent is neither a module nor a class body
  bool is_left_out = false;            // told before by another module of the same path, or a pattern with instances
};

struct ClassInfo {
  ModuleId module;
  ir::ClassId local;
  FuncId body, scope;
  NameId name;
};

// What phase A looks at: the modules that torch can be reached from, or every module, with objects of libraries that
// the API model does not know kept apart by name.
enum class Reach : std::uint8_t { Torch, Everything };

class Program {
 public:
  // Takes the modules (sorted by path first, so that ids and ties do not depend on the caller's order).
  Program(std::vector<ir::Module> modules, const model::ApiModel& api, Reach reach = Reach::Torch);

  const model::ApiModel& api() const { return *api_; }
  Reach reach() const { return reach_; }
  const std::vector<ir::Module>& modules() const { return modules_; }
  const ir::Module& module(ModuleId id) const { return modules_[id.index]; }
  const ir::Module& module_of(FuncId id) const { return modules_[functions[id].module.index]; }
  const ir::Function& function(FuncId id) const {
    const FunctionInfo& info = functions[id];
    return modules_[info.module.index].functions[info.local.index];
  }
  const ir::Class& class_of(TypeId id) const {
    const ClassInfo& info = classes[id];
    return modules_[info.module.index].classes[info.local.index];
  }
  FuncId func(ModuleId module, ir::FunctionId local) const {
    return canonical_[FuncId{function_base_[module.index] + local.index}];
  }
  FuncId body_of(ModuleId module) const { return FuncId{function_base_[module.index]}; }
  TypeId type(ModuleId module, ir::ClassId local) const {
    return canonical_types_[TypeId{class_base_[module.index] + local.index}];
  }
  // A number that no two events of the program share.
  std::uint32_t event_number(ModuleId module, ir::EventId event) const {
    return event_base_[module.index] + event.index;
  }
  std::uint32_t event_number(FuncId f, std::uint32_t local_event) const {
    return event_base_[functions[f].module.index] + function(f).first_event.index + local_event;
  }
  // The function that holds an event number, and the event's index within it.
  std::pair<FuncId, std::uint32_t> locate(std::uint32_t event_number) const;
  // The program-wide name of a module's string.
  NameId name(ModuleId module, ir::EventId event) const {
    return name(module, modules_[module.index].event(event).name);
  }
  NameId name(ModuleId module, StrId local) const {
    return local.valid() ? name_maps_[module.index][local.index] : NameId{};
  }
  std::string_view text(NameId id) const { return names[id]; }

  // The project module that `dotted` means when imported by `importer`; `exact`: relative import, no search path.
  // Invalid if it is none of the project's.
  ModuleId find_module(std::string_view dotted, ModuleId importer, bool exact) const;
  // A folder below which there are modules, by its dotted name from the root, whether or not it is a package.
  bool is_folder(const std::string& dotted) const { return folders_.contains(dotted); }
  // What a Symbol event means if the project defines it (languages whose frontend resolves names). A repository may
  // hold several programs with a `main` or a `Net` each: the importer's own wins, then the nearest by folder, then by
  // path.
  FuncId function_of_symbol(NameId symbol, ModuleId from) const;
  TypeId class_of_symbol(NameId symbol, ModuleId from) const;
  // The functions that are members of a class, wherever they are written.
  const std::vector<FuncId>& methods_of(TypeId type) const { return methods_[type.index]; }
  // The module whose global variable `name` is meant where `from` defines none, in languages whose files share names.
  ModuleId module_of_global(NameId name, ModuleId from) const;
  // Could torch code be reached from here by imports, or is everything wanted? Other modules are linked and never
  // evaluated.
  bool is_relevant(ModuleId module) const { return reach_ == Reach::Everything || relevant_[module.index]; }
  // A module's place in an order in which imported modules come first, cycles aside.
  std::uint32_t import_rank(ModuleId module) const { return import_rank_[module.index]; }
  bool defines_global(ModuleId module, NameId name) const { return globals_[module.index].contains(name); }
  // Does `from module import *` give the name? Where `__all__` is more than literals, it gives everything.
  bool exports(ModuleId module, NameId name) const;
  bool imports_root(ModuleId module, std::string_view root) const;

  StringTable names;
  Store<FuncId, FunctionInfo> functions;
  Store<TypeId, ClassInfo> classes;

 private:
  void link();
  void mark_relevant();
  void read_exports(ModuleId id);

  const model::ApiModel* api_;
  Reach reach_;
  std::vector<ir::Module> modules_;
  std::vector<std::vector<NameId>> name_maps_;
  std::vector<std::uint32_t> function_base_, class_base_, event_base_;
  std::vector<std::unordered_map<NameId, bool>> globals_;
  std::vector<std::optional<std::unordered_set<NameId>>> exports_;  // what `__all__` lists
  std::vector<std::vector<std::string_view>> import_roots_;
  std::vector<char> relevant_;
  std::vector<std::uint32_t> import_rank_;
  // Last component of a module's dotted name -> modules with it.
  std::unordered_map<std::string_view, std::vector<ModuleId>> by_last_;
  std::unordered_map<std::string_view, ModuleId> by_name_;
  std::unordered_set<std::string> folders_;
  void leave_out_repeated();
  template <class T, class ModuleOf>
  T nearest(const std::vector<T>& candidates, ModuleId from, ModuleOf module_of) const;

  std::vector<std::vector<FuncId>> methods_;  // by class
  Store<FuncId, FuncId> canonical_;
  Store<TypeId, TypeId> canonical_types_;
  std::unordered_map<NameId, std::vector<FuncId>> functions_by_symbol_;
  std::unordered_map<NameId, std::vector<TypeId>> classes_by_symbol_;
  std::unordered_map<NameId, std::vector<ModuleId>> globals_by_name_;
};

}  // namespace deadgrad
