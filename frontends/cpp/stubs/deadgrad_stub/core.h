// Errors and array references, which everything else of c10 uses.
#pragma once
#pragma GCC system_header

#include "macros.h"
#include "optional.h"

// Forward as in Python.h, which LibTorch does not need either.
struct _object;
typedef struct _object PyObject;

// LibTorch prints the standard containers.
namespace std {
template <class... Types>
ostream& operator<<(ostream&, const vector<Types...>&) {
  ::deadgrad_stub::no_body();
}
template <class... Types>
ostream& operator<<(ostream&, const map<Types...>&) {
  ::deadgrad_stub::no_body();
}
template <class... Types>
ostream& operator<<(ostream&, const set<Types...>&) {
  ::deadgrad_stub::no_body();
}
}  // namespace std

namespace c10 {

using ::deadgrad_stub::Any;
using std::string;

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
  ArrayRef(const std::array<Type, Size>&) {
    ::deadgrad_stub::no_body();
  }
  template <std::size_t Size>
  ArrayRef(const Type (&)[Size]) {
    ::deadgrad_stub::no_body();
  }
  ArrayRef(const std::initializer_list<Type>&);
  template <class Container, class = decltype(std::declval<const Container&>().data()),
            class = ::deadgrad_stub::IfOther<Container, std::vector<Type>>>
  ArrayRef(const Container&) {
    ::deadgrad_stub::no_body();
  }
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
bool operator==(ArrayRef<Type>, ArrayRef<Type>) {
  ::deadgrad_stub::no_body();
}
template <class Type>
bool operator==(const std::vector<Type>&, ArrayRef<Type>) {
  ::deadgrad_stub::no_body();
}
template <class Type>
bool operator==(ArrayRef<Type>, const std::vector<Type>&) {
  ::deadgrad_stub::no_body();
}
template <class Type>
bool operator!=(ArrayRef<Type>, ArrayRef<Type>) {
  ::deadgrad_stub::no_body();
}
template <class Type>
bool operator!=(const std::vector<Type>&, ArrayRef<Type>) {
  ::deadgrad_stub::no_body();
}
template <class Type>
bool operator!=(ArrayRef<Type>, const std::vector<Type>&) {
  ::deadgrad_stub::no_body();
}
template <class Type>
std::ostream& operator<<(std::ostream&, ArrayRef<Type>) {
  ::deadgrad_stub::no_body();
}
template <class Type>
ArrayRef<Type> makeArrayRef(const std::vector<Type>&) {
  ::deadgrad_stub::no_body();
}
using IntArrayRef = ArrayRef<std::int64_t>;
using IntList = IntArrayRef;
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

}  // namespace c10
