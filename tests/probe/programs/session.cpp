// Has a probe of its own, linked statically.
#include <ATen/ATen.h>

#include "deadgrad/probe.h"

int main() {
  deadgrad::probe::Session session("report.json");
  deadgrad::probe::Scope scope("sample");
  at::Tensor weight = at::randn({64, 64}).requires_grad_();
  at::Tensor x = at::randn({16, 64});
  for (int t = 0; t < 4; ++t) {
    scope.step();
    x = x.mm(weight).sigmoid();
  }
  scope.step();
}
