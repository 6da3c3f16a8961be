// SPDX-License-Identifier: Apache-2.0
#include "core/model/jit_instances.h"

#include <iterator>
#include <sstream>

#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/serialization/import.h>

#include "core/precision/jit_cast_policy.h"

namespace mantissa::model {
namespace {

void share_tensors(const torch::jit::Module& from, torch::jit::Module& to) {
  for (const auto& attribute : from.named_attributes(/*recurse=*/false)) {
    if (attribute.value.isTensor()) to.setattr(attribute.name, attribute.value);
  }
  for (const auto& child : from.named_children()) {
    torch::jit::Module same = to.attr(child.name).toModule();
    share_tensors(child.value, same);
  }
}

/// Module::clone would leave the free functions shared (layer_norm, gelu …), casts and all.
torch::jit::Module with_code_of_its_own(const torch::jit::Module& module) {
  std::stringstream file;
  module.save(file);
  torch::jit::Module copy = torch::jit::load(file);
  share_tensors(module, copy);
  return copy;
}

}  // namespace

torch::jit::Module& JitInstances::of(torch::jit::Module& module) {
  if (!precision::JitCastScope::active()) return module;
  const std::pair dtypes(at::autocast::get_autocast_dtype(at::kCPU), at::autocast::get_autocast_dtype(at::kCUDA));
  return of(module, dtypes);
}

torch::jit::Module& JitInstances::of(torch::jit::Module& module, const Instances::key_type& dtypes) {
  const auto known = instances_.find(dtypes);
  if (known != instances_.end()) return known->second;
  return instances_.emplace(dtypes, with_code_of_its_own(module)).first->second;
}

void JitInstances::keep_only(const std::set<Instances::key_type>& dtypes) {
  for (auto at = instances_.begin(); at != instances_.end();) {
    at = dtypes.count(at->first) > 0 ? std::next(at) : instances_.erase(at);
  }
}

void JitInstances::set_training(bool training) {
  for (auto& [dtypes, instance] : instances_) instance.train(training);
}

}  // namespace mantissa::model
