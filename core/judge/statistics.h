// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::judge {

bool all_finite(const std::vector<double>& values);

/// Reduces the values of the cases to one; NaN if any value is NaN, or for no values.
///
/// Quantiles interpolate linearly between the two nearest values, as numpy.quantile does by default, in the same order
/// of operations. An infinity that takes part makes the result infinite; numpy.quantile says NaN then.
double reduce(std::vector<double> values, spec::Reduce how, double q);

/// Largest magnitudes between these square and sum up without leaving FP64's range.
inline constexpr double kSmallestToSquare = 1e-140;
inline constexpr double kLargestToSquare = 1e150;
inline bool may_be_squared(double largest) { return largest >= kSmallestToSquare && largest <= kLargestToSquare; }

/// The square root of the mean square; NaN if any value is, or for no values. Values whose squares FP64 cannot hold
/// are scaled before: of 1e-200 and -1e-200 it is 1e-200, and of 1e200 it is 1e200.
double root_mean_square(const std::vector<double>& values);

}  // namespace mantissa::judge
