// The layers, the containers, and everything else below torch::nn.
#pragma once
#pragma GCC system_header

#include "nn_module.h"
#include "nn_names.h"

namespace torch {

namespace enumtype {
#define DEADGRAD_STUB_ENUMERATORS(X)                                                                                \
  X(Linear)                                                                                                         \
  X(Conv1D) X(Conv2D) X(Conv3D) X(ConvTranspose1D) X(ConvTranspose2D) X(ConvTranspose3D) X(Sigmoid) X(Tanh) X(ReLU) \
      X(GELU) X(SiLU) X(Mish) X(LeakyReLU) X(FanIn) X(FanOut) X(Constant) X(Reflect) X(Replicate) X(Circular)       \
          X(Nearest) X(Bilinear) X(Bicubic) X(Trilinear) X(Area) X(NearestExact) X(Sum) X(Mean) X(Max) X(None)      \
              X(BatchMean) X(Zeros) X(Border) X(Reflection) X(RNN_TANH) X(RNN_RELU) X(LSTM) X(GRU) X(Valid) X(Same)
#define DEADGRAD_STUB_ENUMERATOR(name) \
  struct k##name {};
DEADGRAD_STUB_ENUMERATORS(DEADGRAD_STUB_ENUMERATOR)
#undef DEADGRAD_STUB_ENUMERATOR
}  // namespace enumtype
#define DEADGRAD_STUB_ENUMERATOR(name) constexpr enumtype::k##name k##name{};
DEADGRAD_STUB_ENUMERATORS(DEADGRAD_STUB_ENUMERATOR)
#undef DEADGRAD_STUB_ENUMERATOR

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

namespace nn {

// One class stands for the options of every layer; the name of each layer's own options converts from and to it.
class LayerOptions {
 public:
  LayerOptions();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, LayerOptions>>
  LayerOptions(First&&, Rest&&...);
  LayerOptions(std::initializer_list<Any>, DEADGRAD_STUB_2);
  LayerOptions(Any, std::initializer_list<Any>, Any = {});
  LayerOptions(Any, Any, std::initializer_list<Any>);
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  std::int64_t& name();               \
  const std::int64_t& name() const;
  DEADGRAD_STUB_INTEGER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  double& name();                     \
  const double& name() const;
  DEADGRAD_STUB_NUMBER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  bool& name();                       \
  const bool& name() const;
  DEADGRAD_STUB_FLAG_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  ::deadgrad_stub::Value name() const;
  DEADGRAD_STUB_OTHER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
};

#define DEADGRAD_STUB_OPTIONS(name)           \
  class name##Options : public LayerOptions { \
   public:                                    \
    using LayerOptions::LayerOptions;         \
    name##Options();                          \
    name##Options(const LayerOptions&);       \
  };
#define DEADGRAD_STUB_LAYER_AS(name, Result)                                                   \
  class name##Impl : public Cloneable<name##Impl> {                                            \
   public:                                                                                     \
    name##Impl();                                                                              \
    template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, name##Impl>> \
    name##Impl(First&&, Rest&&...);                                                            \
    explicit name##Impl(std::initializer_list<Any>);                                           \
    void reset() override;                                                                     \
    void reset_parameters();                                                                   \
    Result forward(Any, DEADGRAD_STUB_8);                                                      \
    void pretty_print(std::ostream&) const override;                                           \
    name##Options options;                                                                     \
    at::Tensor weight, bias, running_mean, running_var, num_batches_tracked;                   \
  };                                                                                           \
  TORCH_MODULE(name);
#define DEADGRAD_STUB_LAYER(name) DEADGRAD_STUB_OPTIONS(name) DEADGRAD_STUB_LAYER_AS(name, at::Tensor)
DEADGRAD_STUB_LAYERS(DEADGRAD_STUB_LAYER)
#undef DEADGRAD_STUB_LAYER

