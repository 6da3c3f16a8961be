// SPDX-License-Identifier: Apache-2.0
#include "core/data/preprocess.h"

#include <algorithm>
#include <cmath>

namespace mantissa::data {

Statistics statistics_of(const std::vector<double>& values, std::size_t width, const std::vector<std::int64_t>& rows) {
  Statistics statistics;
  const auto count = static_cast<double>(rows.size());
  for (std::size_t column = 0; column < width; ++column) {
    const auto at = [&](std::int64_t row) { return values[static_cast<std::size_t>(row) * width + column]; };
    double smallest = at(rows.front());
    double largest = smallest;
    double sum = 0.0;
    for (const auto row : rows) {
      smallest = std::min(smallest, at(row));
      largest = std::max(largest, at(row));
      sum += at(row);
    }
    if (smallest == largest) {  // the rounded mean of a constant may differ from it, and its deviation from 0
      statistics.mean.push_back(smallest);
      statistics.scale.push_back(1.0);
      continue;
    }
    const double mean = sum / count;
    double squares = 0.0;
    for (const auto row : rows) squares += (at(row) - mean) * (at(row) - mean);
    const double scale = std::sqrt(squares / count);
    statistics.mean.push_back(mean);
    statistics.scale.push_back(scale > 0.0 ? scale : 1.0);
  }
  return statistics;
}

bool fits_float32(double value) {
  // Halfway between the largest FP32 number and 2^128; from there on rounding gives infinity (IEEE 754, 4.3.1).
  return std::abs(value) < 0x1.ffffffp127;
}

}  // namespace mantissa::data
