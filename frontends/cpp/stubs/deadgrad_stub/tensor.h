// at::Tensor. Methods whose type decides how user code goes on are written out; the others come from the name lists.
#pragma once
#pragma GCC system_header

#include "core.h"
#include "tensor_method_names.h"

namespace at {

class Tensor;
using ::deadgrad_stub::Any;
using TensorList = c10::ArrayRef<Tensor>;
using ITensorListRef = TensorList;
using c10::Storage;

template <class Type, std::size_t Dimensions, class Pointer = void, class Index = std::int64_t>
class TensorAccessor {
 public:
  TensorAccessor<Type, Dimensions - 1, Pointer, Index> operator[](Index) const;
  Index size(Index) const;
  Index stride(Index) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  Type* data() const;
};
template <class Type, class Pointer, class Index>
class TensorAccessor<Type, 1, Pointer, Index> {
 public:
  Type& operator[](Index) const;
  Index size(Index) const;
  Index stride(Index) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  Type* data() const;
};
template <class Type>
struct RestrictPtrTraits {
  using PtrType = Type*;
};
template <class Type>
struct DefaultPtrTraits {
  using PtrType = Type*;
};
template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits,
          class Index = std::int64_t>
using GenericPackedTensorAccessor = TensorAccessor<Type, Dimensions, void, Index>;
template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor = TensorAccessor<Type, Dimensions, void, std::int64_t>;
template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = TensorAccessor<Type, Dimensions, void, std::int32_t>;
template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = TensorAccessor<Type, Dimensions, void, std::int64_t>;

namespace indexing {
enum class TensorIndexType { None, Ellipsis, SymInt, Boolean, Slice, Tensor };
struct EllipsisIndexType {};
constexpr c10::nullopt_t None = c10::nullopt;
extern const EllipsisIndexType Ellipsis;
struct Slice {
  Slice(Any = {}, Any = {}, Any = {});
};
struct TensorIndex {
  template <class Index, class = ::deadgrad_stub::IfOther<Index, TensorIndex>>
  TensorIndex(Index&&);
};
}  // namespace indexing

class TensorBase {
 public:
  TensorBase();
  TensorBase(const TensorBase&);
  TensorBase(TensorBase&&);
  TensorBase& operator=(const TensorBase&);
  TensorBase& operator=(TensorBase&&);
  bool defined() const;
  void reset();
  std::int64_t dim() const;
  std::int64_t ndimension() const;
  std::int64_t numel() const;
  std::int64_t size(Any) const;
  std::int64_t stride(Any) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  c10::SymInt sym_size(Any) const;
  c10::SymIntArrayRef sym_sizes() const;
  c10::SymInt sym_numel() const;
  std::int64_t storage_offset() const;
  std::size_t nbytes() const;
  std::size_t itemsize() const;
  std::int64_t element_size() const;
  Device device() const;
  std::int64_t get_device() const;
  caffe2::TypeMeta dtype() const;
  ScalarType scalar_type() const;
  c10::Layout layout() const;
  TensorOptions options() const;
  c10::DispatchKeySet key_set() const;
  c10::MemoryFormat suggest_memory_format(bool = false) const;
  std::string toString() const;
  std::string name() const;
  void print() const;
  std::size_t use_count() const;
  std::size_t weak_use_count() const;
  bool unique() const;
  const Storage& storage() const;
  bool has_storage() const;
  bool is_alias_of(const TensorBase&) const;
  bool is_same(const TensorBase&) const;
  bool is_contiguous(c10::MemoryFormat = {}) const;
  bool is_non_overlapping_and_dense() const;
  bool is_complex() const;
  bool is_floating_point() const;
  bool is_signed() const;
  bool is_cpu() const;
  bool is_cuda() const;
  bool is_hip() const;
  bool is_mps() const;
  bool is_xpu() const;
  bool is_xla() const;
  bool is_meta() const;
  bool is_vulkan() const;
  bool is_sparse() const;
  bool is_sparse_csr() const;
  bool is_mkldnn() const;
  bool is_quantized() const;
  bool is_nested() const;
  bool is_conj() const;
  bool is_neg() const;
  bool is_inference() const;
  bool is_leaf() const;
  bool is_view() const;
  bool retains_grad() const;
  bool requires_grad() const;
  const TensorBase& set_requires_grad(bool) const;
  std::int64_t output_nr() const;
  std::int64_t _version() const;
  void* data_ptr() const;
  const void* const_data_ptr() const;
  void* mutable_data_ptr() const;
  template <class Type>
  Type* data_ptr() const;
  template <class Type>
  const Type* const_data_ptr() const;
  template <class Type>
  Type* mutable_data_ptr() const;
  template <class Type, std::size_t Dimensions>
  TensorAccessor<Type, Dimensions> accessor() const;
  template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<Type, Dimensions> packed_accessor() const;
  template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<Type, Dimensions> packed_accessor32() const;
  template <class Type, std::size_t Dimensions, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<Type, Dimensions> packed_accessor64() const;
  ::deadgrad_stub::Value unsafeGetTensorImpl() const;
  ::deadgrad_stub::Value getIntrusivePtr() const;
  bool has_names() const;
  DimnameList names() const;
  void remove_hook(unsigned) const;
};

class Tensor : public TensorBase {
 public:
  Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&);
  explicit Tensor(const TensorBase&);
  Tensor& operator=(const Tensor&) &;
  Tensor& operator=(Tensor&&) &;
  Tensor& operator=(const Tensor&) &&;
  Tensor& operator=(Tensor&&) &&;
  Tensor& operator=(const Scalar&) &&;

