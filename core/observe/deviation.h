// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace mantissa::observe {

/// Whether distances in units in the last place are wanted: they cost a second look at every element.
enum class Ulp { Skip, Measure };

/// Deviation of tensors from reference tensors, gathered in one pass over each pair and mergeable across pairs.
///
/// Elements widen exactly, differences and sums are kept in FP64. Non-finite elements are not hidden: they make the
/// statistics NaN or infinite (two equal infinities differ by NaN, as arithmetic says). One pass at memory speed for
/// contiguous tensors in this process's memory; others are copied first. What lies on a GPU is summed there. Changes
/// nothing, leaves no trace in autograd.
class DeviationSums {
 public:
  /// \param reference, other  equal element counts, any floating dtype, layout and device; compared in logical order.
  /// \throws Error (InvalidSetting)  for integer tensors and unequal counts.
  void add(const at::Tensor& reference, const at::Tensor& other, Ulp ulp);

  std::int64_t count() const { return count_; }

  /// Largest |other − reference|; NaN where any difference is NaN.
  double max() const;

  /// Root mean square of the differences; 0 for no elements.
  double rmse() const;

  /// 2-norm of the differences over the 2-norm of the reference; 0/0 is 0, x/0 is infinity.
  double relative() const;

  /// Cosine between both, each taken as one long vector; two zero vectors 1, one zero vector 0.
  double cosine() const;

  /// Largest distance in FP32 units in the last place; both zeros are one place. NaN where either side is NaN, infinite
  /// where one side is infinite and the other is something else. 0 where it was skipped.
  double ulp() const { return ulp_; }

 private:
  void add_on_device(const at::Tensor& reference, const at::Tensor& other, Ulp ulp);
  void add_ulp(double largest);

  std::int64_t count_ = 0;
  double max_ = 0.0;
  double ulp_ = 0.0;
  double squares_of_difference_ = 0.0;
  double squares_of_reference_ = 0.0;
  double squares_of_other_ = 0.0;
  double products_ = 0.0;
};

}  // namespace mantissa::observe
