#include <torch/torch.h>
void work();
void use(bool quick) {
  torch::NoGradGuard outer;
  {
    const c10::InferenceMode inner(true);
    work();
  }
  if (torch::AutoGradMode mode(false); quick) work();
  for (torch::NoGradGuard loop; quick;) work();
  work();
}