// What a subclass of a recurrent layer or of a convolution may name.
#define DEADGRAD_STUB_RECURRENT(name, State)                                                                   \
  DEADGRAD_STUB_OPTIONS(name)                                                                                  \
  class name##Impl : public Cloneable<name##Impl> {                                                            \
   public:                                                                                                     \
    name##Impl();                                                                                              \
    template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, name##Impl>>                 \
    name##Impl(First&&, Rest&&...);                                                                            \
    void reset() override;                                                                                     \
    std::tuple<at::Tensor, State> forward(const at::Tensor& input, Any = {});                                  \
    std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(const utils::rnn::PackedSequence&, \
                                                                            Any = {});                         \
    std::vector<at::Tensor> all_weights() const;                                                               \
    void flatten_parameters();                                                                                 \
    name##Options options;                                                                                     \
    name##Options options_base;                                                                                \
  };                                                                                                           \
  TORCH_MODULE(name);

namespace utils {
double clip_grad_norm_(Any, DEADGRAD_STUB_4);
void clip_grad_value_(Any, double);
at::Tensor parameters_to_vector(Any);
void vector_to_parameters(const at::Tensor&, Any);
namespace rnn {
class PackedSequence {
 public:
  PackedSequence(DEADGRAD_STUB_4);
  const at::Tensor& data() const;
  const at::Tensor& batch_sizes() const;
  const at::Tensor& sorted_indices() const;
  const at::Tensor& unsorted_indices() const;
  PackedSequence to(DEADGRAD_STUB_4) const;
  PackedSequence cuda() const;
  PackedSequence cpu() const;
  PackedSequence pin_memory() const;
  bool is_cuda() const;
};
PackedSequence pack_padded_sequence(const at::Tensor&, Any, bool = false, bool = true);
PackedSequence pack_sequence(Any, bool = true);
std::tuple<at::Tensor, at::Tensor> pad_packed_sequence(const PackedSequence&, DEADGRAD_STUB_3);
at::Tensor pad_sequence(Any, DEADGRAD_STUB_3);
at::Tensor invert_permutation(const at::Tensor&);
}  // namespace rnn
}  // namespace utils

#define DEADGRAD_STUB_PAIR std::tuple<at::Tensor, at::Tensor>
DEADGRAD_STUB_RECURRENT(LSTM, DEADGRAD_STUB_PAIR)
DEADGRAD_STUB_RECURRENT(GRU, at::Tensor)
DEADGRAD_STUB_RECURRENT(RNN, at::Tensor)
DEADGRAD_STUB_OPTIONS(LSTMCell)
DEADGRAD_STUB_LAYER_AS(LSTMCell, DEADGRAD_STUB_PAIR)
DEADGRAD_STUB_OPTIONS(MultiheadAttention)
DEADGRAD_STUB_LAYER_AS(MultiheadAttention, DEADGRAD_STUB_PAIR)
#undef DEADGRAD_STUB_PAIR
#undef DEADGRAD_STUB_RECURRENT

struct ASMoutput {
  at::Tensor output;
  double loss;
};
DEADGRAD_STUB_OPTIONS(AdaptiveLogSoftmaxWithLoss)
DEADGRAD_STUB_LAYER_AS(AdaptiveLogSoftmaxWithLoss, ASMoutput)

#define DEADGRAD_STUB_EMBEDDING(name)                                                          \
  DEADGRAD_STUB_OPTIONS(name)                                                                  \
  DEADGRAD_STUB_OPTIONS(name##FromPretrained)                                                  \
  class name##Impl : public Cloneable<name##Impl> {                                            \
   public:                                                                                     \
    name##Impl();                                                                              \
    template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, name##Impl>> \
    name##Impl(First&&, Rest&&...);                                                            \
    void reset() override;                                                                     \
    void reset_parameters();                                                                   \
    at::Tensor forward(const at::Tensor&, DEADGRAD_STUB_2);                                    \
    name##Options options;                                                                     \
    at::Tensor weight;                                                                         \
  };                                                                                           \
  class name : public ModuleHolder<name##Impl> {                                               \
   public:                                                                                     \
    using ModuleHolder<name##Impl>::ModuleHolder;                                              \
    using Impl = name##Impl;                                                                   \
    name() = default;                                                                          \
    name(std::nullptr_t);                                                                      \
    static name from_pretrained(const at::Tensor&, Any = {});                                  \
  };
