// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QSet>

#include <memory>

#include "ui/plot/plot_content.h"
#include "ui/plot/plot_cursor.h"
#include "ui/plot/plot_navigation.h"
#include "ui/plot/plot_sources.h"

namespace mantissa::ui::plot {

/// What the parts of one plot view share. The view owns and changes it; the parts read.
struct PlotState {
  QString id;
  PlotContent content;
  PlotSources sources;
  QSet<QString> hidden;  ///< ids of series
  PlotColors colors;
  QPointer<PlotNavigation> navigation;
  QPointer<PlotCursor> cursor;
};

/// Which value of a series is under the cursor, or its newest one without a cursor; nothing where it has none there.
std::optional<std::size_t> indexToRead(const PlotState& state, const SeriesData& data);

/// That value, as measured.
std::optional<double> valueToRead(const PlotState& state, const SeriesData& data);

/// The position of the value, of any visible series, that lies nearest.
std::optional<double> nearestPosition(const PlotState& state, double position);

}  // namespace mantissa::ui::plot
