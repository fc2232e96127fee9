// c10::IValue, what TorchScript passes and returns, and the containers that it holds.
#pragma once
#pragma GCC system_header

#include "tensor.h"

namespace torch {
namespace jit {
struct Module;
struct Function;
}  // namespace jit
class CustomClassHolder : public c10::intrusive_ptr_target {};
}  // namespace torch

namespace c10 {

struct IValue;

struct Symbol {
  static Symbol fromQualString(const std::string&);
  static Symbol attr(const std::string&);
  static Symbol aten(const std::string&);
  static Symbol prim(const std::string&);
  const char* toQualString() const;
  const char* toUnqualString() const;
  bool operator==(const Symbol&) const;
  bool operator!=(const Symbol&) const;
};
struct QualifiedName {
  QualifiedName(Any, Any = {});
  const std::string& name() const;
  const std::string& qualifiedName() const;
};

enum class TypeKind {
  AnyType,
  TensorType,
  TupleType,
  ListType,
  DictType,
  IntType,
  FloatType,
  BoolType,
  StringType,
  NoneType,
  OptionalType,
  ClassType,
  DeviceObjType,
  NumberType,
  FutureType,
  ComplexType,
  EnumType,
  InterfaceType
};
struct Type {
  TypeKind kind() const;
  std::string str() const;
  std::string repr_str() const;
  std::string annotation_str() const;
  bool isSubtypeOf(Any) const;
  ArrayRef<std::shared_ptr<Type>> containedTypes() const;
  std::shared_ptr<Type> containedType(std::size_t) const;
  template <class Target>
  std::shared_ptr<Target> cast() const;
  template <class Target>
  std::shared_ptr<Target> expect() const;
  template <class Target>
  Target& expectRef() const;
  template <class Target>
  const Target* castRaw() const;
  bool operator==(const Type&) const;
  optional<QualifiedName> name() const;
  bool is_module() const;
};
using TypePtr = std::shared_ptr<Type>;
#define DEADGRAD_STUB_TYPE(type)                                  \
  struct type : Type {                                            \
    static std::shared_ptr<type> get();                           \
    static std::shared_ptr<type> create(Any, Any = {});           \
    ArrayRef<TypePtr> elements() const;                           \
    TypePtr getElementType() const;                               \
    TypePtr getKeyType() const;                                   \
    TypePtr getValueType() const;                                 \
    std::size_t numAttributes() const;                            \
    const std::string& getAttributeName(std::size_t) const;       \
    ::torch::jit::Function* findMethod(const std::string&) const; \
    ::torch::jit::Function& getMethod(const std::string&) const;  \
    std::vector<::torch::jit::Function*> methods() const;         \
    optional<ScalarType> scalarType() const;                      \
    ::deadgrad_stub::Value sizes() const;                         \
  };                                                              \
  using type##Ptr = std::shared_ptr<type>;
DEADGRAD_STUB_TYPE(AnyType)
DEADGRAD_STUB_TYPE(TensorType)
DEADGRAD_STUB_TYPE(TupleType)
DEADGRAD_STUB_TYPE(ListType)
DEADGRAD_STUB_TYPE(DictType)
DEADGRAD_STUB_TYPE(IntType)
DEADGRAD_STUB_TYPE(FloatType)
DEADGRAD_STUB_TYPE(BoolType)
DEADGRAD_STUB_TYPE(StringType)
DEADGRAD_STUB_TYPE(NoneType)
DEADGRAD_STUB_TYPE(OptionalType)
DEADGRAD_STUB_TYPE(ClassType)
DEADGRAD_STUB_TYPE(NumberType)
#undef DEADGRAD_STUB_TYPE

struct Argument {
  const std::string& name() const;
  const TypePtr& type() const;
  const optional<IValue>& default_value() const;
};
struct FunctionSchema {
  const std::string& name() const;
  const std::string& overload_name() const;
  const std::vector<Argument>& arguments() const;
  const std::vector<Argument>& returns() const;
  optional<int> argumentIndexWithName(Any) const;
};
std::ostream& operator<<(std::ostream&, const FunctionSchema&);
std::ostream& operator<<(std::ostream&, const Type&);

template <class Element>
class List {
 public:
  using value_type = Element;
  using iterator = Element*;
  using const_iterator = const Element*;
  List();
  List(std::initializer_list<Element>);
  explicit List(ArrayRef<Element>);
  explicit List(TypePtr);
  template <class Other>
  List(const List<Other>&);
  Element get(std::size_t) const;
  void set(std::size_t, const Element&) const;
  Element extract(std::size_t) const;
  Element& operator[](std::size_t) const;
  Element* begin() const;
  Element* end() const;
  bool empty() const;
  std::size_t size() const;
  void reserve(std::size_t) const;
  void resize(std::size_t) const;
  void clear() const;
  void append(List) const;
  void push_back(const Element&) const;
  template <class... Arguments>
  void emplace_back(Arguments&&...) const;
  void pop_back() const;
  std::vector<Element> vec() const;
  List copy() const;
  TypePtr elementType() const;
};

template <class Key, class Mapped>
class DictEntry {
 public:
  const Key& key() const;
  const Mapped& value() const;
  template <class Changed>
  void setValue(Changed&&) const;
};
template <class Key, class Mapped>
class Dict {
 public:
  using key_type = Key;
  using mapped_type = Mapped;
  struct iterator {
    using value_type = DictEntry<Key, Mapped>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;
    using iterator_category = std::forward_iterator_tag;
    const value_type& operator*() const;
    const value_type* operator->() const;
    iterator& operator++();
    iterator operator++(int);
    bool operator==(const iterator&) const;
    bool operator!=(const iterator&) const;
  };
  Dict();
  Dict(TypePtr, TypePtr);
  template <class OtherKey, class OtherMapped>
  Dict(const Dict<OtherKey, OtherMapped>&);
  iterator begin() const;
  iterator end() const;
  bool empty() const;
  std::size_t size() const;
  void clear() const;
  std::pair<iterator, bool> insert(Any, Any) const;
  std::pair<iterator, bool> insert_or_assign(Any, Any) const;
  std::size_t erase(const Key&) const;
  Mapped at(const Key&) const;
  iterator find(const Key&) const;
  bool contains(const Key&) const;
  void reserve(std::size_t) const;
  Dict copy() const;
};
namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
}  // namespace impl

