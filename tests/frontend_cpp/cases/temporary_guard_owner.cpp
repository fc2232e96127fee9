#include <torch/torch.h>
struct Scope {
  Scope() : guard(true) {}
  c10::InferenceMode guard;
};
void use() {
  Scope();
  auto made = Scope();
}
