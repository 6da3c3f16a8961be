// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <utility>

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

namespace mantissa::model {

/// The instances of one TorchScript module through which it runs under precision::JitCastScope, one a dtype of
/// autocast.
///
/// TorchScript's autocast pass writes casts to the dtype of the first call into the compiled code, and all copies of a
/// module share that code, also with its instances that run as eager code does. An instance here has code of its own;
/// weights and buffers are the module's.
class JitInstances {
 public:
  /// `module` itself outside of a JitCastScope.
  torch::jit::Module& of(torch::jit::Module& module);

  /// Those made so far.
  using Instances = std::map<std::pair<c10::ScalarType, c10::ScalarType>, torch::jit::Module>;
  const Instances& made() const { return instances_; }

  /// That of two dtypes, of CPU and CUDA, made where it is not there.
  torch::jit::Module& of(torch::jit::Module& module, const Instances::key_type& dtypes);

  /// Those that are not among `dtypes` are made anew when they are needed.
  void keep_only(const std::set<Instances::key_type>& dtypes);

  /// To be called beside `module.train(training)`.
  void set_training(bool training);

 private:
  Instances instances_;
};

}  // namespace mantissa::model
