// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/DeviceType.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/policy.h"

namespace mantissa::precision {

/// Everything that a precision policy changes while a model's forward and its loss run on this thread.
///
/// Training, evaluation and deviation open one around each forward, so that all of them cast alike. Backward runs
/// outside. `loss_in_float32` stays with the caller: it leaves the scope before the loss.
class ForwardScope {
 public:
  ForwardScope(const Policy& policy, c10::DeviceType device) : autocast_(device, policy.autocast) {}

 private:
  AutocastScope autocast_;
};

}  // namespace mantissa::precision
