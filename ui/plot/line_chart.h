// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QList>
#include <QPointF>
#include <QRectF>

#include <cstddef>
#include <memory>
#include <vector>

class QPainter;

namespace mantissa::ui::plot {

/// A line ready to be drawn. Points run from (0, 0) bottom left to (1, 1) top right; a NaN interrupts the line.
struct Line {
  QColor color;
  double width = 1;
  QList<QPointF> points;
};

/// The lines of a plot, stroked by Qt Charts. All else of a plot is painted around them.
///
/// The chart lives in a scene of its own without a view: what QChartView and the series do with the mouse has crashed
/// in Qt 6.4 (QTBUG-118669, QTBUG-115072), and legends, axes and plot areas of Qt Charts cannot show what ours must.
/// Its axes are linear, run from 0 to 1 and are never changed: changing one costs a projection of every line.
class LineChart {
 public:
  LineChart();
  ~LineChart();
  LineChart(const LineChart&) = delete;
  LineChart& operator=(const LineChart&) = delete;

  /// In drawing order; of very many, those of one pen together. Lines that did not change cost little: same points,
  /// same pen.
  void setLines(std::vector<Line> lines);

  /// What Qt Charts has to draw.
  std::size_t seriesCount() const;

  /// Draws into `area` of the painter, nothing outside it.
  void paint(QPainter& painter, const QRectF& area);

 private:
  struct Chart;
  std::unique_ptr<Chart> m_chart;
};

}  // namespace mantissa::ui::plot
