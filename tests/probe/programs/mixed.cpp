// A leaky loop, a guarded loop, a training step, a checkpointed block and a thread that does not have its caller's
// guard.
#include <torch/torch.h>

#include <cstdio>
#include <cstring>
#include <future>
#include <unistd.h>

struct Denoiser : torch::nn::Module {
  torch::nn::Linear up{nullptr}, down{nullptr};
  Denoiser() {
    up = register_module("up", torch::nn::Linear(32, 64));
    down = register_module("down", torch::nn::Linear(64, 32));
  }
  torch::Tensor forward(const torch::Tensor& x, double t) { return x - 0.1 * down(torch::relu(up(x + t))); }
};

static torch::Tensor sample(Denoiser& model, torch::Tensor x, int steps) {
  for (int t = 0; t < steps; ++t)
    x = model.forward(x, t * 0.01);  // leaky
  return x;
}

static torch::Tensor sample_guarded(Denoiser& model, torch::Tensor x, int steps) {
  c10::InferenceMode guard;
  for (int t = 0; t < steps; ++t)
    x = model.forward(x, t * 0.01);  // guarded
  return x;
}

static void train(Denoiser& model, const torch::Tensor& x) {
  torch::Tensor y = model.forward(x, 0.1);  // trained
  y.pow(2).mean().backward();
}

// Keeps its input only, and computes the forward again when backward comes.
struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, Denoiser* model) {
    context->save_for_backward({x});
    context->saved_data["model"] = reinterpret_cast<int64_t>(model);
    return model->forward(x, 0.2);  // checkpointed
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto* model = reinterpret_cast<Denoiser*>(context->saved_data["model"].toInt());
    torch::AutoGradMode on(true);
    torch::Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    torch::Tensor y = model->forward(x, 0.2);  // recomputed
    torch::autograd::backward({y}, gradients);
    return {x.grad(), torch::Tensor()};
  }
};

static void train_checkpointed(Denoiser& model, const torch::Tensor& x) {
  torch::Tensor y = Checkpoint::apply(x.clone().requires_grad_(), &model);  // applied
  y.sum().backward();
}

static void work(Denoiser& model, const torch::Tensor& x) {
  torch::Tensor y = model.forward(x, 0.5);  // thread
  std::printf("%ld\n", y.argmax().item<int64_t>());
}

static void never(Denoiser& model, const torch::Tensor& x) {
  torch::Tensor y = model.forward(x, 1.0);  // never
  std::printf("%ld\n", y.argmax().item<int64_t>());
}

int main(int argc, char** argv) {
  Denoiser model;
  torch::Tensor x = torch::randn({16, 32});
  sample(model, x, 8);
  sample_guarded(model, x, 8);
  train(model, x);
  train_checkpointed(model, x);
  {
    torch::NoGradGuard guard;
    std::async(std::launch::async, [&] { work(model, x); }).get();
  }
  if (argc > 2) never(model, x);
  if (argc > 1 && std::strcmp(argv[1], "_exit") == 0) {
    std::fflush(nullptr);
    ::_exit(3);
  }
}
