// TorchScript: modules, methods, loading, and the little of the graph that applications print.
#pragma once
#pragma GCC system_header

#include "runtime.h"
#include "serialize.h"

namespace torch {
namespace jit {

using c10::IValue;
using c10::List;
using c10::Stack;
using Kwargs = std::unordered_map<std::string, IValue>;
using ExtraFilesMap = std::unordered_map<std::string, std::string>;
using ModuleLookup = std::function<Module(const std::vector<std::string>&)>;
using ::torch::OrderedDict;

struct Value;
struct Node;
struct Block;
struct Graph : std::enable_shared_from_this<Graph> {
  at::ArrayRef<Value*> inputs();
  at::ArrayRef<Value*> outputs();
  deadgrad_stub::Range<Node*> nodes();
  std::string toString(bool = true) const;
  void dump() const;
  std::shared_ptr<Graph> copy();
  void lint() const;
  Block* block();
  Node* return_node();
  Value* addInput(Any = {});
};
struct Value {
  std::string debugName() const;
  const c10::TypePtr& type() const;
  Node* node();
  std::size_t unique() const;
  void replaceAllUsesWith(Value*);
};
struct Node {
  c10::Symbol kind() const;
  at::ArrayRef<Value*> inputs();
  at::ArrayRef<Value*> outputs();
  Value* input(std::size_t = 0);
  Value* output(std::size_t = 0);
  Block* owningBlock();
  void destroy();
  std::string s(c10::Symbol) const;
  std::int64_t i(c10::Symbol) const;
};
std::ostream& operator<<(std::ostream&, const Graph&);
std::ostream& operator<<(std::ostream&, const Node&);

struct Function {
  const std::string& name() const;
  const c10::QualifiedName& qualname() const;
  IValue operator()(Stack inputs, const Kwargs& kwargs = Kwargs());
  void run(Stack& inputs);
  void run(Stack&& inputs);
  c10::intrusive_ptr<c10::ivalue::Future> runAsync(Stack&, Any = {});
  std::shared_ptr<Graph> graph() const;
  std::size_t num_inputs() const;
  const c10::FunctionSchema& getSchema() const;
  void ensure_defined();
};
struct GraphFunction : Function {};
using StrongFunctionPtr = Function*;

struct Method {
  Method(Any, Any);
  void run(Stack& inputs);
  void run(Stack&& inputs);
  IValue operator()(std::vector<IValue> inputs, const Kwargs& kwargs = Kwargs()) const;
  c10::intrusive_ptr<c10::ivalue::Future> run_async(std::vector<IValue> inputs, const Kwargs& kwargs = Kwargs(),
                                                    Any = {});
  std::shared_ptr<Graph> graph() const;
  const std::string& name() const;
  std::size_t num_inputs() const;
  Function& function() const;
  Module owner() const;
};

struct CompilationUnit {
  Function& get_function(const c10::QualifiedName&) const;
  Function* find_function(const c10::QualifiedName&) const;
  template <class... Arguments>
  IValue run_method(const c10::QualifiedName& method_name, Arguments&&...);
  std::vector<Function*> get_functions() const;
  void set_optimized(bool);
  std::vector<Function*> define(DEADGRAD_STUB_4);
};
std::shared_ptr<CompilationUnit> compile(const std::string& source);

struct Object {
  Object();
  c10::intrusive_ptr<c10::ivalue::Object> _ivalue() const;
  std::shared_ptr<c10::ClassType> type() const;
  void setattr(const std::string& name, IValue);
  IValue attr(const std::string& name) const;
  IValue attr(const std::string& name, IValue or_else) const;
  bool hasattr(const std::string& name) const;
  Method get_method(const std::string& name) const;
  std::vector<Method> get_methods() const;
  c10::optional<Method> find_method(const std::string& basename) const;
  template <class... Arguments>
  IValue run_method(const std::string& method_name, Arguments&&...);
  bool has_property(const std::string&) const;
  std::size_t num_slots() const;
  Object copy() const;
  Object deepcopy() const;
  void define(const std::string&, Any = {});
};

template <class Item>
using slot_list = deadgrad_stub::Range<Item>;
template <class Held>
struct Named {
  std::string name;
  Held value;
};
struct NamedValue {
  NamedValue(Any = {}, Any = {});
};
using parameter_list = slot_list<at::Tensor>;
using buffer_list = slot_list<at::Tensor>;
using attribute_list = slot_list<IValue>;
using module_list = slot_list<Module>;
using named_parameter_list = slot_list<Named<at::Tensor>>;
using named_buffer_list = slot_list<Named<at::Tensor>>;
using named_attribute_list = slot_list<Named<IValue>>;
using named_module_list = slot_list<Named<Module>>;

struct Module : Object {
  Module();
  explicit Module(c10::QualifiedName class_name);
  explicit Module(const char*);
  Module(std::shared_ptr<CompilationUnit>, Any, Any = {});
  Module(c10::QualifiedName, std::shared_ptr<CompilationUnit>, bool = false);
  IValue forward(std::vector<IValue> inputs, const Kwargs& kwargs = Kwargs());
  IValue operator()(std::vector<IValue> inputs);
  void set_optimized(bool);
  bool is_optimized() const;
  void register_buffer(const std::string&, at::Tensor);
  void register_parameter(const std::string&, at::Tensor, bool is_buffer);
  void register_attribute(const std::string&, const c10::TypePtr&, IValue, bool is_param = false,
                          bool is_buffer = false);
  void register_module(const std::string&, const Module&);
  void apply(const std::function<void(Module&)>&);
  parameter_list parameters(bool recurse = true) const;
  named_parameter_list named_parameters(bool recurse = true) const;
  attribute_list attributes(bool recurse = true) const;
  named_attribute_list named_attributes(bool recurse = true) const;
  buffer_list buffers(bool recurse = true) const;
  named_buffer_list named_buffers(bool recurse = true) const;
  module_list children() const;
  named_module_list named_children() const;
  module_list modules() const;
  named_module_list named_modules() const;
  void train(bool on = true);
  void eval();
  bool is_training() const;
  void to(at::Device device, at::ScalarType dtype, bool non_blocking = false);
  void to(at::ScalarType dtype, bool non_blocking = false);
  void to(at::Device device, bool non_blocking = false);
  Module copy() const;
  Module deepcopy(c10::optional<at::Device> device = c10::nullopt) const;
  Module clone(bool inplace = false) const;
  void clone_method(const Module&, const std::string&);
  void save(std::ostream&, const ExtraFilesMap& = ExtraFilesMap()) const;
  void save(const std::string&, const ExtraFilesMap& = ExtraFilesMap()) const;
  void _save_for_mobile(Any, DEADGRAD_STUB_4) const;
  std::string dump_to_str(bool, bool, bool) const;
  void dump(bool, bool, bool) const;
  Module get_module(const std::string&) const;
};

using ScriptModule = Module;

Module load(std::istream&, c10::optional<at::Device> = c10::nullopt, Any = {}, Any = {});
Module load(const std::string& filename, c10::optional<at::Device> = c10::nullopt, Any = {}, Any = {});
Module load(const char* filename, c10::optional<at::Device> = c10::nullopt, Any = {}, Any = {});
Module load(std::shared_ptr<::deadgrad_stub::Value>, c10::optional<at::Device> = c10::nullopt, Any = {}, Any = {});
Module import_ir_module(std::shared_ptr<CompilationUnit>, Any, DEADGRAD_STUB_4);
Module freeze(const Module&, DEADGRAD_STUB_2);
Module freeze_module(const Module&, DEADGRAD_STUB_4);
Module optimize_for_inference(Module&, const std::vector<std::string>& = {});
void save(const Module&, const std::string&);
std::vector<char> pickle_save(const IValue&);
std::vector<char> pickle(const IValue&, std::vector<at::Tensor>* = nullptr);
IValue pickle_load(const std::vector<char>&);
IValue unpickle(const char*, std::size_t, DEADGRAD_STUB_2);
void ExportModule(const Module&, Any, DEADGRAD_STUB_4);
void setGraphExecutorOptimize(bool);
bool getGraphExecutorOptimize();
void setTensorExprFuserEnabled(bool);
bool tensorExprFuserEnabled();
void overrideCanFuseOnCPU(bool);
void overrideCanFuseOnGPU(bool);
void overrideCanFuseOnCPULegacy(bool);
bool setTexprFuserEnabled(bool);
std::atomic<bool>& getProfilingMode();
std::atomic<bool>& getExecutorMode();
std::atomic<std::size_t>& getNumProfiledRuns();
std::atomic<std::size_t>& getBailoutDepth();
enum class FusionBehavior { STATIC, DYNAMIC };
using FusionStrategy = std::vector<std::pair<FusionBehavior, std::size_t>>;
FusionStrategy getFusionStrategy();
FusionStrategy setFusionStrategy(FusionStrategy&);
void Inline(Graph&);
void FuseGraph(std::shared_ptr<Graph>&, bool = false);
std::shared_ptr<Graph> TraceGraph(Any, Any);

struct GraphOptimizerEnabledGuard {
  explicit GraphOptimizerEnabledGuard(bool enabled);
  ~GraphOptimizerEnabledGuard();
};
struct GraphExecutor {
  void run(Stack&);
  std::shared_ptr<Graph> graph() const;
};
struct Operator {
  template <class... Arguments>
  explicit Operator(Arguments&&...);
  const c10::FunctionSchema& schema() const;
};
struct RegisterOperators {
  RegisterOperators(Any = {});
};
template <class... Popped>
void pop(Stack&, Popped&...);
IValue pop(Stack&);
template <class... Pushed>
void push(Stack&, Pushed&&...);
namespace tracer {
bool isTracing();
std::pair<std::shared_ptr<Value>, Stack> trace(DEADGRAD_STUB_8);
void warn(const char*, Any = {});
struct NoWarn {
  NoWarn();
  ~NoWarn();
};
}  // namespace tracer
namespace fuser {
namespace cuda {
bool setEnabled(bool);
bool isEnabled();
}  // namespace cuda
}  // namespace fuser
namespace script {
using Module = ::torch::jit::Module;
using Method = ::torch::jit::Method;
using Object = ::torch::jit::Object;
using CompilationUnit = ::torch::jit::CompilationUnit;
using ExtraFilesMap = ::torch::jit::ExtraFilesMap;
using ::torch::jit::load;
}  // namespace script

namespace mobile {
struct Method {
  void run(Stack& inputs) const;
  void run(Stack&& inputs) const;
  IValue operator()(std::vector<IValue> inputs) const;
  const std::string& name() const;
};
struct Module {
  IValue forward(std::vector<IValue> inputs);
  Method get_method(const std::string&) const;
  c10::optional<Method> find_method(const std::string&) const;
  template <class... Arguments>
  IValue run_method(const std::string&, Arguments&&...);
  std::string name() const;
  std::vector<at::Tensor> parameters() const;
  std::map<std::string, at::Tensor> named_parameters() const;
  void train(bool on = true);
  void eval();
  bool is_training() const;
  const std::vector<IValue>& slots() const;
  IValue attr(const std::string&, Any = {}) const;
  bool hasattr(const std::string&) const;
  std::unordered_map<std::string, std::string> getMetadata() const;
};
}  // namespace mobile
mobile::Module _load_for_mobile(Any, DEADGRAD_STUB_4);
mobile::Module load_mobile_module_from_file(const std::string&, DEADGRAD_STUB_2);
mobile::Module _load_mobile_from_bytes(Any, DEADGRAD_STUB_4);
std::map<std::string, at::Tensor> _load_parameters(Any, Any = {});

}  // namespace jit

namespace script {
using Module = jit::Module;
using Method = jit::Method;
using ExtraFilesMap = jit::ExtraFilesMap;
using c10::IValue;
}  // namespace script

}  // namespace torch
