// TorchScript, mobile and ahead-of-time compiled models.
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cpu.h>
#include <torch/csrc/jit/mobile/import.h>
#include <torch/script.h>

#include <memory>

torch::jit::script::Module load(const std::string& path, torch::Device device) {
  torch::jit::Module module = torch::jit::load(path, device);
  module.to(device);
  module.to(torch::kHalf);
  module.eval();
  module = torch::jit::freeze(module);
  module = torch::jit::optimize_for_inference(module);
  try {
    module = torch::jit::load(path.c_str());
  } catch (const c10::Error& error) {
    std::cerr << error.what() << error.msg();
  }
  return module;
}

torch::Tensor run(torch::jit::Module& module, torch::Tensor x) {
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(x);
  inputs.emplace_back(torch::ones({1, 3, 8, 8}));
  std::vector<c10::IValue> more{x, 1, 2.0, "text", true, std::vector<int64_t>{1, 2}, torch::List<torch::Tensor>()};
  at::Tensor output = module.forward(inputs).toTensor();
  output = module.forward({x}).toTensor().to(torch::kCPU);
  output = module({x, x}).toTensor();
  auto tuple = module.forward({x.to(at::kCUDA)}).toTuple();
  output = tuple->elements()[0].toTensor();
  for (const auto& element : module.forward({x}).toTuple()->elements()) output = element.toTensor();
  auto list = module.forward(inputs).toList();
  for (size_t i = 0; i < list.size(); ++i) output = list.get(i).toTensor();
  for (const torch::Tensor& each : module.forward(inputs).toTensorVector()) output = each;
  auto dictionary = module.forward(inputs).toGenericDict();
  output = dictionary.at("boxes").toTensor();
  for (auto it = dictionary.begin(); it != dictionary.end(); ++it) output = it->value().toTensor();
  output = module.get_method("encode")({x}).toTensor();
  output = module.run_method("decode", x, 3).toTensor();
  if (auto method = module.find_method("predict")) output = (*method)({x}).toTensor();
  auto value = module.forward({x});
  if (value.isTensor()) output = value.toTensor();
  if (value.isTuple()) output = value.toTuple()->elements().at(1).toTensor();
  auto names = module.attr("names").toList();
  std::cout << names.get(0).toStringRef() << value.tagKind();
  auto pair = module.forward({x}).to<std::tuple<torch::Tensor, torch::Tensor>>();
  for (const auto& parameter : module.named_parameters()) std::cout << parameter.name << parameter.value.sizes();
  for (torch::Tensor parameter : module.parameters()) parameter.requires_grad_(false);
  for (const auto& child : module.named_children()) std::cout << child.name << child.value.is_training();
  return output + std::get<0>(pair);
}

class Detector {
 public:
  explicit Detector(const std::string& path)
      : module_(torch::jit::load(path)), shared_(std::make_shared<torch::jit::Module>(module_)) {}
  torch::Tensor operator()(torch::Tensor x) {
    torch::InferenceMode guard;
    return shared_->forward({x}).toTensor() + module_.forward(std::vector<torch::jit::IValue>{x}).toTensor();
  }

 private:
  torch::jit::script::Module module_;
  std::shared_ptr<torch::jit::Module> shared_;
};

void others(torch::Tensor x) {
  torch::jit::mobile::Module mobile = torch::jit::_load_for_mobile("model.ptl", torch::kCPU);
  x = mobile.forward({x}).toTensor();
  x = mobile.get_method("run")({x}).toTensor();
  torch::inductor::AOTIModelContainerRunnerCpu runner("model.so");
  std::vector<torch::Tensor> inputs = {x};
  x = runner.run(inputs)[0];
  torch::inductor::AOTIModelPackageLoader loader("model.pt2");
  x = loader.run(inputs)[0];
  torch::jit::setGraphExecutorOptimize(false);
  torch::jit::getProfilingMode() = false;
  torch::jit::GraphOptimizerEnabledGuard optimizer(false);
  torch::jit::ExtraFilesMap files{{"config.json", ""}};
  auto module = torch::jit::load("model.pt", torch::kCPU, files);
  module.save("copy.pt");
  auto unit = torch::jit::compile("def relu(x): return torch.relu(x)");
  x = unit->run_method("relu", x).toTensor();
  auto future = module.get_method("forward").run_async({x});
  future->wait();
  x = future->value().toTensor();
  torch::jit::Stack stack{x};
  module.get_method("forward").run(stack);
  x = torch::jit::pop(stack).toTensor();
  auto bytes = torch::pickle_save(x);
  x = torch::pickle_load(bytes).toTensor();
  c10::Dict<std::string, torch::Tensor> dictionary;
  dictionary.insert("x", x);
  module.forward({dictionary, std::make_tuple(x, x), torch::IValue(), c10::nullopt});
  c10::List<torch::Tensor> list({x, x});
  list.push_back(x);
  module.forward({list});
}
