#include <torch/torch.h>
struct Session {
  torch::NoGradGuard* guard = nullptr;
  void begin() { guard = new torch::NoGradGuard(); }
  void end() { delete guard; }
};
void kept() {
  std::unique_ptr<torch::NoGradGuard> guard(new torch::NoGradGuard);
  guard.reset(new torch::NoGradGuard);
}
