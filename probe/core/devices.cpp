// What LibTorch's own allocators tell of the devices. Reads only, but for reset_device_peaks().
#include <c10/core/Device.h>
#include <torch/version.h>

#include <atomic>

#include "probe/core/torch.h"

#define DEADGRAD_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)
#if DEADGRAD_TORCH >= 209
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#elif defined(DEADGRAD_PROBE_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif
#if DEADGRAD_TORCH >= 201
#include <ATen/detail/MPSHooksInterface.h>
#endif

namespace deadgrad::probe {

template <class Stats>
static DeviceMemory memory_of(std::string name, const Stats& stats) {
  const auto& allocated = stats.allocated_bytes[0];  // of small and large blocks together
  const auto& reserved = stats.reserved_bytes[0];
  DeviceMemory memory;
  memory.name = std::move(name);
  memory.allocated = allocated.current;
  memory.allocated_peak = allocated.peak;
  memory.reserved = reserved.current;
  memory.reserved_peak = reserved.peak;
  return memory;
}

// Calls visit(name, stats, reset) for each device whose allocator has been used.
#if DEADGRAD_TORCH >= 209
template <class Visit>
static void each_caching_device(Visit visit) {
  for (c10::DeviceType type :
       {c10::DeviceType::CUDA, c10::DeviceType::HIP, c10::DeviceType::XPU, c10::DeviceType::PrivateUse1}) {
    if (!c10::impl::hasDeviceGuardImpl(type)) continue;
    try {
      auto* allocator = dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(type));
      if (allocator == nullptr || !allocator->initialized()) continue;
      const int count = c10::impl::getDeviceGuardImpl(type)->deviceCount();
      for (int index = 0; index < count; ++index) {
        const auto device = static_cast<c10::DeviceIndex>(index);
        visit(c10::Device(type, device).str(), allocator->getDeviceStats(device),
              [&] { allocator->resetPeakStats(device); });
      }
    } catch (...) {
      continue;  // an allocator that keeps no statistics
    }
  }
}
#elif defined(DEADGRAD_PROBE_CUDA)
template <class Visit>
static void each_caching_device(Visit visit) {
  namespace cuda = c10::cuda::CUDACachingAllocator;
  const int count = c10::cuda::device_count();
  for (int index = 0; index < count; ++index) try {
      visit("cuda:" + std::to_string(index), cuda::getDeviceStats(index), [&] { cuda::resetPeakStats(index); });
    } catch (...) {
      return;  // not initialized
    }
}
#else
template <class Visit>
static void each_caching_device(Visit) {}
#endif

#if DEADGRAD_TORCH >= 201
// Metal's allocator keeps no peak: ours is the most that was seen when it was asked.
static std::atomic<std::int64_t> mps_peak{0};

void sample_devices() {
  const auto& hooks = at::detail::getMPSHooks();
  if (!hooks.hasMPS()) return;
  const auto now = static_cast<std::int64_t>(hooks.getCurrentAllocatedMemory());
  std::int64_t peak = mps_peak.load();
  while (now > peak && !mps_peak.compare_exchange_weak(peak, now)) {
  }
}

static void add_mps(std::vector<DeviceMemory>& devices) {
  const auto& hooks = at::detail::getMPSHooks();
  if (!hooks.hasMPS()) return;
  DeviceMemory memory;
  memory.name = "mps:0";
  memory.allocated = static_cast<std::int64_t>(hooks.getCurrentAllocatedMemory());
  memory.driver = static_cast<std::int64_t>(hooks.getDriverAllocatedMemory());
  memory.recommended = static_cast<std::int64_t>(hooks.getRecommendedMaxMemory());
  sample_devices();
  memory.allocated_peak = mps_peak;
  devices.push_back(memory);
}
#else
void sample_devices() {}
static void add_mps(std::vector<DeviceMemory>&) {}
#endif

std::vector<DeviceMemory> device_memory() {
  std::vector<DeviceMemory> devices;
  each_caching_device(
      [&](std::string name, const auto& stats, auto) { devices.push_back(memory_of(std::move(name), stats)); });
  add_mps(devices);
  return devices;
}

void reset_device_peaks() {
  each_caching_device([](const std::string&, const auto&, auto reset) { reset(); });
}

}  // namespace deadgrad::probe
