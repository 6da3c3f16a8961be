// SPDX-License-Identifier: Apache-2.0
#include "core/record/verdict_context.h"

#include <cmath>

namespace mantissa::record {

std::optional<double> WeighedQuality::drop() const {
  if (!reference || !trial) return std::nullopt;
  return higher_is_better ? *reference - *trial : *trial - *reference;
}

std::optional<double> WeighedQuality::drop_of_lack(const ContextScore& score) const {
  const std::optional<double> lost = drop();
  if (!lost || !score.value) return std::nullopt;
  const double lack = higher_is_better ? *reference - *score.value : *score.value - *reference;
  if (!std::isfinite(*lost) || !std::isfinite(lack) || lack <= 0.0) return std::nullopt;
  return *lost / lack;
}

}  // namespace mantissa::record
