// The options of layers and of functions, and the enumerators that they take.
#pragma once
#pragma GCC system_header

#include "nn_module.h"
#include "nn_names.h"

namespace torch {

namespace enumtype {
#define DEADGRAD_STUB_ENUMERATOR(name) \
  struct k##name {};
DEADGRAD_STUB_ENUMERATORS(DEADGRAD_STUB_ENUMERATOR)
#undef DEADGRAD_STUB_ENUMERATOR
}  // namespace enumtype
#define DEADGRAD_STUB_ENUMERATOR(name) constexpr enumtype::k##name k##name{};
DEADGRAD_STUB_ENUMERATORS(DEADGRAD_STUB_ENUMERATOR)
#undef DEADGRAD_STUB_ENUMERATOR

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

namespace nn {

// One class stands for the options of every layer; the name of each layer's own options converts from and to it.
class LayerOptions {
 public:
  LayerOptions();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, LayerOptions>>
  LayerOptions(First&&, Rest&&...) {
    ::deadgrad_stub::no_body();
  }
  LayerOptions(std::initializer_list<Any>, DEADGRAD_STUB_2);
  LayerOptions(Any, std::initializer_list<Any>, Any = {});
  LayerOptions(Any, Any, std::initializer_list<Any>);
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  std::int64_t& name();               \
  const std::int64_t& name() const;
  DEADGRAD_STUB_INTEGER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  double& name();                     \
  const double& name() const;
  DEADGRAD_STUB_NUMBER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  bool& name();                       \
  const bool& name() const;
  DEADGRAD_STUB_FLAG_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
#define DEADGRAD_STUB_OPTION(name)    \
  LayerOptions& name(Any new_##name); \
  ::deadgrad_stub::Value name() const;
  DEADGRAD_STUB_OTHER_OPTIONS(DEADGRAD_STUB_OPTION)
#undef DEADGRAD_STUB_OPTION
};

#define DEADGRAD_STUB_OPTIONS(name)           \
  class name##Options : public LayerOptions { \
   public:                                    \
    using LayerOptions::LayerOptions;         \
    name##Options();                          \
    name##Options(const LayerOptions&);       \
  };

// Options that several layers share, under their own names.
#define DEADGRAD_STUB_SHARED_OPTIONS(name) \
  template <std::size_t Dimensions>        \
  class name : public LayerOptions {       \
   public:                                 \
    using LayerOptions::LayerOptions;      \
    name();                                \
    name(const LayerOptions&);             \
  };
DEADGRAD_STUB_SHARED_OPTIONS(ConvOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ConvTransposeOptions)
DEADGRAD_STUB_SHARED_OPTIONS(MaxPoolOptions)
DEADGRAD_STUB_SHARED_OPTIONS(AvgPoolOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ReflectionPadOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ConstantPadOptions)
DEADGRAD_STUB_SHARED_OPTIONS(ReplicationPadOptions)
#undef DEADGRAD_STUB_SHARED_OPTIONS
#define DEADGRAD_STUB_OPTIONS_OF(name) DEADGRAD_STUB_OPTIONS(name)
DEADGRAD_STUB_OPTIONS_OF(BatchNorm)
DEADGRAD_STUB_OPTIONS_OF(InstanceNorm)
DEADGRAD_STUB_OPTIONS_OF(ModuleDictItem)
#undef DEADGRAD_STUB_OPTIONS_OF

}  // namespace nn
}  // namespace torch
