// Three measurements of what a forward retains must agree to the byte: the allocator (grad mode against inference
// mode), the ledger, and the arithmetic of the layers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cmath>
#include <future>
#include <thread>

#include "probe/include/deadgrad/probe.h"

namespace deadgrad::probe {

using torch::Tensor;
namespace nn = torch::nn;

static deadgrad_probe_totals totals() {
  deadgrad_probe_totals now;
  deadgrad_probe_read(&now);
  return now;
}

class Bytes : public testing::Test {
 protected:
  void SetUp() override {
    torch::manual_seed(0);
    at::set_num_threads(1);
    ASSERT_EQ(deadgrad_probe_install(DEADGRAD_PROBE_ALLOCATOR | DEADGRAD_PROBE_SAVED), 0);
    deadgrad_probe_reset();
  }
};

struct Retained {
  std::int64_t by_allocator, by_ledger;
};

template <class Forward>
static Retained retained(Forward forward) {
  std::int64_t guarded;
  {
    c10::InferenceMode guard;
    const std::int64_t before = totals().live;
    Tensor out = forward();
    guarded = totals().live - before;
  }
  const std::int64_t before = totals().live;
  Tensor out = forward();
  return {totals().live - before - guarded, totals().saved_only};
}

template <class Forward>
static void expect_retained(std::int64_t arithmetic, Forward forward) {
  Retained bytes = retained(forward);
  EXPECT_EQ(bytes.by_allocator, arithmetic);
  EXPECT_EQ(bytes.by_ledger, arithmetic);
  EXPECT_EQ(totals().saved, 0) << "the graph is gone";
}

static nn::Sequential mlp(std::int64_t width, std::int64_t hidden, int depth) {
  nn::Sequential net;
  for (int i = 0; i < depth; ++i) {
    net->push_back(nn::Linear(i == 0 ? width : hidden, i + 1 == depth ? width : hidden));
    if (i + 1 < depth) net->push_back(nn::ReLU());
  }
  return net;
}

static nn::Sequential conv_net(std::int64_t channels, int depth) {
  nn::Sequential net;
  for (int i = 0; i < depth; ++i) {
    net->push_back(nn::Conv2d(nn::Conv2dOptions(i == 0 ? 3 : channels, i + 1 == depth ? 3 : channels, 3).padding(1)));
    if (i + 1 == depth) break;
    net->push_back(nn::BatchNorm2d(channels));
    net->push_back(nn::SiLU());
  }
  net->eval();
  return net;
}

// Attention written out: the fused kernel saves other tensors on each device.
struct Block : nn::Module {
  std::int64_t width, heads;
  nn::LayerNorm norm1, norm2;
  nn::Linear qkv, out, up, down;

  Block(std::int64_t width, std::int64_t heads, std::int64_t hidden)
      : width(width),
        heads(heads),
        norm1(nn::LayerNormOptions({width})),
        norm2(nn::LayerNormOptions({width})),
        qkv(width, 3 * width),
        out(width, width),
        up(width, hidden),
        down(hidden, width) {
    register_module("norm1", norm1), register_module("norm2", norm2), register_module("qkv", qkv);
    register_module("out", out), register_module("up", up), register_module("down", down);
  }