namespace ivalue {
struct Tuple : intrusive_ptr_target {
  const std::vector<IValue>& elements() const;
  std::size_t size() const;
  template <class... Arguments>
  static intrusive_ptr<Tuple> create(Arguments&&...);
  static intrusive_ptr<Tuple> create(std::vector<IValue>);
  static intrusive_ptr<Tuple> create(std::initializer_list<IValue>);
  static intrusive_ptr<Tuple> createNamed(Any, Any = {});
};
struct Future : intrusive_ptr_target {
  explicit Future(DEADGRAD_STUB_2);
  void wait();
  void waitAndThrow();
  IValue value() const;
  const IValue& constValue() const;
  bool completed() const;
  bool hasError() const;
  bool hasValue() const;
  std::string tryRetrieveErrorMessage() const;
  void markCompleted(Any = {});
  void setError(Any);
  template <class Callback>
  void addCallback(Callback, bool = false);
  template <class Callback>
  intrusive_ptr<Future> then(Callback, Any = {}, bool = false);
  TypePtr elementType() const;
};
struct ConstantString : intrusive_ptr_target {
  static intrusive_ptr<ConstantString> create(Any);
  const std::string& string() const;
  operator const std::string&() const;
};
struct Object : intrusive_ptr_target {
  const std::string& name() const;
  IValue getAttr(const std::string&) const;
  void setAttr(const std::string&, IValue);
  IValue getSlot(std::size_t) const;
  void setSlot(std::size_t, IValue);
  std::shared_ptr<ClassType> type() const;
  const std::vector<IValue>& slots() const;
};
struct EnumHolder;
struct PyObjectHolder;
}  // namespace ivalue

