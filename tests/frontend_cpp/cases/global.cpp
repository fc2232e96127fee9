#include <torch/torch.h>
torch::nn::Linear layer(4, 2);
static int count = 0;
extern int elsewhere;
namespace app {
namespace {
torch::Tensor cache;
}
inline namespace v1 {
void keep(torch::Tensor x) { cache = layer(x); }
}
}  // namespace app
void use(torch::Tensor x) {
  count += elsewhere;
  app::keep(x);
}
