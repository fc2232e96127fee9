// What the permissive part of the stubs is made of. A stub is only parsed, never run: it gives each name of LibTorch a
// type, so that Clang resolves the user's calls. Nothing here may collide with a name of the user's.
#pragma once
#pragma GCC system_header

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
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
#endif

namespace deadgrad_stub {

// A parameter that takes anything, braces included. An analysis looks through the conversion to it.
struct Any {
  Any();
  Any(const Any&);
  template <class Argument>
  Any(Argument&&);
  Any(std::initializer_list<Any>);
};

// A result whose type no analysis needs: it converts to whatever the user stores it in.
struct Value {
  template <class Target>
  operator Target() const;
  template <class... Arguments>
  Value operator()(Arguments&&...) const;
  template <class Index>
  Value operator[](Index&&) const;
  const Value* operator->() const;
  const Value& operator*() const;
};

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
