// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <vector>

namespace mantissa::ui::plot {

/// Finds places for the words in a plot that neither lie on each other nor are crossed by a line.
class PlotLabels {
 public:
  explicit PlotLabels(const QRectF& area) : m_area(area) {}

  /// Something that is drawn there already: a marker, a word.
  void take(const QRectF& place) { m_taken.push_back(place); }

  /// A line across the whole plot: no words lie on it.
  void takeLevel(double y) { m_levels.push_back(y); }

  /// Whether nothing is there.
  bool isFree(const QRectF& place) const;

  /// The first of these that is free inside the plot, otherwise the first of all. It is taken then.
  QRectF place(const std::vector<QRectF>& candidates);

 private:
  QRectF m_area;
  std::vector<QRectF> m_taken;
  std::vector<double> m_levels;
};

}  // namespace mantissa::ui::plot
