// SPDX-License-Identifier: Apache-2.0
#include "core/precision/forward_scope.h"

namespace mantissa::precision {

thread_local const ForwardScope* ForwardScope::current_ = nullptr;

ForwardScope::ForwardScope(const Policy& policy, c10::DeviceType device)
    : policy_(policy), outer_(current_), autocast_(device, policy.autocast) {
  if (policy.autocast) {  // else nothing is cast: nothing to cast otherwise, nothing to keep in FP32
    if (policy.cast_policy == "cuda" && device == c10::DeviceType::CPU) cuda_casts_.emplace();
    if (policy.cast_policy == "jit") jit_casts_.emplace();
    if (policy.float32_regions) {
      regions_ = policy.float32_regions.get();
      interceptor_.emplace(*regions_);
    }
  }
  current_ = this;
}

ForwardScope::~ForwardScope() {
  current_ = outer_;
  if (regions_ != nullptr) regions_->leave();
}

}  // namespace mantissa::precision
