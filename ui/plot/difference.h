// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "ui/plot/series_data.h"

namespace mantissa::ui::plot {

/// trial − reference where both have a value at the same x; both may go on growing.
///
/// Equal positions are paired in their order (the second at x = 5 with the other's second). What has no partner yields
/// no value. Non-finite operands give what IEEE arithmetic gives: NaN − 1 = NaN, ∞ − ∞ = NaN.
class Difference {
 public:
  Difference(std::shared_ptr<const SeriesData> trial, std::shared_ptr<const SeriesData> reference);

  /// Takes in what both have gained.
  void update();

  std::shared_ptr<const SeriesData> data() const { return m_data; }

 private:
  std::shared_ptr<const SeriesData> m_trial;
  std::shared_ptr<const SeriesData> m_reference;
  std::shared_ptr<PositionColumn> m_positions;
  std::shared_ptr<SeriesData> m_data;
  std::size_t m_nextTrial = 0;
  std::size_t m_nextReference = 0;
};

}  // namespace mantissa::ui::plot
