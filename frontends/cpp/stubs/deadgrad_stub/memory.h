// Shared pointers, storage, generators of random numbers, and small helpers.
#pragma once
#pragma GCC system_header

#include "options.h"

namespace c10 {

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
  intrusive_ptr(const intrusive_ptr<Other>&) {
    ::deadgrad_stub::no_body();
  }
  explicit intrusive_ptr(Target*);
  template <class... Arguments>
  static intrusive_ptr make(Arguments&&...) {
    ::deadgrad_stub::no_body();
  }
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
bool operator==(const intrusive_ptr<Left>&, const intrusive_ptr<Right>&) {
  ::deadgrad_stub::no_body();
}
template <class Left, class Right>
bool operator!=(const intrusive_ptr<Left>&, const intrusive_ptr<Right>&) {
  ::deadgrad_stub::no_body();
}
template <class Left>
bool operator==(const intrusive_ptr<Left>&, std::nullptr_t) {
  ::deadgrad_stub::no_body();
}
template <class Left>
bool operator!=(const intrusive_ptr<Left>&, std::nullptr_t) {
  ::deadgrad_stub::no_body();
}
template <class Target, class... Arguments>
intrusive_ptr<Target> make_intrusive(Arguments&&...) {
  ::deadgrad_stub::no_body();
}
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
  Type* data() const {
    ::deadgrad_stub::no_body();
  }
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
::deadgrad_stub::Range<Integer> irange(Integer) {
  ::deadgrad_stub::no_body();
}
template <class First, class Last>
::deadgrad_stub::Range<Last> irange(First, Last) {
  ::deadgrad_stub::no_body();
}

template <class... Parts>
std::string str(const Parts&...) {
  ::deadgrad_stub::no_body();
}
std::string Join(const std::string&, Any);
std::string demangle(const char*);
template <class Function>
class ScopeExit {
 public:
  explicit ScopeExit(Function&&);
  ~ScopeExit() {}
};
template <class Function>
ScopeExit<Function> make_scope_exit(Function&&) {
  ::deadgrad_stub::no_body();
}

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
  Generator(Source&&) {
    ::deadgrad_stub::no_body();
  }
  void set_current_seed(std::uint64_t);
  std::uint64_t current_seed() const;
  std::uint64_t seed();
  bool defined() const;
  Device device() const;
  template <class Type>
  Type* get() const {
    ::deadgrad_stub::no_body();
  }
  std::mutex& mutex();
  Generator clone() const;
};
template <class Type = Generator>
Generator make_generator(DEADGRAD_STUB_2) {
  ::deadgrad_stub::no_body();
}

class Dimname {
 public:
  template <class Symbol>
  static Dimname fromSymbol(Symbol) {
    ::deadgrad_stub::no_body();
  }
  static Dimname wildcard();
};
using DimnameList = ArrayRef<Dimname>;

}  // namespace at
