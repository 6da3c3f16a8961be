// SPDX-License-Identifier: Apache-2.0
#include "core/record/trial.h"

#include <cmath>

namespace mantissa::record {

std::optional<double> YardstickReading::multiple() const {
  if (!value || !std::isfinite(size) || size == 0.0) return std::nullopt;
  return *value / size;
}

}  // namespace mantissa::record
