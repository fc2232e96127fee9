#include <torch/torch.h>
template <class T>
struct Base {
  T net;
  torch::Tensor run(torch::Tensor x) { return net->forward(x); }
};
struct Mine : Base<torch::nn::Linear> {
  torch::Tensor both(torch::Tensor x) { return run(unknown(x)) + this->run(x); }
};
