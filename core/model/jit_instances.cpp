// SPDX-License-Identifier: Apache-2.0
#include "core/model/jit_instances.h"

#include <ATen/autocast_mode.h>

#include "core/precision/jit_cast_policy.h"

namespace mantissa::model {

torch::jit::Module& JitInstances::of(torch::jit::Module& module) {
  if (!precision::JitCastScope::active()) return module;
  const std::pair dtypes(at::autocast::get_autocast_dtype(at::kCPU), at::autocast::get_autocast_dtype(at::kCUDA));
  const auto known = instances_.find(dtypes);
  if (known != instances_.end()) return known->second;
  return instances_.emplace(dtypes, module.clone(/*inplace=*/true)).first->second;
}

void JitInstances::set_training(bool training) {
  for (auto& [dtypes, instance] : instances_) instance.train(training);
}

}  // namespace mantissa::model
