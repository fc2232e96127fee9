// The small types of c10: devices, element types, scalars, options, array references and intrusive pointers.
#pragma once
#pragma GCC system_header

#include "macros.h"
#include "optional.h"

namespace c10 {

using ::deadgrad_stub::Any;

class Error : public std::exception {
 public:
  Error(Any, Any = {}, Any = {});
  const char* what() const noexcept override;
  const char* what_without_backtrace() const noexcept;
  const std::string& msg() const;
  const std::string& backtrace() const;
};
#define DEADGRAD_STUB_ERROR(name) \
  class name : public Error {     \
    using Error::Error;           \
  };
DEADGRAD_STUB_ERROR(IndexError)
DEADGRAD_STUB_ERROR(ValueError)
DEADGRAD_STUB_ERROR(TypeError)
DEADGRAD_STUB_ERROR(NotImplementedError)
DEADGRAD_STUB_ERROR(EnforceFiniteError)
DEADGRAD_STUB_ERROR(LinAlgError)
DEADGRAD_STUB_ERROR(OutOfMemoryError)
DEADGRAD_STUB_ERROR(DistBackendError)
#undef DEADGRAD_STUB_ERROR

template <class Type>
class ArrayRef {
 public:
  using value_type = Type;
  using size_type = std::size_t;
  using iterator = const Type*;
  using const_iterator = const Type*;
  ArrayRef();
  ArrayRef(nullopt_t);
  ArrayRef(const Type&);
  ArrayRef(const Type*, std::size_t);
  ArrayRef(const Type*, const Type*);
  ArrayRef(const std::vector<Type>&);
  template <std::size_t Size>
  ArrayRef(const std::array<Type, Size>&);
  template <std::size_t Size>
  ArrayRef(const Type (&)[Size]);
  ArrayRef(const std::initializer_list<Type>&);
  template <class Container, class = decltype(std::declval<const Container&>().data()),
            class = ::deadgrad_stub::IfOther<Container, std::vector<Type>>>
  ArrayRef(const Container&);
  const Type* begin() const;
  const Type* end() const;
  const Type* cbegin() const;
  const Type* cend() const;
  std::reverse_iterator<const Type*> rbegin() const;
  std::reverse_iterator<const Type*> rend() const;
  bool empty() const;
  std::size_t size() const;
  const Type* data() const;
  const Type& front() const;
  const Type& back() const;
  const Type& at(std::size_t) const;
  const Type& operator[](std::size_t) const;
  bool equals(ArrayRef) const;
  ArrayRef slice(std::size_t, std::size_t) const;
  ArrayRef slice(std::size_t) const;
  std::vector<Type> vec() const;
  operator std::vector<Type>() const;
};
template <class Type>
bool operator==(ArrayRef<Type>, ArrayRef<Type>);
template <class Type>
bool operator==(const std::vector<Type>&, ArrayRef<Type>);
template <class Type>
bool operator==(ArrayRef<Type>, const std::vector<Type>&);
template <class Type>
bool operator!=(ArrayRef<Type>, ArrayRef<Type>);
template <class Type>
bool operator!=(const std::vector<Type>&, ArrayRef<Type>);
template <class Type>
bool operator!=(ArrayRef<Type>, const std::vector<Type>&);
template <class Type>
std::ostream& operator<<(std::ostream&, ArrayRef<Type>);
template <class Type>
ArrayRef<Type> makeArrayRef(const std::vector<Type>&);
using IntArrayRef = ArrayRef<std::int64_t>;
template <class Type>
using OptionalArrayRef = optional<ArrayRef<Type>>;
using OptionalIntArrayRef = optional<IntArrayRef>;

class SymInt {
 public:
  SymInt(std::int64_t = 0);
  operator std::int64_t() const;
  std::int64_t expect_int() const;
  std::int64_t guard_int(const char*, std::int64_t) const;
};
using SymIntArrayRef = ArrayRef<SymInt>;

template <class Type, unsigned Size = 4>
using SmallVector = std::vector<Type>;
template <class Key, class Mapped>
using FastMap = std::unordered_map<Key, Mapped>;

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
  Scalar(Number);
  Scalar(Half);
  Scalar(BFloat16);
  Scalar(const std::string&) = delete;
  template <class Part>
  Scalar(const std::complex<Part>&);
  template <class Number>
  Number to() const;
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
  DispatchKeySet(Any = {}, Any = {});
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
  static TypeMeta Make();
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
  TensorOptions(Source&&);
  TensorOptions dtype(Any) const;
  template <class Type>
  TensorOptions dtype() const;
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

class intrusive_ptr_target {
 public:
  virtual void release_resources();
};

template <class Target, class NullType = void>
class intrusive_ptr {
 public:
  using element_type = Target;
  intrusive_ptr();
  intrusive_ptr(std::nullptr_t);
  template <class Other>
  intrusive_ptr(const intrusive_ptr<Other>&);
  explicit intrusive_ptr(Target*);
  template <class... Arguments>
  static intrusive_ptr make(Arguments&&...);
  static intrusive_ptr reclaim(Target*);
  static intrusive_ptr unsafe_reclaim_from_nonowning(Target*);
  Target* get() const noexcept;
  Target& operator*() const noexcept;
  Target* operator->() const noexcept;
  explicit operator bool() const noexcept;
  bool defined() const noexcept;
  void reset() noexcept;
  Target* release() noexcept;
  std::size_t use_count() const noexcept;
  bool unique() const noexcept;
};
template <class Left, class Right>
bool operator==(const intrusive_ptr<Left>&, const intrusive_ptr<Right>&);
template <class Left, class Right>
bool operator!=(const intrusive_ptr<Left>&, const intrusive_ptr<Right>&);
template <class Left>
bool operator==(const intrusive_ptr<Left>&, std::nullptr_t);
template <class Left>
bool operator!=(const intrusive_ptr<Left>&, std::nullptr_t);
template <class Target, class... Arguments>
intrusive_ptr<Target> make_intrusive(Arguments&&...);
template <class Target>
class weak_intrusive_ptr {
 public:
  weak_intrusive_ptr(const intrusive_ptr<Target>&);
  intrusive_ptr<Target> lock() const;
  bool expired() const;
};

using DeleterFnPtr = void (*)(void*);
struct DataPtr {
  DataPtr();
  DataPtr(void*, Device);
  DataPtr(void*, void*, DeleterFnPtr, Device);
  void* get() const;
  Device device() const;
  explicit operator bool() const;
};
struct Allocator {
  virtual DataPtr allocate(std::size_t) = 0;
  void* raw_allocate(std::size_t);
  void raw_deallocate(void*);
};
Allocator* GetAllocator(DeviceType);
Allocator* GetCPUAllocator();
struct Storage {
  Storage(DEADGRAD_STUB_4);
  void* data() const;
  template <class Type>
  Type* data() const;
  const DataPtr& data_ptr() const;
  void* mutable_data() const;
  std::size_t nbytes() const;
  Device device() const;
  std::size_t use_count() const;
  ::deadgrad_stub::Value unsafeGetStorageImpl() const;
};
struct GeneratorImpl : intrusive_ptr_target {
  void set_current_seed(std::uint64_t);
  std::uint64_t current_seed() const;
  std::mutex mutex_;
};

template <class Integer>
::deadgrad_stub::Range<Integer> irange(Integer);
template <class First, class Last>
::deadgrad_stub::Range<Last> irange(First, Last);

template <class... Parts>
std::string str(const Parts&...);
std::string Join(const std::string&, Any);
std::string demangle(const char*);
template <class Function>
class ScopeExit {
 public:
  explicit ScopeExit(Function&&);
  ~ScopeExit();
};
template <class Function>
ScopeExit<Function> make_scope_exit(Function&&);

}  // namespace c10

namespace at {

using c10::ArrayRef;
using c10::Device;
using c10::DeviceType;
using c10::IntArrayRef;
using c10::Scalar;
using c10::ScalarType;
using c10::TensorOptions;

struct Generator {
  Generator();
  template <class Source, class = ::deadgrad_stub::IfOther<Source, Generator>>
  Generator(Source&&);
  void set_current_seed(std::uint64_t);
  std::uint64_t current_seed() const;
  std::uint64_t seed();
  bool defined() const;
  Device device() const;
  template <class Type>
  Type* get() const;
  std::mutex& mutex();
  Generator clone() const;
};
template <class Type = Generator>
Generator make_generator(DEADGRAD_STUB_2);

class Dimname {
 public:
  template <class Symbol>
  static Dimname fromSymbol(Symbol);
  static Dimname wildcard();
};
using DimnameList = ArrayRef<Dimname>;

}  // namespace at
