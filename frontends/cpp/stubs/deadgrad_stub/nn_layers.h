// The layers of torch::nn, and packed sequences, which the recurrent ones take.
#pragma once
#pragma GCC system_header

#include "nn_options.h"

namespace torch {
namespace nn {

#define DEADGRAD_STUB_LAYER_AS(name, Result)                                                   \
  class name##Impl : public Cloneable<name##Impl> {                                            \
   public:                                                                                     \
    name##Impl();                                                                              \
    template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, name##Impl>> \
    name##Impl(First&&, Rest&&...) {                                                           \
      ::deadgrad_stub::no_body();                                                              \
    }                                                                                          \
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
    name##Impl(First&&, Rest&&...) {                                                                           \
      ::deadgrad_stub::no_body();                                                                              \
    }                                                                                                          \
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
    name##Impl(First&&, Rest&&...) {                                                           \
      ::deadgrad_stub::no_body();                                                              \
    }                                                                                          \
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

}  // namespace nn
}  // namespace torch

#undef DEADGRAD_STUB_OPTIONS
