// What a tensor is made of: devices, element types, scalars, layouts and the options that gather them.
#pragma once
#pragma GCC system_header

#include "core.h"

namespace c10 {

enum class DeviceType : std::int8_t {
  CPU,
  CUDA,
  MKLDNN,
  OPENGL,
  OPENCL,
  IDEEP,
  HIP,
  FPGA,
  MAIA,
  ORT,
  XLA,
  Vulkan,
  Metal,
  XPU,
  MPS,
  Meta,
  HPU,
  VE,
  Lazy,
  IPU,
  MTIA,
  PrivateUse1
};
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP, kFPGA = DeviceType::FPGA,
                     kXLA = DeviceType::XLA, kVulkan = DeviceType::Vulkan, kMetal = DeviceType::Metal,
                     kXPU = DeviceType::XPU, kMPS = DeviceType::MPS, kMeta = DeviceType::Meta, kHPU = DeviceType::HPU,
                     kVE = DeviceType::VE, kLazy = DeviceType::Lazy, kIPU = DeviceType::IPU, kMTIA = DeviceType::MTIA,
                     kPrivateUse1 = DeviceType::PrivateUse1;
using DeviceIndex = std::int8_t;
std::string DeviceTypeName(DeviceType, bool = false);
std::ostream& operator<<(std::ostream&, DeviceType);

struct Device {
  using Type = DeviceType;
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string&);
  Device(const char*);
  DeviceType type() const;
  DeviceIndex index() const;
  bool has_index() const;
  void set_index(DeviceIndex);
  bool is_cpu() const;
  bool is_cuda() const;
  bool is_mps() const;
  bool is_xpu() const;
  bool is_hip() const;
  bool is_meta() const;
  bool is_xla() const;
  std::string str() const;
  bool operator==(const Device&) const;
  bool operator!=(const Device&) const;
};
std::ostream& operator<<(std::ostream&, const Device&);

enum class ScalarType : std::int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Bits8,
  Float8_e5m2,
  Float8_e4m3fn,
  Float8_e5m2fnuz,
  Float8_e4m3fnuz,
  UInt16,
  UInt32,
  UInt64,
  Undefined,
  NumOptions
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double, kComplexHalf = ScalarType::ComplexHalf,
                     kComplexFloat = ScalarType::ComplexFloat, kComplexDouble = ScalarType::ComplexDouble,
                     kBool = ScalarType::Bool, kQInt8 = ScalarType::QInt8, kQUInt8 = ScalarType::QUInt8,
                     kQInt32 = ScalarType::QInt32, kBFloat16 = ScalarType::BFloat16,
                     kFloat8_e5m2 = ScalarType::Float8_e5m2, kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
                     kUInt16 = ScalarType::UInt16, kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64;
const char* toString(ScalarType);
std::size_t elementSize(ScalarType);
bool isIntegralType(ScalarType, bool = false);
bool isFloatingType(ScalarType);
bool isComplexType(ScalarType);
ScalarType promoteTypes(ScalarType, ScalarType);
std::ostream& operator<<(std::ostream&, ScalarType);

struct Half {
  Half();
  Half(float);
  operator float() const;
  std::uint16_t x;
};
struct BFloat16 {
  BFloat16();
  BFloat16(float);
  operator float() const;
  std::uint16_t x;
};
template <class Type>
using complex = std::complex<Type>;
template <class Type>
struct CppTypeToScalarType {
  static constexpr ScalarType value = ScalarType::Float;
};

class Scalar {
 public:
  Scalar();
  template <class Number, class = ::deadgrad_stub::IfNumber<Number>>
  Scalar(Number) {
    ::deadgrad_stub::no_body();
  }
  Scalar(Half);
  Scalar(BFloat16);
  Scalar(const std::string&) = delete;
  template <class Part>
  Scalar(const std::complex<Part>&) {
    ::deadgrad_stub::no_body();
  }
  template <class Number>
  Number to() const {
    ::deadgrad_stub::no_body();
  }
  double toDouble() const;
  float toFloat() const;
  std::int64_t toLong() const;
  int toInt() const;
  bool toBool() const;
  Half toHalf() const;
  bool isFloatingPoint() const;
  bool isIntegral(bool = false) const;
  bool isComplex() const;
  bool isBoolean() const;
  ScalarType type() const;
  Scalar operator-() const;
  bool equal(Any) const;
};
std::ostream& operator<<(std::ostream&, const Scalar&);

enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : std::int8_t { Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc, Jagged };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse, kSparseCsr = Layout::SparseCsr,
                 kMkldnn = Layout::Mkldnn, kJagged = Layout::Jagged;
MemoryFormat get_contiguous_memory_format();
std::ostream& operator<<(std::ostream&, MemoryFormat);
std::ostream& operator<<(std::ostream&, Layout);
enum class QScheme : std::uint8_t {
  PER_TENSOR_AFFINE,
  PER_CHANNEL_AFFINE,
  PER_TENSOR_SYMMETRIC,
  PER_CHANNEL_SYMMETRIC
};
constexpr QScheme kPerTensorAffine = QScheme::PER_TENSOR_AFFINE, kPerChannelAffine = QScheme::PER_CHANNEL_AFFINE;
enum class Backend { CPU, CUDA, HIP, XPU, MPS, Meta, SparseCPU, SparseCUDA, QuantizedCPU, Undefined };
enum class DispatchKey : std::uint16_t {
  Undefined,
  CPU,
  CUDA,
  MPS,
  XPU,
  HIP,
  Meta,
  Autograd,
  AutogradCPU,
  AutogradCUDA,
  AutogradMPS,
  AutogradXPU,
  ADInplaceOrView,
  Autocast,
  AutocastCPU,
  AutocastCUDA,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CatchAll,
  BackendSelect,
  QuantizedCPU,
  QuantizedCUDA,
  SparseCPU,
  SparseCUDA,
  PrivateUse1,
  Python,
  Conjugate,
  Functionalize,
  FuncTorchBatched,
  Tracer,
  PrivateUse1_Autograd,
  AutogradPrivateUse1
};
class DispatchKeySet {
 public:
  DispatchKeySet(DEADGRAD_STUB_2);
  DispatchKeySet(DispatchKey);
  DispatchKeySet(std::initializer_list<DispatchKey>);
  bool has(DispatchKey) const;
  DispatchKeySet operator&(DispatchKeySet) const;
  DispatchKeySet operator|(DispatchKeySet) const;
};
class Stream {
 public:
  Stream(Any, Any = {}, Any = {});
  Device device() const;
  void synchronize() const;
  bool query() const;
};

}  // namespace c10

namespace caffe2 {

class TypeMeta {
 public:
  TypeMeta();
  template <class Type>
  static TypeMeta Make() {
    ::deadgrad_stub::no_body();
  }
  static TypeMeta fromScalarType(c10::ScalarType);
  c10::ScalarType toScalarType() const;
  bool isScalarType() const;
  std::string name() const;
  std::size_t itemsize() const;
  operator c10::ScalarType() const;
  bool operator==(const TypeMeta&) const;
  bool operator==(c10::ScalarType) const;
  bool operator!=(const TypeMeta&) const;
  bool operator!=(c10::ScalarType) const;
};
bool operator==(c10::ScalarType, const TypeMeta&);
bool operator!=(c10::ScalarType, const TypeMeta&);
std::ostream& operator<<(std::ostream&, const TypeMeta&);

}  // namespace caffe2

namespace c10 {

using caffe2::TypeMeta;
ScalarType typeMetaToScalarType(TypeMeta);
TypeMeta scalarTypeToTypeMeta(ScalarType);
ScalarType get_default_dtype_as_scalartype();
TypeMeta get_default_dtype();
void set_default_dtype(TypeMeta);

struct TensorOptions {
  TensorOptions();
  template <class Source, class = ::deadgrad_stub::IfOther<Source, TensorOptions>>
  TensorOptions(Source&&) {
    ::deadgrad_stub::no_body();
  }
  TensorOptions dtype(Any) const;
  template <class Type>
  TensorOptions dtype() const {
    ::deadgrad_stub::no_body();
  }
  TensorOptions device(Any, Any = {}) const;
  TensorOptions device_index(Any) const;
  TensorOptions requires_grad(Any) const;
  TensorOptions layout(Any) const;
  TensorOptions pinned_memory(Any) const;
  TensorOptions memory_format(Any) const;
  TensorOptions merge_in(TensorOptions) const;
  Device device() const;
  TypeMeta dtype() const;
  Layout layout() const;
  bool requires_grad() const;
  bool pinned_memory() const;
  bool has_device() const;
  bool has_dtype() const;
};
TensorOptions dtype(Any);
TensorOptions device(Any);
TensorOptions device_index(Any);
TensorOptions layout(Any);
TensorOptions memory_format(Any);
TensorOptions requires_grad(bool = true);
std::ostream& operator<<(std::ostream&, const TensorOptions&);

}  // namespace c10
