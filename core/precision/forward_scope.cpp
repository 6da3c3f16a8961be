// SPDX-License-Identifier: Apache-2.0
#include "core/precision/forward_scope.h"

namespace mantissa::precision {

ForwardScope::ForwardScope(const Policy& policy, c10::DeviceType device) : autocast_(device, policy.autocast) {
  if (!policy.autocast) return;  // nothing is cast: nothing to cast otherwise, nothing to keep in FP32
  if (policy.cast_policy == "cuda" && device == c10::DeviceType::CPU) cuda_casts_.emplace();
  if (policy.cast_policy == "jit") jit_casts_.emplace();
  if (policy.float32_regions) {
    regions_ = policy.float32_regions.get();
    interceptor_.emplace(*regions_);
  }
}

ForwardScope::~ForwardScope() {
  if (regions_ != nullptr) regions_->leave();
}

}  // namespace mantissa::precision