  void backward(Any gradient = {}, Any retain_graph = {}, Any create_graph = {}, Any inputs = {}) const;
  const Tensor& set_requires_grad(bool) const;
  const Tensor& requires_grad_(bool = true) const;
  Tensor& grad() const;
  const Tensor& _fw_grad(Any) const;
  Tensor& mutable_grad();
  void retain_grad() const;
  ::deadgrad_stub::Value grad_fn() const;
  template <class Hook>
  unsigned register_hook(Hook&&) const;
  void set_data(const Tensor&) const;
  Tensor data() const;
  template <class Type>
  Type* data() const;
  Tensor _base() const;
  Tensor _indices() const;
  Tensor _values() const;
  std::int64_t _nnz() const;

  Scalar item() const;
  template <class Type>
  Type item() const;

  Tensor operator[](Any) const;
  Tensor operator-() const;
  Tensor operator~() const;
  Tensor index(std::initializer_list<indexing::TensorIndex>) const;
  Tensor index(Any) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex>, Any, Any = {}) const;
  Tensor& index_put_(Any, Any, Any = {}) const;
  Tensor& set_(DEADGRAD_STUB_4) const;
  void record_stream(Any) const;
  c10::QScheme qscheme() const;

#define DEADGRAD_STUB_ORDERED(name)                                  \
  Tensor name() const;                                               \
  Tensor name(const Tensor&) const;                                  \
  std::tuple<Tensor, Tensor> name(std::int64_t, bool = false) const; \
  std::tuple<Tensor, Tensor> name(Dimname, bool = false) const;
  DEADGRAD_STUB_ORDERED(max)
  DEADGRAD_STUB_ORDERED(min)
  DEADGRAD_STUB_ORDERED(median)
  DEADGRAD_STUB_ORDERED(nanmedian)
#undef DEADGRAD_STUB_ORDERED

#define DEADGRAD_STUB_ASSIGN(sign)            \
  Tensor& operator sign(const Tensor&) const; \
  Tensor& operator sign(const Scalar&) const;
  DEADGRAD_STUB_ASSIGN(+=)
  DEADGRAD_STUB_ASSIGN(-=)
  DEADGRAD_STUB_ASSIGN(*=)
  DEADGRAD_STUB_ASSIGN(/=)
  DEADGRAD_STUB_ASSIGN(&=)
  DEADGRAD_STUB_ASSIGN(|=)
  DEADGRAD_STUB_ASSIGN(^=)
  DEADGRAD_STUB_ASSIGN(<<=)
  DEADGRAD_STUB_ASSIGN(>>=)
#undef DEADGRAD_STUB_ASSIGN

