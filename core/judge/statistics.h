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

}  // namespace mantissa::judge
