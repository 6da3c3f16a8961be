// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/plot/plot_content.h"

namespace mantissa::ui::plot {

/// A run that never was, as plots see it: reference, fp16 and bf16 with loss, scale, deviation and gradient norm.
struct MadeUpRun {
  explicit MadeUpRun(std::size_t steps);

  PlotContent loss(const PlotColors& colors) const;
  PlotContent scale(const PlotColors& colors) const;
  PlotContent deviation(const PlotColors& colors) const;
  PlotContent gradientNorm(const PlotColors& colors) const;

 private:
  using Data = std::shared_ptr<SeriesData>;
  Data column(std::vector<Data>& into);

  std::shared_ptr<PositionColumn> m_steps;
  std::vector<Data> m_loss, m_scale, m_deviation, m_gradient;
  std::vector<PlotMark> m_skips;
};

}  // namespace mantissa::ui::plot
