// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

/// The statistics of this folder for tensors that lie on a GPU: computed there by ATen's operators, so that a few
/// numbers cross the bus and not the tensors. They work on every device; on the CPU the functions of the other headers
/// are several times as fast.
///
/// Sums are in FP64, as on the CPU, but in another order: the last bits differ between devices.
namespace mantissa::observe::on_device {

/// Whether every element of every tensor is finite; one wait for the device, however many tensors there are.
bool all_finite(const std::vector<at::Tensor>& tensors);

/// Sum of the squares of all elements; one wait for the device.
double sum_of_squares(const std::vector<at::Tensor>& tensors);

/// \param a, b  equal counts of tensors and of elements.
double sum_of_squares_of_differences(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

/// What DeviationSums gathers of one pair.
struct PairSums {
  double max = 0.0;  ///< NaN where any difference is NaN
  double squares_of_difference = 0.0;
  double squares_of_reference = 0.0;
  double squares_of_other = 0.0;
  double products = 0.0;
};

/// \param reference, other  equal element counts, any floating dtype.
PairSums pair_sums(const at::Tensor& reference, const at::Tensor& other);

/// DeviationSums::ulp of one pair.
double largest_ulp(const at::Tensor& reference, const at::Tensor& other);

}  // namespace mantissa::observe::on_device