DEADGRAD_STUB_EMBEDDING(Embedding)
DEADGRAD_STUB_EMBEDDING(EmbeddingBag)
#undef DEADGRAD_STUB_EMBEDDING
#undef DEADGRAD_STUB_LAYER_AS

// Options that several layers share, under their own names.
#define DEADGRAD_STUB_SHARED_OPTIONS(name) \
  template <std::size_t Dimensions>        \
  class name : public LayerOptions {       \
   public:                                 \
    using LayerOptions::LayerOptions;      \
    name();                                \
    name(const LayerOptions&);             \
  };
DEADGRAD_STUB_SHARED_OPTIONS(ConvOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ConvTransposeOptions)
DEADGRAD_STUB_SHARED_OPTIONS(MaxPoolOptions)
DEADGRAD_STUB_SHARED_OPTIONS(AvgPoolOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ReflectionPadOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ConstantPadOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ReplicationPadOptions)
#undef DEADGRAD_STUB_SHARED_OPTIONS
#define DEADGRAD_STUB_OPTIONS_OF(name) DEADGRAD_STUB_OPTIONS(name)
DEADGRAD_STUB_OPTIONS_OF(BatchNorm)
DEADGRAD_STUB_OPTIONS_OF(InstanceNorm)
DEADGRAD_STUB_OPTIONS_OF(ModuleDictItem)
#undef DEADGRAD_STUB_OPTIONS_OF

class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<at::Tensor(at::Tensor)>;
  template <class Callable, class... Bound, class = ::deadgrad_stub::IfOther<Callable, FunctionalImpl>>
  explicit FunctionalImpl(Callable&&, Bound&&...);
  void reset() override;
  at::Tensor forward(at::Tensor input);
  at::Tensor operator()(at::Tensor input);
  bool is_serializable() const override;
};
TORCH_MODULE(Functional);

class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = AnyModule*;
  using ConstIterator = const AnyModule*;
  SequentialImpl();
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&&);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule>);
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, SequentialImpl>>
  explicit SequentialImpl(First&&, Rest&&...);
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override;
  template <class Returned = at::Tensor, class... Inputs>
  Returned forward(Inputs&&...);
  template <class Added>
  void push_back(Added&&);
  template <class Added>
  void push_back(std::string name, Added&&);
  template <class Container>
  void extend(const Container&);
  AnyModule* begin();
  AnyModule* end();
  const AnyModule* begin() const;
  const AnyModule* end() const;
  template <class Held>
  Held& at(std::size_t);
  template <class Held>
  const Held& at(std::size_t) const;
  std::shared_ptr<Module> ptr(std::size_t) const;
  template <class Held>
  std::shared_ptr<Held> ptr(std::size_t) const;
  std::shared_ptr<Module> operator[](std::size_t) const;
  std::size_t size() const noexcept;
  bool is_empty() const noexcept;
};
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential();
  Sequential(std::nullptr_t);
  Sequential(std::initializer_list<NamedAnyModule>);
};

