// torch::autograd: the backward passes, and functions with a backward of their own.
#pragma once
#pragma GCC system_header

#include "runtime.h"

namespace torch {
namespace autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;
using tensor_list = std::vector<at::Tensor>;
using edge_list = std::vector<::deadgrad_stub::Value>;
using c10::AutoFwGradMode;
using c10::AutoGradMode;
using c10::GradMode;

void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              c10::optional<bool> retain_graph = c10::nullopt, bool create_graph = false,
              const variable_list& inputs = {});
variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs = {},
                   c10::optional<bool> retain_graph = c10::nullopt, bool create_graph = false,
                   bool allow_unused = false);

struct Node : std::enable_shared_from_this<Node> {
  std::string name() const;
  std::size_t num_inputs() const;
  edge_list next_edges();
};
struct AutogradContext {
  std::unordered_map<std::string, c10::IValue> saved_data;
  void save_for_backward(variable_list);
  void mark_dirty(const variable_list&);
  void mark_non_differentiable(const variable_list&);
  void set_materialize_grads(bool);
  bool needs_input_grad(std::size_t) const;
  bool needs_input_grad(std::initializer_list<Any>) const;
  variable_list get_saved_variables() const;
};
template <class Derived>
struct Function {
  template <class Custom = Derived, class... Arguments>
  static auto apply(Arguments&&... arguments)
      -> decltype(Custom::forward(static_cast<AutogradContext*>(nullptr), std::forward<Arguments>(arguments)...));
};
struct FunctionPreHook;
struct FunctionPostHook;

struct AnomalyMode {
  static bool is_enabled();
  static void set_enabled(bool, bool = true);
};
class DetectAnomalyGuard {
 public:
  DetectAnomalyGuard(bool = true);
  ~DetectAnomalyGuard();
};
Variable make_variable(at::Tensor, bool = false, bool = true);
Variable create_gradient_edge(Any, Any);

namespace impl {
::deadgrad_stub::Value grad_accumulator(const Variable&);
::deadgrad_stub::Value gradient_edge(const Variable&);
void bump_version(const Variable&);
}  // namespace impl

namespace profiler {
struct RecordProfile {
  RecordProfile(Any);
  ~RecordProfile();
};
struct ProfilerConfig {
  ProfilerConfig(DEADGRAD_STUB_8);
};
enum class ProfilerState { Disabled, CPU, CUDA, NVTX, ITT, KINETO };
void enableProfilerLegacy(Any);
::deadgrad_stub::Value disableProfilerLegacy(Any = {});
void prepareProfiler(DEADGRAD_STUB_4);
void enableProfiler(DEADGRAD_STUB_4);
std::unique_ptr<::deadgrad_stub::Value> disableProfiler();
}  // namespace profiler

namespace forward_ad {
std::uint64_t enter_dual_level();
void exit_dual_level(std::uint64_t);
}  // namespace forward_ad

}  // namespace autograd

using autograd::Variable;

// Functions of torch that are not those of at.
namespace utils {
std::vector<at::Tensor> flatten_dense_tensors(Any);
at::Tensor flatten(Any);
}  // namespace utils

}  // namespace torch
