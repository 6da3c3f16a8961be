// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::data {

/// Mean and scale of columns: standardised = (value − mean) / scale.
struct Statistics {
  std::vector<double> mean;
  std::vector<double> scale;  ///< population standard deviation (divisor n); 1 for a constant column
};

/// Over the given rows of a row-major table with `width` columns, in FP64.
///
/// Plain sums in the order of `rows`, as NumPy's mean and std over axis 0 of the gathered rows take them: a column with
/// a large mean and a small deviation (longitudes, say) shows another order of summation in the last bit of FP32.
Statistics statistics_of(const std::vector<double>& values, std::size_t width, const std::vector<std::int64_t>& rows);

/// Whether rounding to FP32 gives a finite number.
bool fits_float32(double value);

}  // namespace mantissa::data
