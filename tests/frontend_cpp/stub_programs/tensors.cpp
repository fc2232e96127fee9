// Tensors: making, indexing, reading, operators, and results that are not one tensor.
#include <ATen/ATen.h>
#include <torch/torch.h>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

void make(std::vector<float>& data, at::IntArrayRef shape, std::vector<int64_t> sizes) {
  auto options = torch::TensorOptions().dtype(torch::kFloat).device(torch::kCUDA, 1).requires_grad(true);
  torch::Tensor a = torch::from_blob(data.data(), {1, 3, 4}, options).clone();
  auto b = torch::from_blob(data.data(), shape, [](void*) {}, torch::kFloat32);
  auto c = torch::zeros(sizes), d = torch::full({2, 2}, 3.5), e = torch::arange(0, 10, torch::kLong), f = torch::eye(3);
  auto g = torch::tensor({1.0, 2.0}, torch::dtype(torch::kDouble)), h = torch::tensor({{1, 2}, {3, 4}}),
       i = torch::tensor(data);
  auto j = torch::rand_like(a), k = torch::randint(0, 5, {3}), l = torch::empty({0}, a.options()),
       m = torch::randperm(4);
  auto n = torch::linspace(0, 1, 5), o = torch::normal(0.0, 1.0, {2, 3}), p = torch::cat({a, b}, 0),
       q = torch::stack({c, d}, 1);
  at::Tensor r = at::where(a > 0, a, at::zeros_like(a)), s = torch::einsum("ij,jk->ik", {a, b});
  std::vector<torch::Tensor> many{a, b, c};
  auto t = torch::cat(many), u = torch::cat(std::vector<at::Tensor>{a}, -1);
  torch::Tensor undefined;
  if (undefined.defined()) undefined = {};
  undefined = torch::Tensor();
}

void read(torch::Tensor x) {
  float first = x.item<float>();
  double second = x.item().toDouble();
  int64_t rows = x.size(0), total = x.numel();
  auto size = x.sizes();
  std::vector<int64_t> copied = x.sizes().vec();
  float* data = x.data_ptr<float>();
  std::memcpy(data, x.data_ptr(), x.numel() * sizeof(float));
  auto accessor = x.accessor<float, 3>();
  float value = accessor[0][1][2];
  auto packed = x.packed_accessor32<float, 2, torch::RestrictPtrTraits>();
  value += packed[0][1] + x[0][1].item<float>();
  if (x.dtype() == torch::kFloat && x.scalar_type() != torch::kLong && x.device().is_cuda()) value = 1;
  if (x.device() == torch::kCPU || x.is_contiguous() || torch::equal(x, x) || torch::allclose(x, x, 1e-5)) value = 2;
  if (size == copied || x.sizes() != x.sizes()) value = size[0] * 1.0f;
  switch (x.scalar_type()) {
    case torch::kFloat:
      break;
    default:
      break;
  }
  for (auto extent : x.sizes()) rows += extent;
  TORCH_CHECK(rows > 0, "rows: ", rows, " of ", total);
  std::cout << x << x.sizes() << x.dtype() << x.device() << first << second;
}

void index(torch::Tensor x) {
  auto a = x.index({Slice(), Slice(0, 2), None, Ellipsis, 1}), b = x.index({"...", 0}),
       c = x.index({x > 0.5, torch::indexing::Slice(None, 3)});
  x.index_put_({Slice(), 0}, 1.0);
  x.index_put_({x > 0}, a);
  x.index({0, Slice(1, None, 2)}) = b;
  x[0] = c;
  x[0][1] = 3.0;
  x.slice(0, 1, 2).copy_(a);
  auto d = x.select(1, 0)
               .unsqueeze(0)
               .squeeze()
               .permute({0, 2, 1})
               .transpose(0, 1)
               .contiguous()
               .to(torch::kCPU, true)
               .view({-1, 4});
  auto e = x.to(torch::kFloat)
               .to(a.device())
               .to(a)
               .to(torch::TensorOptions().dtype(torch::kByte))
               .repeat({1, 2})
               .expand({3, -1});
  auto f = x.sum({1, 2}, true).mean().std().pow(2).clamp(0, 1).mul_(255).add_(0.5, 2).div(2).masked_fill(x == 0, -1e9);
  x += 1;
  x -= a;
  x *= 2.0;
  x = 1 - x / 2 + x * a - 3.0f * x;
  x = (x >= 0).logical_and(x < 1) & (a != b) | ~(c == 1);
  x = -x;
}

void several(torch::Tensor x) {
  auto largest = x.max(1);
  auto values = std::get<0>(largest), where = std::get<1>(largest);
  torch::Tensor one = x.max(), elementwise = torch::max(x, one);
  torch::Tensor low, at;
  std::tie(low, at) = torch::min(x, 0, true);
  std::tie(low, at) = x.topk(5, 1, true, true);
  std::tie(low, at) = x.sort(-1, true);
  std::tuple<torch::Tensor, torch::Tensor> kth = x.kthvalue(2);
#if __cplusplus >= 201703L
  auto [u, s, v] = torch::svd(x);
  auto [deviation, mean] = torch::std_mean(x, 1);
#endif
  std::vector<torch::Tensor> parts = x.split(2, 1);
  for (const auto& part : x.chunk(3, 0)) low = low + part;
  for (auto& row : torch::unbind(x)) low = row;
  auto grid = torch::meshgrid({x, x});
  auto top = std::get<0>(torch::_unique2(x, true, true));
  std::function<torch::Tensor(torch::Tensor)> activation = torch::tanh;
  low = activation(grid[0]);
  torch::Tensor (*pointer)(const torch::Tensor&) = torch::sigmoid;
  low = pointer(torch::softmax(torch::layer_norm(x, {4}), -1));
  auto product = torch::matmul(x, x.t()), spectrum = torch::fft::rfft(x), inverse = torch::linalg::inv(x);
  auto bad = torch::isnan(x).any().item<bool>();
  torch::save(x, "x.pt");
  torch::load(x, "x.pt");
  torch::save(parts, "parts.pt");
  auto count = x.argmax(1).eq(at).sum().template item<int64_t>();
  x.detach().cpu().numpy_T();
  x.detach_();
  x.register_hook([](torch::Tensor gradient) { return gradient * 2; });
  (void)bad, (void)count;
}

void options(c10::optional<torch::Tensor> mask, torch::optional<int64_t> dim = torch::nullopt) {
  if (mask.has_value() && mask->defined()) several(*mask);
  if (dim) std::cout << dim.value();
  torch::manual_seed(0);
  torch::cuda::manual_seed_all(1);
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::cuda::synchronize();
  at::globalContext().setBenchmarkCuDNN(true);
  AT_DISPATCH_FLOATING_TYPES(mask->scalar_type(), "options", ([&] { mask->data_ptr<scalar_t>(); }));
}
