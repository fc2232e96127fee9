#include <torch/torch.h>
using Guard = torch::NoGradGuard;
void work();
void use() {
  auto a = torch::NoGradGuard();
  Guard b{};
  at::NoGradGuard c = {};
  c10::InferenceMode d{false};
  work();
}
