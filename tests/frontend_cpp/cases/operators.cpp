#include <torch/torch.h>
struct Scaled {
  Scaled operator+(const Scaled& other) const;
  Scaled& operator+=(int by);
  int operator[](int i);
  int operator()(int x);
  bool operator==(const Scaled&) const = default;
};
Scaled operator*(int by, const Scaled& x);
bool use(Scaled a, Scaled b, torch::Tensor x, torch::Tensor y) {
  a = a + b;
  a += a[1] + b(2);
  a = 3 * a;
  x = x * 2 + y[0];
  x += -y;
  x[1] = y;
  return a == b;
}
