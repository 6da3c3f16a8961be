// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ui/plot/difference.h"
#include "ui/plot/plot_content.h"
#include "ui/plot/smoothing.h"

namespace mantissa::ui::plot {

/// What the lines of a plot are made from: the measured series or their differences, and the smoothed values of these.
class PlotSources {
 public:
  struct Source {
    PlotSeries series;                         ///< with the data that is plotted: measured values, or differences
    std::unique_ptr<Difference> difference;    ///< in difference mode
    std::unique_ptr<SmoothedValues> smoothed;  ///< where smoothing is on
    mutable GrowingDecimation rawDecimation;   // caches: what a frame asks for is mostly what the last one asked for
    mutable GrowingDecimation smoothedDecimation;
    std::size_t drawn = 0;  ///< values taken in by the last update
  };

  /// Starts over with this content. In difference mode the reference has no line of its own.
  void setContent(const PlotContent& content);

  /// Takes in what the series have gained. \return whether there was anything new.
  bool update();

  const std::vector<Source>& sources() const { return m_sources; }

  /// Of all series, hidden ones too.
  std::optional<Range> xExtent() const;

 private:
  std::vector<Source> m_sources;
};

}  // namespace mantissa::ui::plot
