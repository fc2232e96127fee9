#include <no_such_library/picture.hpp>
#include <torch/torch.h>
void use(torch::jit::script::Module& net, pic::Image image) {
  torch::NoGradGuard guard;
  pic::Image small = pic::resize(image);
  auto x = torch::from_blob(small.data, {1, 3});
  auto y = net.forward({x}).toTensor();
  pic::show(y.item<float>());
}
