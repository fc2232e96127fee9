// Registration of operators and classes with the dispatcher.
#pragma once
#pragma GCC system_header

#include "ivalue.h"

namespace torch {

struct CppFunction {
  template <class Callable>
  CppFunction(Callable&&);
  static CppFunction makeFallthrough();
  template <class Callable>
  static CppFunction makeFromBoxedFunction();
};
template <class... Arguments>
::deadgrad_stub::Value dispatch(Arguments&&...);
template <class... Arguments>
::deadgrad_stub::Value schema(Arguments&&...);
template <class... Arguments>
struct init_types {};
namespace detail {
template <class... Types>
struct types {};
}  // namespace detail
template <class... Types>
detail::types<void, Types...> init();
template <class Callable>
::deadgrad_stub::Value init(Callable&&);
struct arg {
  explicit arg(std::string);
  template <class Default>
  arg& operator=(const Default&);
  static arg none();
};

template <class Held>
class class_ {
 public:
  explicit class_(Any, Any = {}, Any = {});
  template <class... Arguments>
  class_& def(Arguments&&...);
  template <class... Arguments>
  class_& def_static(Arguments&&...);
  template <class... Arguments>
  class_& def_property(Arguments&&...);
  template <class... Arguments>
  class_& def_readonly(Arguments&&...);
  template <class... Arguments>
  class_& def_readwrite(Arguments&&...);
  template <class... Arguments>
  class_& def_pickle(Arguments&&...);
};

class Library {
 public:
  template <class... Arguments>
  Library& def(Arguments&&...);
  template <class... Arguments>
  Library& impl(Arguments&&...);
  template <class... Arguments>
  Library& fallback(Arguments&&...);
  template <class Held>
  torch::class_<Held> class_(const std::string&);
  template <class... Arguments>
  Library& set_python_module(Arguments&&...);
  Library& impl_abstract_pystub(Any, Any = {});
};

struct RegisterOperators {
  RegisterOperators();
  template <class... Arguments>
  explicit RegisterOperators(Arguments&&...);
  static ::deadgrad_stub::Value options();
  template <class... Arguments>
  RegisterOperators& op(Arguments&&...);
};
namespace jit {
struct RegisterOperators;
}

}  // namespace torch

namespace c10 {
using ::torch::RegisterOperators;
class OperatorHandle {
 public:
  const FunctionSchema& schema() const;
  template <class Signature>
  ::deadgrad_stub::Value typed() const;
  void callBoxed(Any) const;
};
class Dispatcher {
 public:
  static Dispatcher& singleton();
  OperatorHandle findSchemaOrThrow(const char*, const char*);
  optional<OperatorHandle> findSchema(Any);
};
}  // namespace c10

#define TORCH_FN(function) (&function)
#define TORCH_BOX(function) (&function)
#define TORCH_SELECTIVE_SCHEMA(text) text
#define TORCH_SELECTIVE_NAME(text) text
#define DEADGRAD_STUB_LIBRARY(...) DEADGRAD_STUB_LIBRARY_AS(__VA_ARGS__)
#define DEADGRAD_STUB_LIBRARY_AS(function, library)                    \
  static void function(::torch::Library&);                             \
  static void (*const function##_used)(::torch::Library&) = &function; \
  static void function(::torch::Library& library)
#define TORCH_LIBRARY(space, library) DEADGRAD_STUB_LIBRARY(C10_CONCATENATE(deadgrad_stub_library_, space), library)
#define TORCH_LIBRARY_FRAGMENT(space, library) \
  DEADGRAD_STUB_LIBRARY(C10_CONCATENATE(C10_CONCATENATE(deadgrad_stub_fragment_, space), __LINE__), library)
#define TORCH_LIBRARY_IMPL(space, key, library) \
  DEADGRAD_STUB_LIBRARY(C10_CONCATENATE(C10_CONCATENATE(deadgrad_stub_impl_##space##_, key), __LINE__), library)
