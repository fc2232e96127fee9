#include <torch/torch.h>
struct State {
  torch::Tensor hidden;
  std::vector<torch::Tensor> layers;
};
torch::Tensor f(torch::Tensor x);
void use(State& state, int i) {
  torch::Tensor& hidden = state.hidden;
  hidden = f(hidden);
  auto& layer = state.layers[i];
  layer = f(layer);
  const torch::Tensor& read = state.hidden;
  auto& made = *new torch::Tensor(f(read));
  made = f(made);
}
