// What the permissive part of the stubs is made of. A stub is only parsed, never run: it gives each name of LibTorch a
// type, so that Clang resolves the user's calls. Nothing here may collide with a name of the user's.
#pragma once
#pragma GCC system_header

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cctype>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#include <variant>
#endif

namespace deadgrad_stub {

// The body of every function template: a call with a type that has no linkage, such as a lambda, needs one.
[[noreturn]] void no_body();

// A parameter that takes anything, braces included. An analysis looks through the conversion to it.
struct Any {
  Any();
  Any(const Any&);
  template <class Argument>
  Any(Argument&&) {
    ::deadgrad_stub::no_body();
  }
  Any(std::initializer_list<Any>);
};

// A result whose type no analysis needs: it converts to whatever the user stores it in.
struct Value {
  template <class Target>
  operator Target() const {
    ::deadgrad_stub::no_body();
  }
  template <class... Arguments>
  Value operator()(Arguments&&...) const {
    ::deadgrad_stub::no_body();
  }
  template <class Index>
  Value operator[](Index&&) const {
    ::deadgrad_stub::no_body();
  }
  const Value* operator->() const;
  const Value& operator*() const;
};

std::ostream& operator<<(std::ostream&, const Value&);

template <class Type>
using IfNumber = typename std::enable_if<std::is_arithmetic<Type>::value || std::is_enum<Type>::value>::type;

template <class Type, class Self>
using IfOther = typename std::enable_if<!std::is_same<typename std::decay<Type>::type, Self>::value>::type;

// A range of values that are made while iterating.
template <class Item>
struct Range {
  struct iterator {
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item;
    using iterator_category = std::input_iterator_tag;
    Item operator*() const;
    Item* operator->() const;
    iterator& operator++();
    iterator operator++(int);
    bool operator==(const iterator&) const;
    bool operator!=(const iterator&) const;
  };
  iterator begin() const;
  iterator end() const;
  std::size_t size() const;
};

}  // namespace deadgrad_stub

// Parameters that the caller may leave out.
#define DEADGRAD_STUB_2 ::deadgrad_stub::Any = {}, ::deadgrad_stub::Any = {}
#define DEADGRAD_STUB_3 DEADGRAD_STUB_2, ::deadgrad_stub::Any = {}
#define DEADGRAD_STUB_4 DEADGRAD_STUB_3, ::deadgrad_stub::Any = {}
#define DEADGRAD_STUB_8 DEADGRAD_STUB_4, DEADGRAD_STUB_4
#define DEADGRAD_STUB_12 DEADGRAD_STUB_8, DEADGRAD_STUB_4

// at and torch see the names below them, as in LibTorch.
namespace c10 {}
namespace at {
using namespace c10;
}
namespace torch {
using namespace at;
using namespace c10;
}  // namespace torch
namespace caffe2 {
using namespace at;
}
