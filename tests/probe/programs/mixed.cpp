// A leaky loop, a guarded loop, a training step and a thread that does not have its caller's guard.
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
