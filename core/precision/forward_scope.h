// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <c10/core/DeviceType.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/cuda_cast_policy.h"
#include "core/precision/float32_regions.h"
#include "core/precision/jit_cast_policy.h"
#include "core/precision/operator_interceptor.h"
#include "core/precision/policy.h"

namespace mantissa::precision {

/// Everything that a precision policy changes while a model's forward and its loss run on this thread: autocast, its
/// cast policy, the modules and operators that are kept in FP32.
///
/// Training, evaluation and deviation open one around each forward, so that all of them cast alike. Backward runs
/// outside. `loss_in_float32` stays with the caller: it leaves the scope before the loss. The policy must outlive it.
class ForwardScope {
 public:
  ForwardScope(const Policy& policy, c10::DeviceType device);
  ~ForwardScope();
  ForwardScope(const ForwardScope&) = delete;
  ForwardScope& operator=(const ForwardScope&) = delete;

  /// The innermost one of this thread; null outside of every scope.
  static const ForwardScope* current() { return current_; }
  const Policy& policy() const { return policy_; }

 private:
  const Policy& policy_;
  const ForwardScope* outer_;
  AutocastScope autocast_;
  std::optional<CudaCastScope> cuda_casts_;
  std::optional<JitCastScope> jit_casts_;
  Float32Regions* regions_ = nullptr;
  std::optional<OperatorInterceptor> interceptor_;
  static thread_local const ForwardScope* current_;
};

}  // namespace mantissa::precision
