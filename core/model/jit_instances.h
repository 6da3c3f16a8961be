// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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

  /// To be called beside `module.train(training)`.
  void set_training(bool training);

 private:
  std::map<std::pair<c10::ScalarType, c10::ScalarType>, torch::jit::Module> instances_;
};

}  // namespace mantissa::model
