#include <torch/torch.h>
struct Net : torch::nn::Module {
  Net() {
    first = register_module("first", torch::nn::Linear(4, 3));
    weight = register_parameter("weight", torch::randn({3}));
    layers->push_back(torch::nn::ReLU());
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto& layer : *layers) x = layer->as<torch::nn::ReLU>()->forward(x);
    return first->forward(x) * weight;
  }
  torch::nn::Linear first{nullptr};
  torch::nn::ModuleList layers;
  torch::Tensor weight;
};
