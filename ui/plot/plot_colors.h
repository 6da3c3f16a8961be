// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>

#include <array>

class QPainter;

namespace mantissa::ui::plot {

/// The colours that mean something, for light or dark surroundings; everything else comes from the palette.
///
/// Contrast on the palette's base: at least 4.5 for words (good … undecided), 3.0 for lines and marks; a test computes
/// it. Under colour-vision deficiencies some trials come close to each other: the marker shapes tell them apart then.
struct PlotColors {
  QColor reference;
  std::array<QColor, 6> trials;
  QColor good, warn, bad, undecided;
  double toleranceOpacity = 0.12;  ///< of the trial's colour, filled over the background
  double noiseOpacity = 0.10;      ///< of a mid grey
};

/// One of the two sets. They live as long as the program.
const PlotColors& plotColors(bool dark);

/// Whether a surface of this palette is dark: the base is darker than the text.
bool isDark(const QPalette& palette);

enum class MarkerShape { Square, Circle, TriangleUp, Diamond, TriangleDown, Plus, Cross };

/// How one trial looks on every page and in every report.
struct SeriesStyle {
  QColor color;
  MarkerShape marker = MarkerShape::Square;
  bool markersAlongLine = false;  ///< beyond six trials the hues repeat: markers on the line tell them apart
};

SeriesStyle referenceStyle(const PlotColors& colors);

/// \param trial  from 0, in the order of the experiment.
SeriesStyle trialStyle(const PlotColors& colors, int trial);

/// Fills a marker of about `size` pixels across, centred.
void drawMarker(QPainter& painter, MarkerShape shape, const QPointF& center, double size, const QColor& color);

/// WCAG 2.1 contrast ratio, from 1 to 21.
double contrast(const QColor& left, const QColor& right);

}  // namespace mantissa::ui::plot
