// Every form in which user code enters, leaves or carries a grad mode.
#include <ATen/ThreadLocalState.h>
#include <torch/torch.h>

#include <future>
#include <memory>
#if __cplusplus >= 201703L
#include <optional>
#endif

static torch::Tensor work(torch::Tensor x) {
  return x * 2;
}

void forms(torch::Tensor x) {
  torch::NoGradGuard();
  torch::NoGradGuard{};
  c10::InferenceMode(true);
  torch::NoGradGuard vexing();
  torch::NoGradGuard no_grad;
  torch::InferenceMode inference;
  c10::InferenceMode disabled(false);
  at::InferenceMode enabled{true};
  at::AutoGradMode mode{false};
  torch::AutoGradMode other(true);
  torch::autograd::AutoGradMode same(false);
  at::AutoDispatchBelowAutograd below;
  at::AutoDispatchBelowADInplaceOrView inplace_or_view;
  torch::AutoNonVariableTypeMode legacy(true);
  auto boxed = std::make_unique<torch::NoGradGuard>();
  new torch::NoGradGuard;
  {
    at::NoGradGuard inner;
  }
#if __cplusplus >= 201703L
  auto copied = torch::NoGradGuard();
  std::optional<c10::InferenceMode> maybe;
  maybe.emplace(true);
#endif
  at::GradMode::set_enabled(false);
  torch::GradMode::set_enabled(torch::autograd::GradMode::is_enabled());
  bool on = c10::InferenceMode::is_enabled();
  (void)on;
  work(x);
}

void threads(torch::Tensor x) {
  torch::NoGradGuard guard;
  at::ThreadLocalState state;
  std::thread thread([&] {
    at::ThreadLocalStateGuard carried(state);
    work(x);
  });
  thread.join();
  auto future = std::async(std::launch::async, [&] { return work(x); });
  future.get();
  at::parallel_for(0, 4, 1, [&](int64_t begin, int64_t end) { work(x.slice(0, begin, end)); });
  auto sum = at::parallel_reduce(
      0, 4, 1, 0.0, [&](int64_t, int64_t, double value) { return value; }, [](double a, double b) { return a + b; });
  (void)sum;
  at::launch([&] { work(x); });
  at::intraop_launch([x] { work(x); });
  at::set_num_threads(2);
  torch::set_num_interop_threads(1);
}

class Session {
 public:
  Session() : guard_(true) {}
  torch::Tensor run(torch::Tensor x) { return work(x); }

 private:
  c10::InferenceMode guard_;
};
