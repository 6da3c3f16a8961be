// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa::cuda {

/// One GPU as its driver describes it.
struct DeviceFacts {
  int index = 0;     ///< N of `training.device = "cuda:N"`
  std::string name;  ///< "NVIDIA H200"
  /// Compute capability "9.0"; on ROCm the architecture "gfx90a".
  std::string capability;
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  ///< at the time of asking, over all processes
  int multiprocessors = 0;
  // Whether matrix units compute in the dtype. What an operator really supports is tried (session/doctor.h). On ROCm
  // this is not known from the capability: all false.
  bool float16 = false;         ///< compute capability 7.0 and later
  bool bfloat16 = false;        ///< 8.0
  bool tensor_float32 = false;  ///< 8.0
  bool float8 = false;          ///< 8.9
};

/// What was found when asked for GPUs.
struct DeviceReport {
  std::string backend;  ///< what this build can drive: "CUDA", "ROCm", empty: CPU only
  std::string toolkit;  ///< version of the toolkit that it was built with: "13.0"; empty without
  std::string runtime;  ///< of the runtime library in use
  std::string driver;   ///< the newest version that the driver supports; empty: no driver
  std::vector<DeviceFacts> devices;
  std::string problem;  ///< why there is no device, a sentence without its full stop; empty where there is one
};

/// Asks the driver each time: devices come and go, their free memory changes. Does not allocate on any device.
DeviceReport find_devices();

}  // namespace mantissa::cuda
