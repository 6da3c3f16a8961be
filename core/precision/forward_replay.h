// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <c10/core/DeviceType.h>

#include "core/precision/forward_scope.h"
#include "core/precision/module_scope.h"
#include "core/precision/operator_interceptor.h"
#include "core/precision/policy.h"

namespace mantissa::precision {

/// Under what a forward pass runs on this thread: what it takes to run a part of that pass once more after it has
/// ended, with every operator cast as it was.
struct ForwardState {
  /// \param device  of the model
  static ForwardState current(c10::DeviceType device);

  Policy policy;            ///< of the ForwardScope; outside of one, only autocast as it stands
  bool keeps_casts = true;  ///< autocast's cache
  c10::DeviceType device = c10::DeviceType::CPU;
  std::string module;  ///< `ModuleScope::current()`
};

/// Runs a part of a forward pass once more under the state that it ran under, for as long as the object lives.
///
/// Observers of operators do not see it: they have seen that part already. FP32 regions, which belong to the policy,
/// work as they did. What ends with the scope: autocast, its cache, the module, the regions' casts. The state must
/// outlive it.
class ForwardReplay {
 public:
  explicit ForwardReplay(const ForwardState& state);
  ~ForwardReplay();
  ForwardReplay(const ForwardReplay&) = delete;
  ForwardReplay& operator=(const ForwardReplay&) = delete;

  /// Whether this thread is in one: what a forward does but once (BatchNorm's running statistics) is done already.
  static bool active() { return active_; }

 private:
  UnseenByObservers unseen_;
  CastCacheSetting cache_;
  ForwardScope scope_;
  ModuleScope module_;
  bool outer_active_;
  static thread_local bool active_;
};

}  // namespace mantissa::precision
