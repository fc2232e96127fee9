// Styles of modules: implementation and holder, plain structs, containers, and calls through each of them.
#include <torch/torch.h>

#include "torch/nn/module.h"

namespace F = torch::nn::functional;
using namespace torch::indexing;

struct NetImpl : torch::nn::Module {
  NetImpl(int64_t width, bool residual = false)
      : conv(torch::nn::Conv2dOptions(3, width, 3).stride(2).padding(1).bias(false)), norm(width), residual_(residual) {
    register_module("conv", conv);
    register_module("norm", norm);
    fc = register_module("fc", torch::nn::Linear(torch::nn::LinearOptions(width, 10).bias(true)));
    scale = register_parameter("scale", torch::ones({1}), /*requires_grad=*/true);
    offset = register_buffer("offset", torch::zeros(10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(norm(conv->forward(x)));
    x = F::max_pool2d(x, F::MaxPool2dFuncOptions(2).stride(2));
    x = F::dropout(x, F::DropoutFuncOptions().p(0.5).training(is_training()));
    x = torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    return fc(x.view({x.size(0), -1})) * scale + offset;
  }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d norm;
  torch::nn::Linear fc{nullptr};
  torch::Tensor scale, offset;
  bool residual_;
};
TORCH_MODULE(Net);

class Plain : public torch::nn::Cloneable<Plain> {
 public:
  void reset() override { register_module("fc", fc); }
  torch::Tensor forward(const torch::Tensor& x) { return fc(x); }
  torch::nn::Linear fc{torch::nn::Linear(4, 4)};
};

struct Recurrent : torch::nn::Module {
  Recurrent() : lstm(torch::nn::LSTMOptions(8, 16).num_layers(2).batch_first(true)), gru(8, 16) {
    register_module("lstm", lstm);
    register_module("gru", gru);
    for (auto& parameter : lstm->named_parameters()) {
      if (parameter.key().find("weight") != std::string::npos) torch::nn::init::xavier_uniform_(parameter.value());
    }
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x, std::tuple<torch::Tensor, torch::Tensor> state) {
    lstm->flatten_parameters();
    auto result = lstm->forward(x, state);
    auto output = std::get<0>(result);
    torch::Tensor hidden = std::get<0>(std::get<1>(result));
    auto packed = torch::nn::utils::rnn::pack_padded_sequence(x, torch::tensor({3, 2, 1}), true);
    auto unpacked =
        torch::nn::utils::rnn::pad_packed_sequence(std::get<0>(lstm->forward_with_packed_input(packed)), true);
    torch::Tensor y;
    std::tie(y, hidden) = gru(std::get<0>(unpacked));
    return std::make_tuple(output + y, hidden);
  }
  torch::nn::LSTM lstm;
  torch::nn::GRU gru;
};

struct Attention : torch::nn::Module {
  torch::nn::MultiheadAttention attention{torch::nn::MultiheadAttentionOptions(16, 4)};
  torch::nn::Embedding embedding{torch::nn::EmbeddingOptions(100, 16)};
  torch::nn::LayerNorm norm{torch::nn::LayerNormOptions({16})};
  torch::nn::TransformerEncoder encoder{torch::nn::TransformerEncoder(
      torch::nn::TransformerEncoderLayer(torch::nn::TransformerEncoderLayerOptions(16, 2)), 2)};
  torch::Tensor forward(torch::Tensor ids) {
    auto x = norm(embedding->forward(ids));
    torch::Tensor weights;
    std::tie(x, weights) = attention->forward(x, x, x);
    return encoder->forward(x);
  }
};

void use(Net net, std::shared_ptr<Plain> plain, torch::nn::AnyModule any) {
  torch::Tensor x = torch::randn({1, 3, 8, 8}, torch::dtype(torch::kFloat32).device(torch::kCPU));
  net->eval();
  net->to(torch::Device(torch::kCUDA, 0));
  net->to(torch::kHalf);
  torch::Tensor y = net(x);
  y = net->forward(x);
  y = plain->forward(y);
  y = (*plain).forward(y);
  y = any.forward(x);
  auto z = any.forward<std::tuple<torch::Tensor, torch::Tensor>>(x, y);
  torch::nn::Sequential layers(torch::nn::Linear(3, 4), torch::nn::ReLU(torch::nn::ReLUOptions(true)),
                               torch::nn::Functional(torch::relu), torch::nn::Functional(torch::log_softmax, 1),
                               torch::nn::Functional([](torch::Tensor t) { return t.flatten(1); }), Net(3));
  torch::nn::Sequential named({{"first", torch::nn::Linear(1, 2)}, {"second", torch::nn::Tanh()}});
  layers->push_back(torch::nn::Dropout(0.5));
  layers->push_back("last", torch::nn::Softmax(torch::nn::SoftmaxOptions(1)));
  layers->extend(*named);
  y = layers->forward(y);
  y = layers(y);
  for (const auto& layer : *layers) (void)layer.ptr();
  torch::nn::ModuleList list;
  for (int i = 0; i < 3; ++i) list->push_back(torch::nn::Linear(3, 3));
  for (const auto& module : *list) y = module->as<torch::nn::Linear>()->forward(y);
  y = list[0]->as<torch::nn::LinearImpl>()->forward(y);
  y = list->at<torch::nn::LinearImpl>(1).forward(y);
  torch::nn::ModuleDict dict;
  dict->update(std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>>{{"fc", plain}});
  y = dict["fc"]->as<Plain>()->forward(y);
  for (auto& child : net->children()) {
    if (auto* linear = child->as<torch::nn::Linear>()) y = linear->forward(y);
  }
  for (auto& pair : net->named_parameters()) pair.value().set_requires_grad(false);
  for (auto& parameter : net->parameters()) parameter.requires_grad_(false);
  for (const auto& item : net->named_modules("", false)) std::cout << item.key() << *item.value();
  net->apply([](torch::nn::Module& module) {
    if (auto* conv = module.as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(conv->weight, 0.0, torch::kFanOut, torch::kReLU);
      int64_t fan = conv->options.in_channels() * 9;
      (void)fan;
    }
  });
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
  std::cout << net << y << std::get<0>(z);
}

struct Head : torch::nn::Module {
  ~Head() override = default;
  void pretty_print(std::ostream& stream) const override { stream << "Head"; }
  void train(bool on = true) override { torch::nn::Module::train(on); }
};

template <class Model>
torch::Tensor predict(Model& model, torch::Tensor x) {
  torch::NoGradGuard guard;
  model->eval();
  return model->forward(x);
}
torch::Tensor instantiate(Net& net, torch::Tensor x) {
  return predict(net, x);
}
