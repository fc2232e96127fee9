// Threads, global settings, autocast and profiling: what runs around a forward pass.
#pragma once
#pragma GCC system_header

#include "guards.h"
#include "ivalue.h"

namespace at {

template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain_size, const Body& body) {
  ::deadgrad_stub::no_body();
}
template <class Scalar, class Body, class Combine>
Scalar parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain_size, Scalar identity, const Body& body,
                       const Combine& combine) {
  ::deadgrad_stub::no_body();
}
void launch(std::function<void()> task);
void launch_no_thread_state(std::function<void()> task);
void intraop_launch(std::function<void()> task);
c10::intrusive_ptr<c10::ivalue::Future> intraop_launch_future(std::function<void()> task);
void init_num_threads();
void set_num_threads(int);
int get_num_threads();
int get_thread_num();
bool in_parallel_region();
void set_num_interop_threads(int);
std::size_t get_num_interop_threads();
std::string get_parallel_info();
int intraop_default_num_threads();

void manual_seed(std::uint64_t);
std::size_t getNumGPUs();
bool hasCUDA();
bool hasMPS();
bool hasXPU();
bool hasHIP();
bool hasMKL();
bool hasLAPACK();
bool hasMKLDNN();
std::string show_config();
std::string get_cxx_flags();

class Context {
 public:
  void setBenchmarkCuDNN(bool);
  bool benchmarkCuDNN() const;
  void setBenchmarkLimitCuDNN(int);
  void setUserEnabledCuDNN(bool);
  bool userEnabledCuDNN() const;
  void setUserEnabledMkldnn(bool);
  bool deterministicCuDNN() const;
  void setDeterministicCuDNN(bool);
  bool deterministicAlgorithms() const;
  void setDeterministicAlgorithms(bool, bool = false);
  void setDeterministicFillUninitializedMemory(bool);
  bool deterministicFillUninitializedMemory() const;
  void setAllowTF32CuBLAS(bool);
  bool allowTF32CuBLAS() const;
  void setAllowTF32CuDNN(bool);
  bool allowTF32CuDNN() const;
  void setAllowFP16ReductionCuBLAS(bool);
  void setAllowBF16ReductionCuBLAS(bool);
  void setFloat32MatmulPrecision(Any);
  void setQEngine(Any);
  void setSDPUseFlash(bool);
  void setSDPUseMath(bool);
  void setSDPUseMemEfficient(bool);
  bool setFlushDenormal(bool);
  bool hasCUDA() const;
  bool hasMPS() const;
  bool hasXPU() const;
  Generator& defaultGenerator(Any);
  const Generator& defaultMutableGenerator(Any);
  void lazyInitCUDA();
  void setReleaseOriginalWeights(bool);
};
Context& globalContext();
enum class QEngine { NoQEngine, FBGEMM, QNNPACK, ONEDNN, X86 };

namespace detail {
const Generator& getDefaultCPUGenerator();
Generator createCPUGenerator(std::uint64_t = 0);
}  // namespace detail

namespace autocast {
void set_enabled(bool);
bool is_enabled();
void set_autocast_enabled(Any, Any = {});
bool is_autocast_enabled(Any);
void set_cpu_enabled(bool);
bool is_cpu_enabled();
void set_xpu_enabled(bool);
void set_autocast_dtype(Any, Any);
void set_autocast_gpu_dtype(Any);
void set_autocast_cpu_dtype(Any);
ScalarType get_autocast_gpu_dtype();
ScalarType get_autocast_cpu_dtype();
ScalarType get_autocast_dtype(Any);
void set_autocast_cache_enabled(bool);
bool is_autocast_cache_enabled();
void clear_cache();
int increment_nesting();
int decrement_nesting();
Tensor cached_cast(Any, Any, Any = {});
}  // namespace autocast

namespace tracer {
namespace impl {
struct NoTracerDispatchMode {
  NoTracerDispatchMode();
  ~NoTracerDispatchMode();
};
}  // namespace impl
}  // namespace tracer

struct RecordFunction {
  explicit RecordFunction(Any = {}, Any = {});
  ~RecordFunction();
  const char* name() const;
};
struct RecordFunctionGuard {
  explicit RecordFunctionGuard(bool = true);
  ~RecordFunctionGuard();
};
struct DisableRecordFunctionGuard : RecordFunctionGuard {};
enum class RecordScope { FUNCTION, BACKWARD_FUNCTION, TORCHSCRIPT_FUNCTION, USER_SCOPE };
#define RECORD_FUNCTION(name, inputs) ::at::RecordFunction deadgrad_stub_record_function
#define RECORD_USER_SCOPE(name) ::at::RecordFunction deadgrad_stub_record_scope

