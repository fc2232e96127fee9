#include <torch/torch.h>
void work();
void use() {
  torch::NoGradGuard();
  torch::NoGradGuard{};
  (void)c10::InferenceMode(true);
  torch::NoGradGuard guard();
  work();
}
