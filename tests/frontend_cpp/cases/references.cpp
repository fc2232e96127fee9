#include <torch/torch.h>
void fill(torch::Tensor& out, torch::Tensor* second);
torch::Tensor use(torch::Tensor x) {
  torch::Tensor& same = x;
  same = same + 1;
  torch::Tensor* pointer = &x;
  *pointer = x * 2;
  fill(x, pointer);
  return *pointer;
}
