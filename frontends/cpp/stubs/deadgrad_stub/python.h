// What a C++ extension for Python uses of pybind11. It is a stub of its own, since the name py belongs to such files
// only.
#pragma once
#pragma GCC system_header

#include "any.h"

namespace pybind11 {

using ::deadgrad_stub::Any;

class handle {
 public:
  handle();
  template <class Other, class = ::deadgrad_stub::IfOther<Other, handle>>
  handle(Other&&);
  template <class Target>
  Target cast() const;
  template <class... Arguments>
  class object operator()(Arguments&&...) const;
  class object attr(const char*) const;
  bool is_none() const;
  bool is(Any) const;
  void* ptr() const;
  const handle& inc_ref() const;
  const handle& dec_ref() const;
  explicit operator bool() const;
};
class object : public handle {
 public:
  using handle::handle;
  object();
  object operator[](Any) const;
  template <class Assigned>
  object& operator=(Assigned&&);
  object(const object&);
  object& operator=(const object&);
  ::deadgrad_stub::Range<object>::iterator begin() const;
  ::deadgrad_stub::Range<object>::iterator end() const;
  template <class... Arguments>
  static object import(Arguments&&...);
};
#define DEADGRAD_STUB_PYTHON(name) \
  class name : public object {     \
   public:                         \
    using object::object;          \
    name();                        \
    name(const name&);             \
    std::size_t size() const;      \
    void append(Any) const;        \
    bool contains(Any) const;      \
    operator std::string() const;  \
    operator double() const;       \
    operator bool() const;         \
  };
DEADGRAD_STUB_PYTHON(none)
DEADGRAD_STUB_PYTHON(str)
DEADGRAD_STUB_PYTHON(bytes)
DEADGRAD_STUB_PYTHON(list)
DEADGRAD_STUB_PYTHON(tuple)
DEADGRAD_STUB_PYTHON(dict)
DEADGRAD_STUB_PYTHON(args)
DEADGRAD_STUB_PYTHON(kwargs)
DEADGRAD_STUB_PYTHON(function)
DEADGRAD_STUB_PYTHON(buffer)
DEADGRAD_STUB_PYTHON(capsule)
DEADGRAD_STUB_PYTHON(int_)
DEADGRAD_STUB_PYTHON(float_)
DEADGRAD_STUB_PYTHON(bool_)
#undef DEADGRAD_STUB_PYTHON
template <class Element, int Flags = 0>
class array_t : public object {
 public:
  array_t(DEADGRAD_STUB_4);
  ::deadgrad_stub::Value request() const;
  std::size_t size() const;
  std::size_t ndim() const;
  std::size_t shape(std::size_t) const;
  const Element* data(DEADGRAD_STUB_2) const;
  Element* mutable_data(DEADGRAD_STUB_2);
  template <int Dimensions = -1>
  ::deadgrad_stub::Value unchecked() const;
};
using array = array_t<double>;
class module_ : public object {
 public:
  template <class... Arguments>
  module_& def(Arguments&&...);
  module_ def_submodule(const char*, const char* = nullptr);
  void add_object(const char*, Any);
  static module_ import(const char*);
  Any& doc();
};
using module = module_;
struct arg {
  explicit arg(const char*);
  arg& noconvert(bool = true);
  template <class Default>
  Any operator=(Default&&) const;
};
template <class... Types>
struct init_arguments {};
template <class... Types>
init_arguments<Types...> init();
template <class Callable>
Any init(Callable&&);
template <class... Callables>
Any pickle(Callables&&...);
template <class... Types, class Callable>
Any overload_cast(Callable);
template <class... Types>
struct call_guard {};
template <int First, int Second>
struct keep_alive {};
struct dynamic_attr {};
struct buffer_protocol {};
enum class return_value_policy {
  automatic,
  automatic_reference,
  take_ownership,
  copy,
  move,
  reference,
  reference_internal
};
template <class Held, class... Options>
class class_ : public object {
 public:
  template <class... Arguments>
  class_(Any, const char*, Arguments&&...);
#define DEADGRAD_STUB_DEFINITION(name) \
  template <class... Arguments>        \
  class_& name(Arguments&&...);
  DEADGRAD_STUB_DEFINITION(def)
  DEADGRAD_STUB_DEFINITION(def_static)
  DEADGRAD_STUB_DEFINITION(def_readwrite)
  DEADGRAD_STUB_DEFINITION(def_readonly)
  DEADGRAD_STUB_DEFINITION(def_property)
  DEADGRAD_STUB_DEFINITION(def_property_readonly)
  DEADGRAD_STUB_DEFINITION(def_buffer)
#undef DEADGRAD_STUB_DEFINITION
};
template <class Enumeration>
class enum_ : public object {
 public:
  template <class... Arguments>
  enum_(Any, const char*, Arguments&&...);
  enum_& value(const char*, Enumeration, const char* = nullptr);
  enum_& export_values();
};
struct gil_scoped_release {
  gil_scoped_release(bool = false);
  ~gil_scoped_release();
};
struct gil_scoped_acquire {
  gil_scoped_acquire();
  ~gil_scoped_acquire();
};
struct scoped_interpreter {
  scoped_interpreter(bool = true);
  ~scoped_interpreter();
};
class error_already_set : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
template <class Target>
Target cast(const handle&);
template <class Source>
object cast(Source&&);
template <class Target>
bool isinstance(Any);
template <class... Arguments>
void print(Arguments&&...);
template <class Exception>
void register_exception(Any, const char*);
object eval(Any, Any = {}, Any = {});
void exec(Any, Any = {}, Any = {});
dict globals();
std::size_t len(Any);
namespace literals {
arg operator""_a(const char*, std::size_t);
str operator""_s(const char*, std::size_t);
}  // namespace literals

}  // namespace pybind11

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME torch_extension
#endif
#define PYBIND11_MODULE(name, variable, ...)                                                                  \
  static void deadgrad_stub_python_module(::pybind11::module_&);                                              \
  static void (*const deadgrad_stub_python_module_used)(::pybind11::module_&) = &deadgrad_stub_python_module; \
  static void deadgrad_stub_python_module(::pybind11::module_& variable)
#define PYBIND11_EMBEDDED_MODULE(name, variable, ...) PYBIND11_MODULE(name, variable)
#define PYBIND11_MAKE_OPAQUE(...)
#define PYBIND11_OVERRIDE(type, base, name, ...) return base::name(__VA_ARGS__)
#define PYBIND11_OVERLOAD(type, base, name, ...) return base::name(__VA_ARGS__)
#define PYBIND11_OVERRIDE_PURE(type, base, name, ...) ::deadgrad_stub::check_failed()
#define PYBIND11_OVERLOAD_PURE(type, base, name, ...) ::deadgrad_stub::check_failed()
