// SPDX-License-Identifier: Apache-2.0
#include "core/precision/jit_cast_policy.h"

#include <torch/csrc/jit/passes/autocast.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

namespace mantissa::precision {
namespace {

thread_local bool scope_is_active = false;

}  // namespace

JitCastScope::JitCastScope()
    : outer_active_(scope_is_active),
      outer_pass_(torch::jit::setAutocastMode(true)),
      outer_optimise_(torch::jit::getGraphExecutorOptimize()) {
  torch::jit::setGraphExecutorOptimize(true);
  scope_is_active = true;
}

JitCastScope::~JitCastScope() {
  torch::jit::setAutocastMode(outer_pass_);
  torch::jit::setGraphExecutorOptimize(outer_optimise_);
  scope_is_active = outer_active_;
}

bool JitCastScope::active() { return scope_is_active; }

}  // namespace mantissa::precision
