// Operators for Python, custom classes, devices, distribution and vision models.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>
#include <torch/library.h>
#include <torchvision/vision.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")

std::vector<at::Tensor> forward(torch::Tensor input, torch::Tensor weight) {
  CHECK_CUDA(input);
  const c10::cuda::OptionalCUDAGuard guard(device_of(input));
  at::cuda::CUDAGuard current(input.device());
  auto stream = at::cuda::getCurrentCUDAStream();
  c10::cuda::CUDAStreamGuard on_stream(c10::cuda::getStreamFromPool(true, 0));
  stream.synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();
  at::AutoDispatchBelowADInplaceOrView below;
  return {at::matmul(input, weight)};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "forward (CUDA)", py::arg("input"), py::arg("weight") = torch::Tensor(),
        py::call_guard<py::gil_scoped_release>());
  m.doc() = "operators";
}

struct Stack : torch::CustomClassHolder {
  explicit Stack(std::vector<std::string> start) : values(std::move(start)) {}
  void push(std::string value) { values.push_back(std::move(value)); }
  c10::intrusive_ptr<Stack> clone() const { return c10::make_intrusive<Stack>(values); }
  std::vector<std::string> values;
};

TORCH_LIBRARY(example, m) {
  m.class_<Stack>("Stack")
      .def(torch::init<std::vector<std::string>>())
      .def("push", &Stack::push)
      .def("clone", [](const c10::intrusive_ptr<Stack>& self) { return self->clone(); });
  m.def("forward(Tensor a, Tensor b) -> Tensor[]");
}
TORCH_LIBRARY_IMPL(example, CUDA, m) {
  m.impl("forward", TORCH_FN(forward));
}
TORCH_LIBRARY_IMPL(example, Autograd, m) {
  m.impl("forward", forward);
}
TORCH_LIBRARY_FRAGMENT(example, m) {
  m.def("other", &forward);
}
static auto registry = torch::RegisterOperators("example::third", &forward);

void distributed(c10::intrusive_ptr<c10d::ProcessGroup> group, std::vector<torch::Tensor>& tensors) {
  auto work = group->allreduce(tensors);
  work->wait();
  group->barrier()->wait();
}

void vision_models(torch::Tensor boxes, torch::Tensor scores) {
  vision::models::ResNet18 model;
  model->eval();
  auto logits = model->forward(boxes);
  auto kept = vision::ops::nms(boxes, scores, 0.5);
}
