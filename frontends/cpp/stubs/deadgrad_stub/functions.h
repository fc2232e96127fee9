// The free functions of at, which torch sees too.
#pragma once
#pragma GCC system_header

#include "function_names.h"
#include "tensor.h"

namespace at {

#define DEADGRAD_STUB_FUNCTION(name) Tensor name(const Tensor&);
DEADGRAD_STUB_FUNCTIONS_UNARY(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(const Tensor&, DEADGRAD_STUB_3);
DEADGRAD_STUB_FUNCTIONS_FEW(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(const Tensor&, DEADGRAD_STUB_12);
DEADGRAD_STUB_FUNCTIONS_MANY(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(Any, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONS_FREE(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) Tensor& name(const Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONS_INPLACE(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) std::vector<Tensor> name(Any, DEADGRAD_STUB_3);
DEADGRAD_STUB_FUNCTIONS_VECTOR(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) std::tuple<Tensor, Tensor> name(const Tensor&, DEADGRAD_STUB_12);
DEADGRAD_STUB_FUNCTIONS_TUPLE2(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) std::tuple<Tensor, Tensor, Tensor> name(const Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONS_TUPLE3(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) std::tuple<Tensor, Tensor, Tensor, Tensor> name(const Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONS_TUPLE4(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
#define DEADGRAD_STUB_FUNCTION(name) Tensor& name(Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_FUNCTIONS_OUT(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION

#define DEADGRAD_STUB_ORDERED(name)                                           \
  Tensor name(const Tensor&);                                                 \
  Tensor name(const Tensor&, const Tensor&);                                  \
  std::tuple<Tensor, Tensor> name(const Tensor&, std::int64_t, bool = false); \
  std::tuple<Tensor, Tensor> name(const Tensor&, Dimname, bool = false);
DEADGRAD_STUB_ORDERED(max)
DEADGRAD_STUB_ORDERED(min)
DEADGRAD_STUB_ORDERED(median)
DEADGRAD_STUB_ORDERED(nanmedian)
#undef DEADGRAD_STUB_ORDERED

// One tensor gives one tensor, several give several.
#define DEADGRAD_STUB_EACH(name)               \
  Tensor name(const Tensor&, DEADGRAD_STUB_4); \
  std::vector<Tensor> name(TensorList, DEADGRAD_STUB_4);
DEADGRAD_STUB_EACH(atleast_1d)
DEADGRAD_STUB_EACH(atleast_2d)
DEADGRAD_STUB_EACH(atleast_3d)
DEADGRAD_STUB_EACH(dequantize)
DEADGRAD_STUB_EACH(quantize_per_tensor)
#undef DEADGRAD_STUB_EACH

Tensor tensor(Any, Any = {});
Tensor from_blob(void*, Any, DEADGRAD_STUB_4);
Tensor from_file(Any, DEADGRAD_STUB_4);
Tensor einsum(Any, Any, Any = {});
Tensor normal(Any, DEADGRAD_STUB_4);
Tensor where(Any, Any, Any);
std::vector<Tensor> where(const Tensor&);
std::vector<Tensor> gradient(const Tensor&, DEADGRAD_STUB_4);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor&, DEADGRAD_STUB_8);
std::tuple<Tensor, Tensor> gru(const Tensor&, DEADGRAD_STUB_8);
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor&, DEADGRAD_STUB_8);
std::tuple<Tensor, Tensor> rnn_relu(const Tensor&, DEADGRAD_STUB_8);
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor&, DEADGRAD_STUB_8);
std::tuple<Tensor, Tensor, Tensor> unique(const Tensor&, DEADGRAD_STUB_4);
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor&, DEADGRAD_STUB_4);
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor&, DEADGRAD_STUB_8);
ScalarType result_type(Any, Any);
ScalarType promote_types(ScalarType, ScalarType);
bool equal(const Tensor&, const Tensor&);
bool allclose(const Tensor&, const Tensor&, DEADGRAD_STUB_3);
bool is_nonzero(const Tensor&);
bool is_complex(const Tensor&);
bool is_floating_point(const Tensor&);
bool is_signed(const Tensor&);
bool is_tensor(Any);
bool can_cast(ScalarType, ScalarType);
std::int64_t numel(const Tensor&);
std::int64_t size(const Tensor&, std::int64_t);
double q_scale(const Tensor&);
std::int64_t q_zero_point(const Tensor&);
Tensor unsafeTensorFromTH(void*, bool);
Tensor fromDLPack(Any);
Tensor wrapped_scalar_tensor(const Scalar&);
Tensor scalar_to_tensor(const Scalar&, Any = {});

namespace native {
using namespace at;
}

}  // namespace at

namespace torch {

// The names of Python's namespaces, each with the functions whose prefix it is.
namespace fft {
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(const Tensor&, DEADGRAD_STUB_4);
DEADGRAD_STUB_FFT_FUNCTIONS(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
Tensor fftfreq(Any, DEADGRAD_STUB_3);
Tensor rfftfreq(Any, DEADGRAD_STUB_3);
}  // namespace fft
namespace linalg {
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(const Tensor&, DEADGRAD_STUB_8);
DEADGRAD_STUB_LINALG_FUNCTIONS(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
std::tuple<Tensor, Tensor> eig(const Tensor&);
std::tuple<Tensor, Tensor> eigh(const Tensor&, DEADGRAD_STUB_2);
std::tuple<Tensor, Tensor> qr(const Tensor&, DEADGRAD_STUB_2);
std::tuple<Tensor, Tensor> slogdet(const Tensor&);
std::tuple<Tensor, Tensor> lu_factor(const Tensor&, DEADGRAD_STUB_2);
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor&, DEADGRAD_STUB_3);
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor&, DEADGRAD_STUB_2);
}  // namespace linalg
namespace special {
#define DEADGRAD_STUB_FUNCTION(name) Tensor name(Any, DEADGRAD_STUB_4);
DEADGRAD_STUB_SPECIAL_FUNCTIONS(DEADGRAD_STUB_FUNCTION)
#undef DEADGRAD_STUB_FUNCTION
}  // namespace special
namespace sparse {
Tensor sum(const Tensor&, DEADGRAD_STUB_4);
}
namespace nested {
Tensor nested_tensor(Any, DEADGRAD_STUB_4);
Tensor as_nested_tensor(Any, DEADGRAD_STUB_4);
}  // namespace nested

}  // namespace torch
