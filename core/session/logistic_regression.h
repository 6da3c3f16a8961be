// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace mantissa::session {

/// A fitted logistic regression over standardised columns.
struct LogisticFit {
  at::Tensor mean, scale;  ///< FP64 [columns]; the scale of a constant column is 1
  at::Tensor weights;      ///< FP64 [columns, outputs]
  at::Tensor intercepts;   ///< FP64 [outputs]
  bool converged = true;   ///< the largest element of the gradient is below 1e-8 a row

  /// \param inputs  FP64 [cases, columns]
  at::Tensor logits(const at::Tensor& inputs) const;
};

/// Minimises the summed logistic loss plus half the squared norm of the weights, intercepts aside, by L-BFGS in FP64:
/// strictly convex in the weights, so that there is one minimum. Deterministic on one thread.
/// \param inputs  FP64 [rows, columns], finite
/// \param targets  FP64 [rows, outputs], 0 and 1, of which each occurs in every column
/// \param exclusive  one of the outputs is 1 in every row: a softmax; otherwise each output is a decision of its own
LogisticFit fit_logistic(const at::Tensor& inputs, const at::Tensor& targets, bool exclusive);

}  // namespace mantissa::session
