// The stub of torchvision's C++ library: models that are modules, and operators on boxes and images.
#pragma once
#pragma GCC system_header

#include "../torch/_deadgrad_stub.h"

namespace vision {

std::int64_t cuda_version();

namespace models {

#define DEADGRAD_STUB_MODEL(name)                                                             \
  struct name##Impl : torch::nn::Module {                                                     \
    explicit name##Impl(DEADGRAD_STUB_4);                                                     \
    at::Tensor forward(at::Tensor);                                                           \
    torch::nn::Conv2d conv1{nullptr};                                                         \
    torch::nn::BatchNorm2d bn1{nullptr};                                                      \
    torch::nn::Sequential layer1{nullptr}, layer2{nullptr}, layer3{nullptr}, layer4{nullptr}; \
    torch::nn::Sequential features{nullptr}, classifier{nullptr};                             \
    torch::nn::Linear fc{nullptr};                                                            \
  };                                                                                          \
  TORCH_MODULE(name);
DEADGRAD_STUB_MODEL(AlexNet)
DEADGRAD_STUB_MODEL(DenseNet)
DEADGRAD_STUB_MODEL(DenseNet121)
DEADGRAD_STUB_MODEL(DenseNet161)
DEADGRAD_STUB_MODEL(DenseNet169)
DEADGRAD_STUB_MODEL(DenseNet201)
DEADGRAD_STUB_MODEL(GoogLeNet)
DEADGRAD_STUB_MODEL(InceptionV3)
DEADGRAD_STUB_MODEL(MNASNet)
DEADGRAD_STUB_MODEL(MNASNet0_5)
DEADGRAD_STUB_MODEL(MNASNet0_75)
DEADGRAD_STUB_MODEL(MNASNet1_0)
DEADGRAD_STUB_MODEL(MNASNet1_3)
DEADGRAD_STUB_MODEL(MobileNetV2)
DEADGRAD_STUB_MODEL(ResNet18)
DEADGRAD_STUB_MODEL(ResNet34)
DEADGRAD_STUB_MODEL(ResNet50)
DEADGRAD_STUB_MODEL(ResNet101)
DEADGRAD_STUB_MODEL(ResNet152)
DEADGRAD_STUB_MODEL(ResNext50_32x4d)
DEADGRAD_STUB_MODEL(ResNext101_32x8d)
DEADGRAD_STUB_MODEL(WideResNet50_2)
DEADGRAD_STUB_MODEL(WideResNet101_2)
DEADGRAD_STUB_MODEL(ShuffleNetV2)
DEADGRAD_STUB_MODEL(ShuffleNetV2_x0_5)
DEADGRAD_STUB_MODEL(ShuffleNetV2_x1_0)
DEADGRAD_STUB_MODEL(SqueezeNet)
DEADGRAD_STUB_MODEL(SqueezeNet1_0)
DEADGRAD_STUB_MODEL(SqueezeNet1_1)
DEADGRAD_STUB_MODEL(VGG)
DEADGRAD_STUB_MODEL(VGG11)
DEADGRAD_STUB_MODEL(VGG13)
DEADGRAD_STUB_MODEL(VGG16)
DEADGRAD_STUB_MODEL(VGG19)
DEADGRAD_STUB_MODEL(VGG11BN)
DEADGRAD_STUB_MODEL(VGG13BN)
DEADGRAD_STUB_MODEL(VGG16BN)
DEADGRAD_STUB_MODEL(VGG19BN)
#undef DEADGRAD_STUB_MODEL

}  // namespace models

namespace ops {
at::Tensor nms(const at::Tensor&, const at::Tensor&, double);
at::Tensor roi_align(const at::Tensor&, const at::Tensor&, DEADGRAD_STUB_8);
at::Tensor ps_roi_align(const at::Tensor&, const at::Tensor&, DEADGRAD_STUB_8);
at::Tensor deform_conv2d(const at::Tensor&, DEADGRAD_STUB_12, DEADGRAD_STUB_4);
std::tuple<at::Tensor, at::Tensor> roi_pool(const at::Tensor&, const at::Tensor&, DEADGRAD_STUB_4);
std::tuple<at::Tensor, at::Tensor> ps_roi_pool(const at::Tensor&, const at::Tensor&, DEADGRAD_STUB_4);
}  // namespace ops

namespace image {
at::Tensor read_file(const std::string&);
void write_file(const std::string&, at::Tensor&);
at::Tensor decode_image(const at::Tensor&, DEADGRAD_STUB_2);
at::Tensor decode_jpeg(const at::Tensor&, DEADGRAD_STUB_2);
at::Tensor decode_png(const at::Tensor&, DEADGRAD_STUB_2);
at::Tensor encode_jpeg(const at::Tensor&, std::int64_t);
at::Tensor encode_png(const at::Tensor&, std::int64_t);
}  // namespace image

}  // namespace vision
