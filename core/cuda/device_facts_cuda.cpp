// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/device_facts.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

namespace mantissa::cuda {
namespace {

/// "13.0" of the number 13000 by which CUDA names a version.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// CUDA keeps the last error until it is asked for; whoever asks next must not find ours.
std::string last_words(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorString(error);
}

DeviceFacts facts_of(int index, bool is_rocm) {
  cudaDeviceProp properties{};
  DeviceFacts facts;
  facts.index = index;
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
    cudaGetLastError();
    facts.name = "a device that does not answer";
    return facts;
  }
  facts.name = properties.name;
  facts.total_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  if (!is_rocm) {
    const int capability = 10 * properties.major + properties.minor;
    facts.float16 = capability >= 70;
    facts.bfloat16 = capability >= 80;
    facts.tensor_float32 = capability >= 80;
    facts.float8 = capability >= 89;
  }
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
    facts.free_bytes = static_cast<std::int64_t>(free_bytes);
  } else {
    cudaGetLastError();
  }
  return facts;
}

}  // namespace

DeviceReport find_devices() {
  DeviceReport report;
  const bool is_rocm = at::globalContext().hasROCM();
  report.backend = is_rocm ? "ROCm" : "CUDA";
  report.toolkit = version_text(CUDART_VERSION);
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) report.runtime = version_text(version);
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) report.driver = version_text(version);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    report.problem = "the driver offers no device (" + last_words(error) + ")";
    return report;
  }
  if (count == 0) report.problem = "the driver offers no device";
  for (int index = 0; index < count; ++index) report.devices.push_back(facts_of(index, is_rocm));
  return report;
}

}  // namespace mantissa::cuda
