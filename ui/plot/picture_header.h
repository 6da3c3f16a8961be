// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QRectF>

#include <vector>

#include "ui/plot/plot_painter.h"
#include "ui/plot/plot_state.h"

class QPainter;

namespace mantissa::ui::plot {

/// What stands above a picture that leaves the window, where nothing around it says what it shows: title and unit, the
/// experiment, and the visible series with their newest values of what is drawn, and where those are. Nothing is left
/// out: it takes the rows that it needs.
class PictureHeader {
 public:
  /// Lays it out for this width, in logical pixels.
  PictureHeader(const PlotState& state, const PlotInk& ink, double width);

  double height() const { return m_height; }

  /// With its upper left corner at the painter's origin.
  void paint(QPainter& painter) const;

 private:
  struct Words {
    QRectF place;
    QString text;
    QFont font;
    QColor color;
  };
  struct Swatch {
    QRectF place;
    SeriesStyle style;
  };

  void addTitle(const PlotState& state, const PlotInk& ink, double width);
  void addLegend(const PlotState& state, const PlotInk& ink, double width);
  void addWrapped(const QString& text, const PlotInk& ink, double width);

  std::vector<Words> m_words;
  std::vector<Swatch> m_swatches;
  double m_height = 0;
};

}  // namespace mantissa::ui::plot