  Tensor forward(Tensor x) {
    const auto batch = x.size(0), length = x.size(1);
    Tensor parts = qkv(norm1(x)).view({batch, length, 3, heads, width / heads}).permute({2, 0, 3, 1, 4});
    Tensor scores = torch::matmul(parts[0], parts[1].transpose(-2, -1)) / std::sqrt(double(width / heads));
    Tensor mixed = torch::matmul(torch::softmax(scores, -1), parts[2]).transpose(1, 2).reshape({batch, length, width});
    x = x + out(mixed);
    return x + down(torch::gelu(up(norm2(x))));
  }
};

TEST_F(Bytes, OfTheAllocator) {
  const std::int64_t before = totals().live;
  Tensor big = torch::empty({1000, 1000});
  Tensor small = torch::empty({7});
  EXPECT_EQ(totals().live - before, 4000028);
  Tensor view = big.view({-1});
  EXPECT_EQ(totals().live - before, 4000028) << "a view owns nothing";
  small.resize_({1000});
  EXPECT_EQ(totals().live - before, 4004000);
  std::thread([moved = std::move(small)]() mutable { moved = Tensor(); }).join();
  EXPECT_EQ(totals().live - before, 4000000) << "freed on another thread";
}

TEST_F(Bytes, OfTheAllocatorOnManyThreads) {
  const std::int64_t before = totals().live;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      for (int i = 0; i < 5000; ++i) torch::empty({i % 512 + 1});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(totals().live, before);
}

TEST_F(Bytes, OfAnMlp) {
  nn::Sequential net = mlp(128, 512, 6);
  Tensor x = torch::randn({64, 128});
  // Each ReLU keeps its result, which is the next layer's input: five hidden tensors.
  expect_retained(5 * 64 * 512 * 4, [&] { return net->forward(x); });
}

TEST_F(Bytes, OfAnMlpInTrainingParts) {
  nn::Sequential net = mlp(128, 512, 6);
  Tensor x = torch::randn({64, 128});
  for (Tensor& parameter : net->parameters()) parameter.requires_grad_(false);
  expect_retained(0, [&] { return net->forward(x); });
  net->parameters()[10].requires_grad_(true);  // the last layer's weight needs its own input
  expect_retained(64 * 512 * 4, [&] { return net->forward(x); });
}

TEST_F(Bytes, OfAConvNet) {
  nn::Sequential net = conv_net(32, 5);
  Tensor x = torch::randn({2, 3, 32, 32});
  // Convolution, batch norm and SiLU keep their inputs: three maps for each of four stages.
  expect_retained(3 * 4 * (2 * 32 * 32 * 32) * 4, [&] { return net->forward(x); });
}

TEST_F(Bytes, OfATransformerBlock) {
  const std::int64_t batch = 2, length = 64, width = 128, heads = 4, hidden = 512;
  Block block(width, heads, hidden);
  Tensor x = torch::randn({batch, length, width});
  const std::int64_t token = batch * length * width * 4, score = batch * heads * length * length * 4;
  const std::int64_t middle = batch * length * hidden * 4, statistic = batch * length * 4;
  // Beside the input: norm1's result; q, k, v; mixed; norm2's input and result. Then the softmax, gelu's input and
  // result, and mean and deviation of two norms.
  expect_retained(7 * token + score + 2 * middle + 4 * statistic, [&] { return block.forward(x); });
}

static Tensor denoise(nn::Sequential& net, const Tensor& x, double t) {
  return x - 0.1 * net->forward(x + t);
}

TEST_F(Bytes, OfADenoiseLoopGrowByTheSameAmountEveryStep) {
  nn::Sequential net = mlp(128, 512, 4);
  Tensor start = torch::randn({64, 128});
  const std::int64_t step = 3 * 64 * 512 * 4 + 64 * 128 * 4;
  const std::int64_t out = 64 * 128 * 4;
  for (int steps : {1, 2, 4, 8, 16, 32}) {
    for (bool guarded : {false, true}) {
      c10::InferenceMode guard(guarded);
      const std::int64_t before = totals().live;
      Tensor x = start;
      for (int t = 0; t < steps; ++t) x = denoise(net, x, t * 0.01);
      const std::int64_t retained = guarded ? 0 : steps * step;
      // A number that tensors are multiplied with is a tensor of 8 bytes to older versions, and saved.
      const std::int64_t numbers = totals().saved_only - retained;
      EXPECT_GE(numbers, 0);
      EXPECT_LE(numbers, guarded ? 0 : 8 * steps);
      EXPECT_EQ(totals().live - before, out + retained + numbers);
    }
  }
}

TEST_F(Bytes, KeptByALoopThatCollectsItsResults) {
  nn::Sequential net = mlp(128, 512, 2);
  Tensor x = torch::randn({64, 128});
  std::vector<Tensor> results;
  for (int i = 1; i <= 4; ++i) {
    results.push_back(net->forward(x));
    EXPECT_EQ(totals().saved_only, i * 64 * 512 * 4);
  }
  for (Tensor& result : results) result = result.detach();
  EXPECT_EQ(totals().saved_only, 0);
  EXPECT_EQ(totals().wasted_only, 4 * 64 * 512 * 4);
}

TEST_F(Bytes, OfATrainingStepAreUsed) {
  nn::Sequential net = mlp(128, 512, 4);
  Tensor x = torch::randn({64, 128});
  net->forward(x).pow(2).mean().backward();
  EXPECT_GE(totals().used, 3 * 64 * 512 * 4);
  EXPECT_EQ(totals().wasted, 0);
  net->forward(x);
  EXPECT_EQ(totals().wasted_only, 3 * 64 * 512 * 4);
}

TEST_F(Bytes, OfAThreadWithoutTheCallersGuard) {
  nn::Sequential net = mlp(128, 512, 4);
  Tensor x = torch::randn({64, 128});
  c10::InferenceMode guard;
  std::async(std::launch::async, [&] { net->forward(torch::randn({64, 128})); }).get();
  EXPECT_EQ(totals().wasted_only, 3 * 64 * 512 * 4 + 64 * 128 * 4);
  net->forward(x);
  EXPECT_EQ(totals().packs, 4 + 3 + 3) << "inputs of four layers, results and weights of three";
}

TEST_F(Bytes, OnTheMetaDeviceTakeNoMemory) {
  const std::int64_t before = totals().live;
  const auto meta = torch::TensorOptions(torch::Device("meta")).requires_grad(true);
  const Tensor up = torch::empty({4096, 16384}, meta), middle = torch::empty({16384, 16384}, meta);
  const Tensor down = torch::empty({16384, 4096}, meta);
  auto model = [&](const Tensor& x) { return x.mm(up).sigmoid().mm(middle).sigmoid().mm(middle).sigmoid().mm(down); };
  Tensor x = torch::empty({1024, 4096}, torch::Device("meta"));  // ReLU has its meta kernel in Python
  for (int t = 0; t < 50; ++t) x = x - 0.1 * model(x + t);
  const std::int64_t step = (3 * 16384 + 4096) * std::int64_t(1024) * 4;  // 11 GB in fifty steps
  EXPECT_GE(totals().saved_only, 50 * step);
  EXPECT_LE(totals().saved_only, 50 * (step + 8));
  EXPECT_LT(totals().live - before, 1 << 20);
}

TEST_F(Bytes, GradientsAreTheSameWithTheProbe) {
  auto train = [] {
    torch::manual_seed(1);
    nn::Sequential net = mlp(16, 32, 3);
    torch::optim::AdamW optimizer(net->parameters());
    Tensor x = torch::randn({8, 16});
    for (int i = 0; i < 5; ++i) {
      optimizer.zero_grad();
      net->forward(x).pow(2).mean().backward();
      optimizer.step();
    }
    return torch::cat({net->parameters()[0].flatten(), net->parameters()[0].grad().flatten()});
  };
  Tensor with_probe = train();
  deadgrad_probe_uninstall();
  EXPECT_TRUE(torch::equal(with_probe, train()));
}

TEST_F(Bytes, ModificationInPlaceStillRaises) {
  Tensor x = torch::randn({4}, torch::requires_grad());
  Tensor y = x.exp();
  y.add_(1);
  EXPECT_THROW(y.sum().backward(), c10::Error);

  Tensor a = torch::randn({4, 4}, torch::requires_grad()), b = torch::randn({4, 4});
  Tensor c = a.mm(b);
  b.zero_();
  EXPECT_THROW(c.sum().backward(), c10::Error);

  Tensor fine = x.exp();
  fine.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), fine));
}

