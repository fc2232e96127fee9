#include <torch/script.h>
at::Tensor use(at::Tensor x) {
  torch::jit::script::Module module = torch::jit::load("net.pt");
  module.eval();
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(x);
  at::Tensor a = module.forward(inputs).toTensor();
  auto b = module({x}).toTensor();
  auto c = module.run_method("encode", x).toTensor();
  auto d = module.get_method("decode")({x}).toTuple()->elements()[0].toTensor();
  torch::jit::Method method = module.get_method("encode");
  return method({b, c}).toTensor() + a + d;
}
