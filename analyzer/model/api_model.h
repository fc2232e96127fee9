// What the analysis knows of libraries: one Effect per symbol or method, class hierarchies of libraries, framework
// hooks. All of it is data (rules/models/*.toml, or a user's configuration) in a closed vocabulary; the engine switches
// on these fields and on nothing else, and never on a library's name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/torch_version.h"

namespace deadgrad::model {

// An argument by position (0-based, the receiver not counted) and / or by keyword.
struct ArgumentRef {
  int position = -1;
  std::string keyword;
  bool valid() const { return position >= 0 || !keyword.empty(); }
};

enum class Guard : std::uint8_t { None, Off, On, Argument /* true = grad on */, InverseArgument /* true = grad off */ };
enum class GuardKind : std::uint8_t { None, NoGrad, Inference, EnableGrad, SetGrad, Dispatch };
// In which forms a guard acts: `with g():` / RAII object, `@g()`, `@g`, a bare call (a switch that lasts).
struct GuardForms {
  bool scope = false, decorator = false, bare_decorator = false, call = false;
};

enum class Shape : std::uint8_t {
  Unknown,
  Module,  // an nn.Module; class_symbol says which class, if known
  Tensor,  // a tensor that may carry a graph
  Plain,   // a number, string, array, …: never carries a graph
  Optimizer,
  Loader,     // iterates data that carries no graph
  Argument,   // one of the arguments itself (same_as)
  Receiver,   // the receiver itself
  Container,  // a new container that holds the arguments / the receiver's elements
  Elements,   // a new container of the receiver's elements, if it has any that are known
  Element,    // one of the receiver's elements (a function: of the argument's), by key if an argument says which
  Class,      // a class (builders that return one)
  Object,     // a library object of class class_symbol
};
enum class Graph : std::uint8_t { Unknown, Keep, Cut };
enum class Parameters : std::uint8_t { Grad, Mixed, Frozen };  // do a module's parameters require grad

struct ResultFacts {
  Shape shape = Shape::Unknown;
  Graph graph = Graph::Unknown;
  Parameters parameters = Parameters::Grad;
  ArgumentRef same_as;             // Shape::Argument
  std::string class_symbol;        // Shape::Module, Shape::Object; "?": whether it is a module at all is not known
  bool of_receiver_class = false;  // an instance of the class it is called on (`Net.load_from_checkpoint(p)`)
};

enum class Backward : std::uint8_t { None, Receiver, Argument, AllArguments };
enum class Forward : std::uint8_t {
  None,
  Runs,           // runs the receiver's layers in the caller's grad mode
  Guarded,        // runs them under a guard of its own: never a finding
  CallsArgument,  // runs the module given as `callee` (functional_call, data_parallel, checkpoint)
};
enum class Freeze : std::uint8_t { None, Freezes, Unfreezes, ByArgument /* true = requires grad */ };
enum class Entry : std::uint8_t {
  None,
  Handler,  // runs on a worker thread or a fresh request
  Script,
  Test,
  Guarded,  // is called with autograd off: hooks of a backward
};
enum class Proof : std::uint8_t { Source, Measured, Documentation, Issue, Guess };

// What calling (or reading, for attributes) a symbol does. Defaults mean "nothing known".
// What a method does to its receiver, a tensor, with its arguments (`add_`, `copy_`).
enum class InPlace : std::uint8_t { No, Accumulates, Replaces };

struct Effect {
  std::string symbol;                         // as in the data: "torch.no_grad", "torch.Tensor.backward", "?.append"
  std::vector<std::string> only_if_imported;  // import roots, one of which the file must import; empty = always

  Guard guard = Guard::None;
  GuardKind guard_kind = GuardKind::None;
  GuardForms forms;
  ArgumentRef guard_argument;
  bool guard_default = true;  // the argument's default
  TorchVersion since;         // the first release that has it
  TorchVersion bare_decorator_since;
  bool undone_when_dropped = false;  // `g().__enter__()` without keeping the object is undone (inference_mode)
  std::string dead_flag;             // a keyword that once meant "no gradients" and does nothing any more (`volatile`)
  bool context_manager = false;  // a context manager that leaves the grad mode alone (nullcontext, autocast, ExitStack)

  // One entry: the result. Several: the positions of a tuple result.
  std::vector<ResultFacts> results;
  std::vector<std::string> cut_by;  // given one of these as an argument, the result has no graph: `x.to(torch.uint8)`
  bool raises_if_attached = false;  // proves that its receiver or argument has no graph (`.numpy()`)

  Backward backward = Backward::None;
  ArgumentRef backward_argument;
  bool retains_graph_argument = false;  // accepts `retain_graph=`
  bool optimizer_step = false;
  bool zero_grad = false;

