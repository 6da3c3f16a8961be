// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include "ui/plot/plot_colors.h"
#include "ui/plot/plot_frame.h"

class QPainter;

namespace mantissa::ui::plot {

/// What a plot is painted with.
struct PlotInk {
  PlotColors colors;
  QColor base, text, faintText, grid;
  QFont font;  ///< of the labels

  static PlotInk fromPalette(const QPalette& palette, const PlotColors& colors, const QFont& font);
};

/// Everything between the axes and the axes' labels: `frame` must have been made for this surface.
void paintPlot(QPainter& painter, const PlotFrame& frame, const PlotContent& content, const PlotInk& ink,
               LineChart& chart);

/// The line of the cursor, above a painted plot.
void paintCursor(QPainter& painter, const PlotFrame& frame, const PlotContent& content, double position,
                 const PlotInk& ink);

/// A stroke of the line with its marker on it, as it stands in a legend.
void paintSwatch(QPainter& painter, const QRectF& place, const SeriesStyle& style);

}  // namespace mantissa::ui::plot
