// How a guard is written at a place of a Python file: by which name torch is reached there, and what has to be imported
// for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "frontends/python/layout.h"
#include "frontends/python/names.h"

namespace deadgrad::python {

class TorchNames {
 public:
  // Both must outlive it; `module` holds the names of the tree.
  TorchNames(const Tree& tree, const Layout& layout, ir::Module& module);

  enum class Use : std::uint8_t {
    Declared,  // evaluated where a function is defined: the name must be bound for sure by then
    Run,       // a statement: an import under a condition will do, as the code around needs torch as well
  };
  struct Spelling {
    std::string guard;  // "torch.no_grad()"
    std::optional<TextEdit> import;
  };
  // Nothing where neither a name that is bound at `offset` nor a new import reaches torch. With `may_import` false
  // only what is bound counts.
  std::optional<Spelling> spell(FixGuard guard, std::uint32_t offset, Use use, bool may_import = true) const;

  // A name under which torch itself has a guard, and one that a `from torch import …` of the file binds to a guard.
  static bool is_guard_of_torch(std::string_view name);
  bool is_guard(std::string_view name) const;

  // The end of the last import of torch among the first statements of a function's body; 0: there is none.
  std::uint32_t end_of_local_import(NodeId body) const;

 private:
  enum class What : std::uint8_t { Package, NoGrad, InferenceMode };
  struct Bound {
    std::string_view name;
    StrId id;
    What what = What::Package;
    ScopeId scope;
    NodeId block;           // that holds the import
    std::uint32_t end = 0;  // of the import
    bool plain = true;      // under no condition: its block is the scope's own
  };
  void add_imports(NodeId statement, ScopeId scope, NodeId block, bool plain);
  bool reaches(const Bound& bound, ScopeId from, std::uint32_t offset, Use use) const;
  bool is_rebound(std::string_view name) const;
  ScopeId scope_at(std::uint32_t offset) const;
  std::optional<TextEdit> new_import(std::uint32_t before) const;

  const Tree& tree_;
  const Layout& layout_;
  ir::Module& module_;
  const StrId torch_;
  Scopes scopes_;
  struct Extent {
    std::uint32_t begin, end;
    ScopeId scope;
  };
  std::vector<Extent> bodies_;  // of functions, classes and lambdas, outer ones first
  std::vector<Bound> bound_;
  std::vector<std::string_view> rebound_;  // names to which the module binds something else than torch
};

}  // namespace deadgrad::python