#define DEADGRAD_STUB_MODULE_SEQUENCE           \
  std::shared_ptr<Module>* begin();             \
  std::shared_ptr<Module>* end();               \
  const std::shared_ptr<Module>* begin() const; \
  const std::shared_ptr<Module>* end() const;   \
  std::size_t size() const noexcept;            \
  bool is_empty() const noexcept;               \
  void reset() override;
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::shared_ptr<Module>*;
  using ConstIterator = const std::shared_ptr<Module>*;
  ModuleListImpl();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, ModuleListImpl>>
  explicit ModuleListImpl(First&&, Rest&&...);
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  DEADGRAD_STUB_MODULE_SEQUENCE
  template <class Added>
  void push_back(Added&&);
  template <class Container>
  void extend(const Container&);
  template <class Added>
  void insert(std::size_t, Added&&);
  template <class Held>
  Held& at(std::size_t);
  template <class Held>
  const Held& at(std::size_t) const;
  std::shared_ptr<Module> ptr(std::size_t) const;
  template <class Held>
  std::shared_ptr<Held> ptr(std::size_t) const;
  std::shared_ptr<Module> operator[](std::size_t) const;
};
TORCH_MODULE(ModuleList);

class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Item = OrderedDict<std::string, std::shared_ptr<Module>>::Item;
  ModuleDictImpl();
  template <class First, class = ::deadgrad_stub::IfOther<First, ModuleDictImpl>>
  explicit ModuleDictImpl(First&&);
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::vector<std::string> keys() const;
  std::vector<std::shared_ptr<Module>> values() const;
  Item* begin();
  Item* end();
  const Item* begin() const;
  const Item* end() const;
  std::size_t size() const noexcept;
  bool empty() const noexcept;
  bool contains(const std::string&) const noexcept;
  void clear();
  void reset() override;
  void insert(Any, Any = {});
  void update(Any);
  std::shared_ptr<Module> pop(const std::string&);
  std::shared_ptr<Module> operator[](const std::string&) const;
  template <class Held>
  Held& at(const std::string&);
  std::shared_ptr<Module> ptr(const std::string&) const;
  template <class Held>
  std::shared_ptr<Held> ptr(const std::string&) const;
};
TORCH_MODULE(ModuleDict);

class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  using Item = OrderedDict<std::string, at::Tensor>::Item;
  ParameterListImpl();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, ParameterListImpl>>
  explicit ParameterListImpl(First&&, Rest&&...);
  void reset() override;
  void append(Any);
  template <class Container>
  void extend(const Container&);
  at::Tensor& at(std::size_t);
  at::Tensor& operator[](std::size_t);
  Item* begin();
  Item* end();
  std::size_t size() const noexcept;
  bool is_empty() const noexcept;
};
TORCH_MODULE(ParameterList);

class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Item = OrderedDict<std::string, at::Tensor>::Item;
  ParameterDictImpl();
  template <class First, class = ::deadgrad_stub::IfOther<First, ParameterDictImpl>>
  explicit ParameterDictImpl(First&&);
  void reset() override;
  at::Tensor& insert(std::string, at::Tensor);
  at::Tensor pop(const std::string&);
  std::vector<std::string> keys() const;
  std::vector<at::Tensor> values() const;
  at::Tensor& get(const std::string&);
  at::Tensor& operator[](const std::string&);
  bool contains(const std::string&) const noexcept;
  Item* begin();
  Item* end();
  std::size_t size() const noexcept;
  bool empty() const noexcept;
};
TORCH_MODULE(ParameterDict);
#undef DEADGRAD_STUB_MODULE_SEQUENCE

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
at::Tensor data_parallel(Replicated, at::Tensor, DEADGRAD_STUB_3);
template <class Replicated>
std::vector<std::shared_ptr<Replicated>> replicate(const std::shared_ptr<Replicated>&, const std::vector<Device>&);
template <class Replicated>
std::vector<ModuleHolder<Replicated>> replicate(const ModuleHolder<Replicated>&, const std::vector<Device>&);
std::vector<at::Tensor> parallel_apply(Any, Any, Any = {});
}  // namespace parallel

namespace modules {
namespace utils {
std::vector<std::int64_t> _reverse_repeat_vector(Any, std::int64_t);
}
}  // namespace modules

}  // namespace nn
}  // namespace torch

#undef DEADGRAD_STUB_OPTIONS
