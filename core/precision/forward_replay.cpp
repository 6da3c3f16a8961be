// SPDX-License-Identifier: Apache-2.0
#include "core/precision/forward_replay.h"

#include <ATen/autocast_mode.h>

namespace mantissa::precision {

thread_local bool ForwardReplay::active_ = false;

ForwardState ForwardState::current(c10::DeviceType device) {
  ForwardState state;
  if (const ForwardScope* const scope = ForwardScope::current(); scope != nullptr) {
    state.policy = scope->policy();
  } else if (at::autocast::is_autocast_enabled(device)) {
    state.policy.autocast = at::autocast::get_autocast_dtype(device);
  }
  state.keeps_casts = at::autocast::is_autocast_cache_enabled();
  state.device = device;
  state.module = ModuleScope::current();
  return state;
}

ForwardReplay::ForwardReplay(const ForwardState& state)
    : cache_(state.keeps_casts), scope_(state.policy, state.device), module_(state.module), outer_active_(active_) {
  // Within an outer autocast scope, whose cache goes on: its copies belong to its own graph, ours end with us.
  at::autocast::clear_cache();
  active_ = true;
}

ForwardReplay::~ForwardReplay() {
  at::autocast::clear_cache();
  active_ = outer_active_;
}

}  // namespace mantissa::precision
