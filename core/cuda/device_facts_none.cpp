// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/device_facts.h"

namespace mantissa::cuda {

DeviceReport find_devices() {
  DeviceReport report;
  report.problem = "this build computes on the CPU only: packaging/run.sh --cuda makes one for GPUs";
  return report;
}

}  // namespace mantissa::cuda
