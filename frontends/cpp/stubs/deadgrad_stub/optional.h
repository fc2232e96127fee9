// c10::optional and c10::string_view: the standard ones, and stand-ins for C++14.
#pragma once
#pragma GCC system_header

#include "any.h"

namespace c10 {

#if __cplusplus >= 201703L
using std::in_place;
using std::in_place_t;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
#else
struct nullopt_t {
  explicit constexpr nullopt_t(int) {}
};
constexpr nullopt_t nullopt{0};
struct in_place_t {};
constexpr in_place_t in_place{};

template <class Type>
class optional {
 public:
  using value_type = Type;
  optional();
  optional(nullopt_t);
  optional(const optional&);
  template <class Other, class = ::deadgrad_stub::IfOther<Other, optional>>
  optional(Other&&);
  template <class... Arguments>
  explicit optional(in_place_t, Arguments&&...);
  optional& operator=(const optional&);
  template <class... Arguments>
  Type& emplace(Arguments&&...);
  void reset();
  bool has_value() const;
  explicit operator bool() const;
  Type& value() const;
  Type& operator*() const;
  Type* operator->() const;
  template <class Other>
  Type value_or(Other&&) const;
  bool operator==(const optional&) const;
  bool operator!=(const optional&) const;
};

template <class Type>
optional<typename std::decay<Type>::type> make_optional(Type&&);

class string_view {
 public:
  string_view();
  string_view(const char*);
  string_view(const std::string&);
  explicit operator std::string() const;
  const char* data() const;
  std::size_t size() const;
  bool empty() const;
  bool operator==(string_view) const;
};
#endif

template <class Type>
constexpr bool has_value(const optional<Type>&);

}  // namespace c10
