// What the probe asks of LibTorch. Everything else in this folder is free of its headers, which take a minute to
// compile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace deadgrad::probe {

std::int64_t owners_of(const void* storage);

void install_allocator();
void remove_allocator();
struct CpuBytes {
  std::int64_t live, peak;
};
CpuBytes cpu_bytes();
void reset_cpu_peak();

void install_saved_hooks();
void remove_saved_hooks();
void install_op_callback();
void remove_op_callback();

bool grad_is_on();
const char* torch_version();
std::string device_name(int type);

// Bytes; a negative number is one that the device does not tell.
struct DeviceMemory {
  std::string name;  // "cuda:0"
  std::int64_t allocated = -1, allocated_peak = -1;
  std::int64_t reserved = -1, reserved_peak = -1;
  std::int64_t driver = -1, recommended = -1;
};
std::vector<DeviceMemory> device_memory();
// At steps and visits: for devices whose allocator keeps no peak.
void sample_devices();
void reset_device_peaks();

// For a fork: holds the allocator's locks.
void lock_allocator();
void unlock_allocator();

}  // namespace deadgrad::probe
