// Training and evaluation: loaders, optimizers, closures, schedulers, and gradients of gradients.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(fc(x), 1); }
  torch::nn::Linear fc{register_module("fc", torch::nn::Linear(784, 10))};
};
TORCH_MODULE(Net);

class Numbers : public torch::data::datasets::Dataset<Numbers> {
 public:
  torch::data::Example<> get(size_t index) override { return {torch::ones({1}) * double(index), torch::zeros({1})}; }
  torch::optional<size_t> size() const override { return 100; }
};

template <class Loader>
void train(Net model, Loader& loader, torch::optim::Optimizer& optimizer, torch::Device device) {
  model->train();
  for (auto& batch : loader) {
    auto data = batch.data.to(device), target = batch.target.to(device);
    optimizer.zero_grad();
    auto loss = torch::nll_loss(model->forward(data), target);
    loss.backward();
    optimizer.step();
  }
}

void run(torch::Device device) {
  Net model;
  auto dataset = torch::data::datasets::MNIST("data", torch::data::datasets::MNIST::Mode::kTest)
                     .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                     .map(torch::data::transforms::Stack<>());
  const size_t count = dataset.size().value();
  auto loader =
      torch::data::make_data_loader(std::move(dataset), torch::data::DataLoaderOptions().batch_size(64).workers(2));
  auto sequential = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Numbers().map(torch::data::transforms::Stack<>()), 8);
  auto sampled = torch::data::make_data_loader(Numbers(), torch::data::samplers::RandomSampler(100),
                                               torch::data::DataLoaderOptions(4));
  torch::optim::SGD sgd(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5).nesterov(true));
  torch::optim::Adam adam(model->parameters(), 1e-3);
  torch::optim::AdamW groups({torch::optim::OptimizerParamGroup(model->parameters())},
                             torch::optim::AdamWOptions(1e-3).betas(std::make_tuple(0.9, 0.95)).weight_decay(0.1));
  torch::optim::StepLR scheduler(sgd, 30, 0.1);
  train(model, *loader, sgd, device);
  for (auto& batch : *sequential) {
    torch::Tensor output = model(batch.data);
    double loss = torch::mse_loss(output, batch.target, torch::Reduction::Sum).item<double>();
    (void)loss;
  }
  for (torch::data::Example<>& batch : *loader) model->forward(batch.data);
  for (auto& batch : *sampled) {
    for (auto& example : batch) model->forward(example.data);
  }
  torch::optim::LBFGS lbfgs(model->parameters(), torch::optim::LBFGSOptions(1).max_iter(20));
  lbfgs.step([&]() {
    lbfgs.zero_grad();
    auto loss = model->forward(torch::rand({1, 784})).sum();
    loss.backward();
    return loss;
  });
  for (auto& group : sgd.param_groups()) {
    static_cast<torch::optim::SGDOptions&>(group.options()).lr(0.001);
    if (group.has_options()) group.options().set_lr(group.options().get_lr() * 0.9);
  }
  scheduler.step();
  torch::save(model, "model.pt");
  torch::load(model, "model.pt");
  torch::save(adam, "adam.pt");
  torch::serialize::OutputArchive archive;
  model->save(archive);
  archive.save_to("archive.pt");
  std::unique_ptr<torch::optim::Optimizer> chosen = std::make_unique<torch::optim::Adam>(model->parameters());
  chosen->step();
  std::cout << count;
}

// A loader that is named by its type.
struct Trainer {
  using Data = torch::data::datasets::MapDataset<Numbers, torch::data::transforms::Stack<>>;
  std::unique_ptr<torch::data::StatelessDataLoader<Data, torch::data::samplers::RandomSampler>> loader =
      torch::data::make_data_loader(Numbers().map(torch::data::transforms::Stack<>()), 4);
  void epoch(Net& net) {
    for (auto& batch : *loader) net->forward(batch.data).sum().backward();
  }
};

struct Square : torch::autograd::Function<Square> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor x) {
    context->save_for_backward({x});
    context->saved_data["power"] = 2;
    return x * x;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    auto saved = context->get_saved_variables();
    return {2 * saved[0] * gradients[0] * context->saved_data["power"].toInt()};
  }
};

void penalty(Net critic, torch::Tensor real) {
  real.set_requires_grad(true);
  auto score = critic->forward(real);
  auto gradients = torch::autograd::grad({score}, {real}, {torch::ones_like(score)}, true, true)[0];
  (gradients.norm(2, 1) - 1).pow(2).mean().backward();
  torch::autograd::backward({score.sum()}, {});
  auto squared = Square::apply(real);
  squared.sum().backward({}, /*keep_graph=*/true);
  real.grad().zero_();
  real.mutable_grad() = torch::Tensor();
  torch::autograd::Variable variable = squared.detach();
}
