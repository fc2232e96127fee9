// Devices and streams. The CUDA toolkit's own headers are not stubs: only names that they also declare the same way may
// be declared here.
#pragma once
#pragma GCC system_header

#include "core.h"
#include "tensor.h"

struct CUstream_st;
struct CUevent_st;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

namespace c10 {

#define DEADGRAD_STUB_DEVICE_GUARD(name)            \
  struct name {                                     \
    explicit name(Any = {}, Any = {});              \
    ~name();                                        \
    void set_device(Any);                           \
    void set_index(Any);                            \
    void reset_device(Any, Any = {});               \
    void reset_stream(Any);                         \
    void reset();                                   \
    Device original_device() const;                 \
    Device current_device() const;                  \
    ::deadgrad_stub::Value original_stream() const; \
    ::deadgrad_stub::Value current_stream() const;  \
  };
DEADGRAD_STUB_DEVICE_GUARD(DeviceGuard)
DEADGRAD_STUB_DEVICE_GUARD(OptionalDeviceGuard)
DEADGRAD_STUB_DEVICE_GUARD(StreamGuard)
DEADGRAD_STUB_DEVICE_GUARD(OptionalStreamGuard)
DEADGRAD_STUB_DEVICE_GUARD(MultiStreamGuard)

namespace cuda {

DEADGRAD_STUB_DEVICE_GUARD(CUDAGuard)
DEADGRAD_STUB_DEVICE_GUARD(OptionalCUDAGuard)
DEADGRAD_STUB_DEVICE_GUARD(CUDAStreamGuard)
DEADGRAD_STUB_DEVICE_GUARD(OptionalCUDAStreamGuard)
DEADGRAD_STUB_DEVICE_GUARD(CUDAMultiStreamGuard)

class CUDAStream {
 public:
  CUDAStream(Any, Any = {});
  operator cudaStream_t() const;
  operator Stream() const;
  cudaStream_t stream() const;
  Stream unwrap() const;
  Device device() const;
  DeviceIndex device_index() const;
  std::int64_t id() const;
  int priority() const;
  bool query() const;
  void synchronize() const;
  bool operator==(const CUDAStream&) const;
  bool operator!=(const CUDAStream&) const;
};
CUDAStream getStreamFromPool(Any = {}, Any = {});
CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
void setCurrentCUDAStream(CUDAStream);
DeviceIndex device_count() noexcept;
DeviceIndex device_count_ensure_non_zero();
DeviceIndex current_device();
void set_device(DeviceIndex);
void device_synchronize();
void stream_synchronize(cudaStream_t);
void warn_or_error_on_sync();

namespace CUDACachingAllocator {
struct Stat {
  std::int64_t current, peak, allocated, freed;
};
struct DeviceStats {
  std::array<Stat, 3> allocation, segment, active, allocated_bytes, reserved_bytes, active_bytes;
  std::int64_t num_alloc_retries, num_ooms;
};
void emptyCache();
void recordStream(const DataPtr&, CUDAStream);
DeviceStats getDeviceStats(Any);
void resetPeakStats(Any);
void resetAccumulatedStats(Any);
void setMemoryFraction(double, Any);
void cacheInfo(Any, Any);
void* raw_alloc(std::size_t);
void* raw_alloc_with_stream(std::size_t, cudaStream_t);
void raw_delete(void*);
Allocator* get();
void init(int);
::deadgrad_stub::Value snapshot();
}  // namespace CUDACachingAllocator

}  // namespace cuda
}  // namespace c10

namespace at {

using c10::DeviceGuard;
using c10::OptionalDeviceGuard;

namespace cuda {

using namespace c10::cuda;
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAMultiStreamGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::setCurrentCUDAStream;
bool is_available();
std::int64_t getNumGPUs();
std::int64_t warp_size();
::deadgrad_stub::Value getCurrentDeviceProperties();
::deadgrad_stub::Value getDeviceProperties(Any);
::deadgrad_stub::Value getCurrentCUDABlasHandle();
bool currentStreamCaptureStatusMayInitCtx();
struct CUDAEvent {
  CUDAEvent(Any = {}, Any = {});
  void record(Any = {}, Any = {});
  void recordOnce(Any);
  void block(const CUDAStream&);
  bool query() const;
  bool isCreated() const;
  float elapsed_time(const CUDAEvent&) const;
  void synchronize() const;
  cudaEvent_t event() const;
};
struct CUDAGraph {
  CUDAGraph();
  void capture_begin(DEADGRAD_STUB_2);
  void capture_end();
  void instantiate();
  void replay();
  void reset();
  std::pair<unsigned long long, unsigned long long> pool();
  void enable_debug_mode();
};
std::pair<unsigned long long, unsigned long long> graph_pool_handle();
namespace detail {
const Generator& getDefaultCUDAGenerator(c10::DeviceIndex = -1);
Generator createCUDAGenerator(Any = {});
}  // namespace detail

}  // namespace cuda

namespace mps {
bool is_available();
}

}  // namespace at

namespace torch {

using c10::DeviceGuard;

namespace cuda {
std::size_t device_count();
bool is_available();
bool cudnn_is_available();
void manual_seed(std::uint64_t);
void manual_seed_all(std::uint64_t);
void synchronize(std::int64_t = -1);
}  // namespace cuda
namespace mps {
bool is_available();
void manual_seed(std::uint64_t);
void synchronize();
void commit();
}  // namespace mps
namespace xpu {
std::size_t device_count();
bool is_available();
void manual_seed(std::uint64_t);
void manual_seed_all(std::uint64_t);
void synchronize(std::int64_t);
}  // namespace xpu
namespace mtia {
bool is_available();
}

}  // namespace torch

#undef DEADGRAD_STUB_DEVICE_GUARD
