#include <torch/torch.h>
struct Runner {
  Unknown helper;
  torch::nn::Linear net{nullptr};
  torch::Tensor run(Missing input) {
    auto x = helper.prepare(input);
    if (helper.ready()) return net->forward(x);
    return net->forward(helper.other(input));
  }
};
