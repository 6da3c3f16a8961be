// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/cuda/device_facts.h"

namespace mantissa::session {

/// One operator tried in one dtype on one device, forward and backward, on tensors of that dtype and on FP32 ones under
/// autocast: both must work. Tried, not assumed.
struct OperatorSupport {
  std::string operator_name;  ///< "linear", "conv2d", "lstm" …
  std::string device;         ///< "cpu", "cuda:0"
  std::string dtype;          ///< "float32", "float16", "bfloat16"
  bool forward = false;
  bool backward = false;
  std::string problem;  ///< the device's own words where it failed
};

/// What this machine can do.
struct Environment {
  std::string mantissa_version;
  std::string torch_version;
  std::string torch_build;  ///< compiler, MKL, oneDNN … as LibTorch reports itself
  std::string cpu_model;
  std::string cpu_capability;  ///< ATen's dispatch level: "AVX512"
  std::vector<std::string> cpu_features;
  int cores = 0;
  std::string gpu;      ///< names of the devices, joined by ", "; empty: no device
  std::string backend;  ///< what this build can drive: "CPU", "CUDA", "ROCm"
  cuda::DeviceReport devices;
  std::string operating_system;
  std::string sqlite_version;
};

Environment environment();

/// Tries each operator in each dtype on a device; takes a second or two.
/// \param device  "cpu", "cuda", "cuda:N". \throws Error DeviceProblem as `require_device`.
std::vector<OperatorSupport> try_operators(const std::string& device = "cpu");

/// What `try_operators` tries, as an experiment's [expect] names it: "lstm float16".
std::vector<std::string> names_of_tried_operators();

/// One of them, by name, in one dtype by its word. Random numbers of the process are left as they are.
/// \throws Error DeviceProblem as `require_device`, CallOrder for a name or a word that `try_operators` does not give.
OperatorSupport try_operator(const std::string& name, const std::string& device, const std::string& dtype);

/// Does nothing where `device` ("cpu", "cuda", "cuda:N") is there. \throws Error DeviceProblem with what was found
/// where it is not.
void require_device(const std::string& device);

}  // namespace mantissa::session