  Forward forward = Forward::None;
  ArgumentRef callee;            // CallsArgument, and spawn target / callback
  Freeze freeze = Freeze::None;  // of the receiver, or of `freeze_argument`
  ArgumentRef freeze_argument;
  bool iterates_parameters = false;  // `.parameters()`: a loop over it that clears requires_grad freezes the receiver

  InPlace in_place = InPlace::No;
  bool stores_argument = false;  // keeps its arguments in the receiver (`append`, `extend`, `add`, `update`, `put`)
  bool spawns = false;           // runs `callee` on another thread
  bool spawn_inherits = false;   // … which starts with the caller's grad mode
  bool calls_callee = false;     // runs `callee` here (map, apply, timeit)
  Entry entry = Entry::None;     // as decorator (or call taking `callee`): registers an entry point
  bool module_evidence = false;  // only modules have it: `.load_state_dict()`, `.parameters()`
  bool eval_mode = false;        // puts the receiver into eval mode
  bool loads_weights = false;    // fills the receiver, or argument 0 of a function, with saved weights
  bool identity_wrapper =
      false;  // returns something that behaves as argument 0: DataParallel, compile, prepare, partial-free decorators
  bool partial = false;      // functools.partial
  bool attribute = false;    // the row is about reading the attribute, not about calling it (`pipe.unet` is a module)
  bool makes_super = false;  // the object through which the base classes' members of the enclosing class are reached
  bool reads_attribute = false;  // (object, name): like reading the attribute that the constant argument 1 names
  bool imports_module = false;   // (name): the module that the constant argument 0 names
  bool enters_context = false;   // ExitStack.enter_context(g): `callee`'s guard holds from here on
  Proof proof = Proof::Guess;
};

struct ClassFacts {
  std::string symbol;              // "torch.nn.Linear", may be a glob "torch.nn.*"
  std::vector<std::string> bases;  // canonical symbols
  Shape shape = Shape::Unknown;    // what an instance is (Module, Optimizer, Loader, Plain, …)
  Parameters parameters = Parameters::Grad;
  bool is_deployed = false;    // a form in which models are shipped to be run: hardly ever trained (TorchScript in C++)
  bool may_be_frozen = false;  // it comes from a file, and whether its weights were frozen before is not in view
  bool is_bare = false;        // a base to build on, which brings no layers: torch.nn.Module
  bool has_parameters = true;  // ReLU, MSELoss, Upsample: modules without parameters of their own
  Proof proof = Proof::Guess;
};

enum class HookMode : std::uint8_t { Caller, Train /* grad on, result reaches backward */, Guarded, Unguarded };
// Methods that a framework calls on subclasses of `base`.
struct HookFacts {
  std::string base;
  std::vector<std::string> methods;
  HookMode mode = HookMode::Caller;
  Proof proof = Proof::Guess;
};

class ApiModel {
 public:
  ApiModel();
  ~ApiModel();
  ApiModel(ApiModel&&) noexcept;
  ApiModel& operator=(ApiModel&&) noexcept;

  // Adds the rows of one TOML text; `name` is used in errors ("torch.toml:12: unknown key 'efect'"). Later rows of the
  // same symbol replace earlier ones. Returns the number of rows.
  Result<int> load(std::string_view name, std::string_view toml);

  // The row of a canonical symbol: exact, else the longest glob ("torchvision.models.*" matches any deeper name).
  const Effect* find(std::string_view symbol) const;
  // The row "?.name": a method or attribute of a receiver that nothing is known of. Several rows may exist, gated by
  // imports: they are returned most specific (gated) first.
  std::vector<const Effect*> find_any(std::string_view name) const;
  // `class_symbol`'s or its nearest ancestor's member row.
  const Effect* find_member(std::string_view class_symbol, std::string_view name) const;
  // Facts of a class, with shape and parameters inherited from its bases where the row leaves them out; exact, else
  // glob.
  const ClassFacts* find_class(std::string_view symbol) const;
  // `symbol` itself and all its ancestors in the data, nearest first.
  std::vector<std::string_view> ancestors(std::string_view symbol) const;
  // The first release with a guard of this kind, as the rows say that tell.
  TorchVersion first_with(GuardKind kind) const;
  const HookFacts* find_hook(std::string_view base_symbol, std::string_view method) const;
  // A root package whose functions never call backward on their arguments: numpy, cv2, PIL, json, builtins, …
  bool is_data_only(std::string_view root) const;
  // A root package through which torch code is reached: torch, torchvision, timm, transformers, …
  bool is_torch_root(std::string_view root) const;
  // Weak evidence: log2 odds that a function (or file, class) with this name is inference (> 0) or training (< 0); 0
  // unknown.
  double name_odds(std::string_view name) const;
  // Conventional model names (`model`, `net`, `netG`, …): a tie-breaker that never decides alone.
  bool is_model_name(std::string_view name) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace deadgrad::model