// The loops of native kernels.
class TensorIteratorBase {
 public:
  std::int64_t numel() const;
  int ntensors() const;
  IntArrayRef shape() const;
  Tensor output(int = 0) const;
  Tensor input(int = 0) const;
  ScalarType dtype(int = 0) const;
  ScalarType common_dtype() const;
  Device device(int = 0) const;
  template <class Loop>
  void for_each(Loop, std::int64_t = 0) {
    ::deadgrad_stub::no_body();
  }
  void* data_ptr(int) const;
};
class TensorIterator : public TensorIteratorBase {
 public:
  static TensorIterator unary_op(DEADGRAD_STUB_4);
  static TensorIterator binary_op(DEADGRAD_STUB_4);
  static TensorIterator nullary_op(DEADGRAD_STUB_4);
  static TensorIterator reduce_op(DEADGRAD_STUB_4);
};
class TensorIteratorConfig {
 public:
#define DEADGRAD_STUB_SETTING(name) TensorIteratorConfig& name(DEADGRAD_STUB_2);
  DEADGRAD_STUB_SETTING(add_output)
  DEADGRAD_STUB_SETTING(add_input)
  DEADGRAD_STUB_SETTING(add_owned_output)
  DEADGRAD_STUB_SETTING(add_owned_input)
  DEADGRAD_STUB_SETTING(add_const_input)
  DEADGRAD_STUB_SETTING(set_check_mem_overlap)
  DEADGRAD_STUB_SETTING(check_all_same_dtype)
  DEADGRAD_STUB_SETTING(check_all_same_device)
  DEADGRAD_STUB_SETTING(promote_inputs_to_common_dtype)
  DEADGRAD_STUB_SETTING(cast_common_dtype_to_outputs)
  DEADGRAD_STUB_SETTING(resize_outputs)
  DEADGRAD_STUB_SETTING(declare_static_shape)
  DEADGRAD_STUB_SETTING(declare_static_dtype_and_device)
#undef DEADGRAD_STUB_SETTING
  TensorIterator build();
};

struct TensorArg {
  TensorArg(const Tensor&, const char*, int);
  const Tensor* operator->() const;
  const Tensor& operator*() const;
};
using CheckedFrom = const char*;
#define DEADGRAD_STUB_ARGUMENT_CHECK(name) void name(Any, DEADGRAD_STUB_4);
DEADGRAD_STUB_ARGUMENT_CHECK(checkDim)
DEADGRAD_STUB_ARGUMENT_CHECK(checkDimRange)
DEADGRAD_STUB_ARGUMENT_CHECK(checkSize)
DEADGRAD_STUB_ARGUMENT_CHECK(checkSameSize)
DEADGRAD_STUB_ARGUMENT_CHECK(checkSameType)
DEADGRAD_STUB_ARGUMENT_CHECK(checkSameGPU)
DEADGRAD_STUB_ARGUMENT_CHECK(checkAllSameGPU)
DEADGRAD_STUB_ARGUMENT_CHECK(checkAllSameType)
DEADGRAD_STUB_ARGUMENT_CHECK(checkContiguous)
DEADGRAD_STUB_ARGUMENT_CHECK(checkAllContiguous)
DEADGRAD_STUB_ARGUMENT_CHECK(checkScalarType)
DEADGRAD_STUB_ARGUMENT_CHECK(checkDefined)
DEADGRAD_STUB_ARGUMENT_CHECK(checkAllDefined)
DEADGRAD_STUB_ARGUMENT_CHECK(checkNumel)
#undef DEADGRAD_STUB_ARGUMENT_CHECK

}  // namespace at

namespace c10 {
class ThreadLocalDebugInfo;
std::uint64_t getTime(bool = false);
void set_terminate_handler();
}  // namespace c10

namespace torch {

using at::get_num_interop_threads;
using at::get_num_threads;
using at::init_num_threads;
using at::manual_seed;
using at::set_num_interop_threads;
using at::set_num_threads;
using c10::get_default_dtype;
std::string get_parallel_info();
std::string show_config();
void set_default_dtype(Any);

}  // namespace torch