#define DEADGRAD_STUB_METHOD(name) Tensor name() const;
  DEADGRAD_STUB_METHODS_NULLARY(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) Tensor& name() const;
  DEADGRAD_STUB_METHODS_NULLARY_INPLACE(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) Tensor name(DEADGRAD_STUB_3) const;
  DEADGRAD_STUB_METHODS_FEW(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) Tensor& name(DEADGRAD_STUB_3) const;
  DEADGRAD_STUB_METHODS_FEW_INPLACE(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) Tensor name(DEADGRAD_STUB_8) const;
  DEADGRAD_STUB_METHODS_MANY(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) Tensor& name(DEADGRAD_STUB_8) const;
  DEADGRAD_STUB_METHODS_MANY_INPLACE(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) std::vector<Tensor> name(DEADGRAD_STUB_3) const;
  DEADGRAD_STUB_METHODS_VECTOR(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) std::tuple<Tensor, Tensor> name(DEADGRAD_STUB_4) const;
  DEADGRAD_STUB_METHODS_TUPLE2(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) std::tuple<Tensor, Tensor, Tensor> name(DEADGRAD_STUB_4) const;
  DEADGRAD_STUB_METHODS_TUPLE3(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) bool name(DEADGRAD_STUB_4) const;
  DEADGRAD_STUB_METHODS_BOOL(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) std::int64_t name() const;
  DEADGRAD_STUB_METHODS_INT64(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
#define DEADGRAD_STUB_METHOD(name) double name() const;
  DEADGRAD_STUB_METHODS_DOUBLE(DEADGRAD_STUB_METHOD)
#undef DEADGRAD_STUB_METHOD
};

#define DEADGRAD_STUB_OPERATOR(sign)                  \
  Tensor operator sign(const Tensor&, const Tensor&); \
  Tensor operator sign(const Tensor&, const Scalar&); \
  Tensor operator sign(const Scalar&, const Tensor&);
DEADGRAD_STUB_OPERATOR(+)
DEADGRAD_STUB_OPERATOR(-)
DEADGRAD_STUB_OPERATOR(*)
DEADGRAD_STUB_OPERATOR(/)
DEADGRAD_STUB_OPERATOR(%)
DEADGRAD_STUB_OPERATOR(&)
DEADGRAD_STUB_OPERATOR(|)
DEADGRAD_STUB_OPERATOR(^)
DEADGRAD_STUB_OPERATOR(<)
DEADGRAD_STUB_OPERATOR(<=)
DEADGRAD_STUB_OPERATOR(>)
DEADGRAD_STUB_OPERATOR(>=)
DEADGRAD_STUB_OPERATOR(==)
DEADGRAD_STUB_OPERATOR(!=)
#undef DEADGRAD_STUB_OPERATOR
Tensor operator<<(const Tensor&, const Tensor&);
Tensor operator>>(const Tensor&, const Tensor&);

std::ostream& operator<<(std::ostream&, const Tensor&);
std::ostream& print(std::ostream&, const Tensor&, std::int64_t);
void print(const Tensor&, std::int64_t = 80);

using OptionalTensorRef = c10::optional<Tensor>;

}  // namespace at

namespace c10 {
template <class Type>
class MaybeOwned {
 public:
  static MaybeOwned borrowed(const Type&);
  static MaybeOwned owned(Type&&);
  const Type& operator*() const;
  const Type* operator->() const;
};
}  // namespace c10

namespace torch {

using Tensor = at::Tensor;
using Scalar = at::Scalar;
using Dtype = at::ScalarType;
using Device = at::Device;
using DeviceType = at::DeviceType;
using IntArrayRef = at::IntArrayRef;
using TensorList = at::TensorList;
using TensorOptions = at::TensorOptions;
using ScalarType = at::ScalarType;
using Layout = c10::Layout;
using MemoryFormat = c10::MemoryFormat;
using c10::nullopt;
using c10::optional;
using ::deadgrad_stub::Any;

constexpr auto kUInt8 = at::ScalarType::Byte, kInt8 = at::ScalarType::Char, kInt16 = at::ScalarType::Short,
               kInt32 = at::ScalarType::Int, kInt64 = at::ScalarType::Long, kFloat16 = at::ScalarType::Half,
               kFloat32 = at::ScalarType::Float, kFloat64 = at::ScalarType::Double, kU8 = kUInt8, kI8 = kInt8,
               kI16 = kInt16, kI32 = kInt32, kI64 = kInt64, kF16 = kFloat16, kF32 = kFloat32, kF64 = kFloat64,
               kComplex64 = at::ScalarType::ComplexFloat, kComplex128 = at::ScalarType::ComplexDouble;

}  // namespace torch
