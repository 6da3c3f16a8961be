// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace mantissa::report {

/// The mean loss of a run whose losses may be non-finite: over the finite ones, with the count of the others beside it.
/// Neither may a NaN swallow the mean nor a skipped one count as zero.
class LossSummary {
 public:
  void add(const std::optional<double>& loss) {
    if (!loss) return;
    ++steps_;
    if (std::isfinite(*loss)) {
      sum_ += *loss;
    } else {
      ++non_finite_;
    }
  }

  std::int64_t steps() const { return steps_; }            ///< at which a loss was measured
  std::int64_t non_finite() const { return non_finite_; }  ///< of these

  std::optional<double> mean() const {
    if (steps_ == non_finite_) return std::nullopt;
    return sum_ / static_cast<double>(steps_ - non_finite_);
  }

 private:
  std::int64_t steps_ = 0;
  std::int64_t non_finite_ = 0;
  double sum_ = 0.0;
};

}  // namespace mantissa::report
