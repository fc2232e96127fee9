#include <torch/torch.h>
#include <iostream>
void use(torch::Tensor x) {
  std::cout << "mean " << x.mean().item<float>() << std::endl;
  std::cerr << x;
}
