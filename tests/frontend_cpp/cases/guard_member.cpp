#include <torch/torch.h>
struct Predictor {
  Predictor() : guard_() {}
  torch::NoGradGuard guard_;
};
struct Scoped {
  c10::InferenceMode mode{true};
};
struct Holder {
  std::unique_ptr<torch::NoGradGuard> guard_;
  void start() { guard_ = std::make_unique<torch::NoGradGuard>(); }
  void stop() { guard_.reset(); }
};
void use() {
  Scoped scoped;
  Predictor predictor;
}