#define DEADGRAD_STUB_IVALUE_KINDS(X)                                                                              \
  X(None)                                                                                                          \
  X(Tensor) X(Storage) X(Generator) X(Double) X(ComplexDouble) X(Int) X(Bool) X(Scalar) X(Tuple) X(String) X(List) \
      X(TensorList) X(IntList) X(DoubleList) X(BoolList) X(GenericDict) X(Object) X(Module) X(Device) X(Stream)    \
          X(Future) X(Capsule) X(Blob) X(CustomClass) X(Enum) X(PtrType) X(PyObject) X(RRef) X(SymInt)

struct IValue {
  IValue();
  IValue(const IValue&);
  IValue(IValue&&);
  IValue& operator=(const IValue&) &;
  IValue& operator=(IValue&&) &;
  template <class Source, class = ::deadgrad_stub::IfOther<Source, IValue>>
  IValue(Source&&);

#define DEADGRAD_STUB_IS(kind) bool is##kind() const;
  DEADGRAD_STUB_IVALUE_KINDS(DEADGRAD_STUB_IS)
#undef DEADGRAD_STUB_IS
  bool is(const IValue&) const;
  bool isIntrusivePtr() const;

  at::Tensor toTensor() &&;
  at::Tensor& toTensor() &;
  const at::Tensor& toTensor() const&;
  at::Tensor to_tensor() const;
  double toDouble() const;
  std::int64_t toInt() const;
  bool toBool() const;
  at::Scalar toScalar() const;
  at::Device toDevice() const;
  at::Generator toGenerator() const;
  at::Storage toStorage() const;
  Stream toStream() const;
  std::complex<double> toComplexDouble() const;
  at::ScalarType toScalarType() const;
  Layout toLayout() const;
  MemoryFormat toMemoryFormat() const;
  SymInt toSymInt() const;
  intrusive_ptr<ivalue::ConstantString> toString() const;
  const std::string& toStringRef() const;
  string_view toStringView() const;
  optional<std::string> toOptionalString() const;
  intrusive_ptr<ivalue::Tuple> toTuple() const;
  ivalue::Tuple& toTupleRef() const;
  List<IValue> toList() const;
  ArrayRef<IValue> toListRef() const;
  List<at::Tensor> toTensorList() const;
  std::vector<at::Tensor> toTensorVector() const;
  List<std::int64_t> toIntList() const;
  std::vector<std::int64_t> toIntVector() const;
  List<double> toDoubleList() const;
  std::vector<double> toDoubleVector() const;
  List<bool> toBoolList() const;
  Dict<IValue, IValue> toGenericDict() const;
  intrusive_ptr<ivalue::Object> toObject() const;
  ivalue::Object& toObjectRef() const;
  ::torch::jit::Module toModule() const;
  intrusive_ptr<ivalue::Future> toFuture() const;
  intrusive_ptr<intrusive_ptr_target> toCapsule() const;
  template <class Class>
  intrusive_ptr<Class> toCustomClass() const;
  ::deadgrad_stub::Value toPyObject() const;
  template <class Target>
  Target to() const;
  template <class Target>
  optional<Target> toOptional() const;

  std::string tagKind() const;
  TypePtr type() const;
  std::string repr(Any = {}, Any = {}) const;
  IValue deepcopy(Any = {}) const;
  IValue equals(const IValue&) const;
  std::size_t hash() const;
  bool isAliasOf(const IValue&) const;
  void dump() const;
  static IValue make_capsule(Any);
};
bool operator==(const IValue&, const IValue&);
bool operator!=(const IValue&, const IValue&);
std::ostream& operator<<(std::ostream&, const IValue&);

using Stack = std::vector<IValue>;

}  // namespace c10

namespace at {
using c10::IValue;
}  // namespace at

namespace torch {
using IValue = c10::IValue;
using c10::Dict;
using c10::List;
template <class Element>
c10::List<Element> make_list(Any = {});
}  // namespace torch
