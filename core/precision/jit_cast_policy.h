// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mantissa::precision {

/// Lets TorchScript models of this thread run as Python runs them by default for as long as the object lives: through
/// the graph executor's optimisation, whose autocast pass has a cast policy of its own (mul, pow, exp, add, softmax,
/// layer_norm … in FP32).
///
/// Without one a model runs operator by operator and is cast as eager code is. The pass writes its casts into the
/// graph at the first call and with the dtype of that call: a model keeps one graph a dtype (core/model/torchscript).
class JitCastScope {
 public:
  JitCastScope();
  ~JitCastScope();
  JitCastScope(const JitCastScope&) = delete;
  JitCastScope& operator=(const JitCastScope&) = delete;

  /// Whether this thread is in such a scope.
  static bool active();

 private:
  bool outer_active_;
  bool outer_pass_;
  bool outer_optimise_;
};

}  // namespace mantissa::precision