TEST_F(Bytes, DoubleBackwardWorks) {
  Tensor x = torch::randn({100}, torch::requires_grad());
  Tensor first = torch::autograd::grad({x.pow(3).sum()}, {x}, {}, true, true)[0];
  first.sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad(), 6 * x));
}

TEST_F(Bytes, OfAForkedChildAreItsOwn) {
  nn::Sequential net = mlp(16, 32, 3);
  Tensor x = torch::randn({8, 16});
  Tensor held = net->forward(x);
  std::thread busy([&] {
    for (int i = 0; i < 200; ++i) net->forward(x);
  });
  const pid_t child = ::fork();
  if (child == 0) {
    const bool clean = totals().saved == 0;
    Tensor out = net->forward(x);
    held = Tensor();
    ::_exit(clean && totals().saved_only == 2 * 8 * 32 * 4 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  busy.join();
  EXPECT_EQ(status, 0);
}

TEST_F(Bytes, OfScopesAreWrittenStepByStep) {
  nn::Sequential net = mlp(128, 512, 2);
  Tensor x = torch::randn({64, 128}, torch::requires_grad());
  Scope scope("sample");
  std::vector<Tensor> results;
  for (int i = 0; i < 3; ++i) {
    scope.step();
    results.push_back(net->forward(x));
  }
  scope.step();
  const std::string path = testing::TempDir() + "deadgrad_scope.json";
  ASSERT_EQ(deadgrad_probe_report(path.c_str()), 0);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  std::string text(1 << 20, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_NE(text.find(R"("name":"sample","saved_only":{"stride":1,"points":[0,131072,262144,393216]})"),
            std::string::npos)
      << text;
  EXPECT_NE(deadgrad_probe_report("/nowhere/at/all.json"), 0);
}

}  // namespace deadgrad::probe
