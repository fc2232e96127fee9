#include <torch/torch.h>
torch::Tensor use(torch::Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(4, 3), torch::nn::ReLU());
  net->push_back(torch::nn::Linear(3, 2));
  torch::nn::AnyModule any(torch::nn::Linear(2, 2));
  x = net->forward(x);
  x = net->forward<torch::Tensor>(x);
  return any.forward(x);
}
