// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "ui/plot/series_data.h"

namespace mantissa::ui::plot {

struct Smoothing {
  enum class Kind { None, Exponential, RunningMean };
  Kind kind = Kind::None;
  double weight = 0.9;      ///< of the past, in [0, 1): Exponential
  std::size_t window = 50;  ///< values, from 1 to kLargestWindow: RunningMean

  static constexpr std::size_t kLargestWindow = 10'000;
  bool operator==(const Smoothing& other) const {
    return kind == other.kind && weight == other.weight && window == other.window;
  }
};

/// Exponential moving average without the bias towards the zero that it starts from:
///   average ← weight · average + (1 − weight) · value,  smoothed = average / (1 − weight^n)
/// with n the number of finite values so far (Kingma and Ba, Adam, 2015, section 3; TensorBoard's scalar charts do the
/// same). Non-finite values stay as they are and leave the average alone.
std::vector<double> exponentialAverage(const std::vector<double>& values, double weight);

/// Mean of the last `window` values (fewer at the start), of their finite ones. Non-finite values stay as they are.
std::vector<double> runningMean(const std::vector<double>& values, std::size_t window);

/// The smoothed values of a growing series, read as if they were stored.
///
/// On a logarithmic axis zero and what is below it have no place, and no average may pass over them: it would fall for
/// ever without reaching them. There they count as non-finite values do, which stay as they are, and after as many
/// values without a place as the average remembers (1 / (1 − weight), or the window) it begins anew.
///
/// Kept are only a summary and the state at the start of each block of 64 values; what decimation looks at is computed
/// from the measured values again. Memory: 0.75 bytes a value.
class SmoothedValues final : public BlockedValues {
 public:
  /// \param positiveOnly  for a logarithmic axis
  SmoothedValues(std::shared_ptr<const SeriesData> source, const Smoothing& smoothing, bool positiveOnly = false);

  /// Takes in what the series has gained. Call it before reading.
  void update();

  std::size_t size() const override { return m_size; }
  const BlockSummary& summary(std::size_t block) const override { return m_summaries[block]; }
  const double* values(std::size_t block, Block& scratch) const override;

 private:
  /// Of the exponential average before a value.
  struct State {
    double average = 0;
    double bias = 1;          ///< weight^n
    std::size_t without = 0;  ///< values without a place on the axis since the last that has one
  };

  State exponentialBlock(std::size_t block, State state, Block& smoothed) const;
  void meanBlock(std::size_t block, Block& smoothed) const;
  std::size_t valuesIn(std::size_t block) const;
  bool hasPlace(double value) const;

  std::shared_ptr<const SeriesData> m_source;
  Smoothing m_smoothing;
  bool m_positiveOnly;
  std::size_t m_memory = 1;  // values
  std::size_t m_size = 0;
  std::vector<BlockSummary> m_summaries;  // of full blocks
  std::vector<State> m_states;            // before each block, one more than full blocks
};

}  // namespace mantissa::ui::plot
