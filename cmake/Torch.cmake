# Provides deadgrad::torch, the LibTorch that the probe is compiled against: c10 and torch_cpu. Decides what DEADGRAD_PROBE=AUTO means;
# ON fails where it is missing. LibTorch's own CMake package is not used: it asks for CUDA, protobuf and more.
set(DEADGRAD_TORCH_DIR "" CACHE PATH "A LibTorch: a folder with include/ and lib/, such as the torch package of a Python")
find_path(DEADGRAD_TORCH_INCLUDE torch/csrc/autograd/engine.h HINTS ${DEADGRAD_TORCH_DIR}/include)
find_library(DEADGRAD_TORCH_CPU torch_cpu HINTS ${DEADGRAD_TORCH_DIR}/lib)
find_library(DEADGRAD_TORCH_C10 c10 HINTS ${DEADGRAD_TORCH_DIR}/lib)
if(NOT DEADGRAD_TORCH_INCLUDE OR NOT DEADGRAD_TORCH_CPU OR NOT DEADGRAD_TORCH_C10)
  if(DEADGRAD_PROBE STREQUAL "AUTO")
    message(STATUS "Probe: no. LibTorch is not installed; `deadgrad probe build` compiles the probe where it is needed")
    set(DEADGRAD_PROBE OFF)
    return()
  endif()
  message(FATAL_ERROR
    "The probe is asked for, but LibTorch is not installed: install libtorch-dev, pass -DDEADGRAD_TORCH_DIR=…, or build without it: "
    "-DDEADGRAD_PROBE=OFF")
endif()
set(DEADGRAD_PROBE ON)
message(STATUS "Probe: yes, with ${DEADGRAD_TORCH_CPU}")

add_library(deadgrad_torch INTERFACE)
add_library(deadgrad::torch ALIAS deadgrad_torch)
target_include_directories(deadgrad_torch SYSTEM INTERFACE
  ${DEADGRAD_TORCH_INCLUDE} ${DEADGRAD_TORCH_INCLUDE}/torch/csrc/api/include)
target_link_libraries(deadgrad_torch INTERFACE ${DEADGRAD_TORCH_CPU} ${DEADGRAD_TORCH_C10})
# The headers of 2.10 and later need C++20, those of 1.13 are not tried with it.
set(DEADGRAD_TORCH_CXX_STANDARD 17)
if(EXISTS ${DEADGRAD_TORCH_INCLUDE}/torch/headeronly/version.h)
  set(DEADGRAD_TORCH_CXX_STANDARD 20)
endif()
