// Names of the user's that LibTorch's headers leave free, next to `using` directives that make collisions easy.
#include <torch/torch.h>

using namespace torch;
using namespace std;

#define U 1
struct Any {};
struct Value {};
struct ThreadPool {};
struct Range {};
struct Net {};
namespace py {
int module = 0;
}
namespace vision {
struct Camera {};
}  // namespace vision
template <class T>
T maximum_of(T a, T b) {
  return max(a, b) + abs(a) + min(b, a) + sqrt(b) + pow(a, 2) + exp(b) + floor(a) + round(b);
}
double numbers(double x) {
  return maximum_of(x, 1.0) + maximum_of(1.0f, 2.0f) + log(x) + fabs(x) + sin(x) * ::cos(x);
}
static double mean(const vector<double>& values) {
  return accumulate(values.begin(), values.end(), 0.0) / values.size();
}
static Tensor normalize(const Tensor& x) {
  return (x - x.mean()) / x.std();
}
Tensor mixed(const vector<double>& values, Tensor x) {
  ThreadPool pool;
  vector<Tensor> tensors{x, x};
  sort(tensors.begin(), tensors.end(),
       [](const Tensor& a, const Tensor& b) { return a.item<float>() < b.item<float>(); });
  auto first = begin(tensors);
  (void)pool;
  return normalize(*first) * mean(values) + static_cast<int>(tensors.size());
}
void print_all(const vector<int64_t>& shape) {
  map<string, Tensor> named;
  named["x"] = torch::zeros(shape);
  for (const auto& item : named) cout << item.first << item.second.sizes() << endl;
}
