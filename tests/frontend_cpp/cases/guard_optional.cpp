#include <torch/torch.h>
#include <memory>
#include <optional>
void work();
void use(bool training) {
  std::unique_ptr<torch::NoGradGuard> pointer;
  if (!training) pointer = std::make_unique<torch::NoGradGuard>();
  std::optional<c10::InferenceMode> maybe;
  maybe.emplace(true);
  work();
  maybe.reset();
  pointer = nullptr;
  auto full = std::make_unique<torch::NoGradGuard>();
  work();
}
