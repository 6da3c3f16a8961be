// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::session {

/// One operator tried in one dtype on one device, forward and backward. Tried, not assumed.
struct OperatorSupport {
  std::string operator_name;  ///< "linear", "conv2d", "lstm" …
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
  std::string gpu;      ///< empty: no device
  std::string backend;  ///< "CPU", "CUDA", "ROCm"
  std::string operating_system;
  std::string sqlite_version;
};

Environment environment();

/// Tries each operator in each dtype; takes a second or two.
std::vector<OperatorSupport> try_operators();

}  // namespace mantissa::session
