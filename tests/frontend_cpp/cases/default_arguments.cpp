#include <torch/torch.h>
torch::Tensor run(torch::Tensor x, bool train = false, torch::Tensor mask = {}) { return train ? x : mask; }
torch::Tensor use(torch::Tensor x) { return run(x) + run(x, true); }
