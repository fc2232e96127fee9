// torch::nn::functional, init and parallel.
#pragma once
#pragma GCC system_header

#include "nn_layers.h"

namespace torch {
namespace nn {

namespace functional {
#define DEADGRAD_STUB_FUNCTION(name) at::Tensor name(const at::Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONALS(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) std::tuple<at::Tensor, at::Tensor> name(const at::Tensor&, DEADGRAD_STUB_4);
DEADGRAD_STUB_FUNCTIONALS_WITH_INDICES(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
std::tuple<at::Tensor, at::Tensor> multi_head_attention_forward(const at::Tensor&, DEADGRAD_STUB_12);
#define DEADGRAD_STUB_FUNCTIONAL_OPTION(name)     \
  class name##FuncOptions : public LayerOptions { \
   public:                                        \
    using LayerOptions::LayerOptions;             \
    name##FuncOptions();                          \
    name##FuncOptions(const LayerOptions&);       \
  };
DEADGRAD_STUB_FUNCTIONAL_OPTIONS(DEADGRAD_STUB_FUNCTIONAL_OPTION)
#undef DEADGRAD_STUB_FUNCTIONAL_OPTION
}  // namespace functional

namespace init {
using NonlinearityType = Any;
using FanModeType = Any;
double calculate_gain(Any, double = 0.01);
#define DEADGRAD_STUB_INIT(name) at::Tensor name(at::Tensor, DEADGRAD_STUB_4);
DEADGRAD_STUB_INIT(constant_)
DEADGRAD_STUB_INIT(dirac_)
DEADGRAD_STUB_INIT(eye_)
DEADGRAD_STUB_INIT(kaiming_normal_)
DEADGRAD_STUB_INIT(kaiming_uniform_)
DEADGRAD_STUB_INIT(normal_)
DEADGRAD_STUB_INIT(ones_)
DEADGRAD_STUB_INIT(orthogonal_)
DEADGRAD_STUB_INIT(sparse_)
DEADGRAD_STUB_INIT(trunc_normal_)
DEADGRAD_STUB_INIT(uniform_)
DEADGRAD_STUB_INIT(xavier_normal_)
DEADGRAD_STUB_INIT(xavier_uniform_)
DEADGRAD_STUB_INIT(zeros_)
#undef DEADGRAD_STUB_INIT
std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const at::Tensor&);
}  // namespace init

namespace parallel {
template <class Replicated>
at::Tensor data_parallel(Replicated, at::Tensor, DEADGRAD_STUB_3) {
  ::deadgrad_stub::no_body();
}
template <class Replicated>
std::vector<std::shared_ptr<Replicated>> replicate(const std::shared_ptr<Replicated>&, const std::vector<Device>&) {
  ::deadgrad_stub::no_body();
}
template <class Replicated>
std::vector<ModuleHolder<Replicated>> replicate(const ModuleHolder<Replicated>&, const std::vector<Device>&) {
  ::deadgrad_stub::no_body();
}
std::vector<at::Tensor> parallel_apply(Any, Any, Any = {});
}  // namespace parallel

namespace modules {
namespace utils {
std::vector<std::int64_t> _reverse_repeat_vector(Any, std::int64_t);
}
}  // namespace modules

}  // namespace nn
}  // namespace torch
