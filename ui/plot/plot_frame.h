// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QRectF>
#include <QSet>

#include <optional>
#include <vector>

#include "ui/plot/line_chart.h"
#include "ui/plot/plot_sources.h"

namespace mantissa::ui::plot {

/// Where things stand on the surface, in logical pixels.
struct PlotGeometry {
  QRectF area;     ///< between the axes
  QRectF lines;    ///< of it, what y covers: between the row of non-finite marks and the rows below
  QRectF drawn;    ///< of it, where lines are seen that leave y's range: all but the row of zeros
  QRectF lane;     ///< beside it, for the markers of lines' ends: a column for each series, which repeat beyond twelve
  QRectF zeroRow;  ///< below `lines`, for values without a logarithm; empty if there are none
  Range x;
  Range y;  ///< axis units
  YScale scale = YScale::Linear;

  std::size_t laneColumns = 0;

  static constexpr std::size_t kMostLaneColumns = 12;
  static constexpr double kLaneColumn = 10;  ///< of a marker and the room between two of them
  static constexpr double kWidestLane = 72;  ///< of more than seven columns, which are narrower

  double toPixelX(double position) const { return lines.left() + (position - x.low) / x.length() * lines.width(); }
  double toPixelY(double height) const { return lines.bottom() - (height - y.low) / y.length() * lines.height(); }
  double toPosition(double pixel) const { return x.low + (pixel - lines.left()) / lines.width() * x.length(); }
  double toHeight(double pixel) const { return y.low + (lines.bottom() - pixel) / lines.height() * y.length(); }
};

/// One series, ready to be painted.
struct FrameSeries {
  std::size_t source = 0;  ///< in PlotSources
  SeriesStyle style;
  Decimated raw;
  Decimated smoothed;  ///< empty without smoothing
  QPolygonF envelope;  ///< minimum and maximum of each column, where values are decimated behind a smoothed line
  std::vector<QPolygonF>
      faintLines;  ///< pixels of the measured values behind a smoothed line, where they are not decimated
  std::vector<QPointF> loneValues;  ///< pixels of values between two interruptions, which no line would show
  std::vector<QPointF> alongLine;   ///< pixels of markers on the line
  std::vector<double> zeroPixels;   ///< x of values without a logarithm
  std::optional<QPointF> end;       ///< pixel of the newest value, if it is visible
  std::optional<double> beside;     ///< y of its marker in the lane: none while the newest value has no place

  const Decimated& main() const { return smoothed.samples.empty() ? raw : smoothed; }
};

/// Non-finite values of all series at one place, as one mark.
struct FrameNonFinite {
  double pixel = 0;
  double x = 0;
  QString text;  ///< "NaN"
  /// Whose values, where the first of them is, and how many.
  struct Found {
    QString name;
    double x = 0;
    std::size_t count = 0;
  };
  std::vector<Found> found;
};

/// Everything that one picture of a plot shows, computed once and used for painting, tooltips and the keyboard.
struct PlotFrame {
  PlotGeometry geometry;
  std::vector<FrameSeries> series;  ///< the visible ones, in the order of the legend
  std::vector<Line> lines;          ///< in drawing order
  std::vector<Tick> xTicks;
  QString xName;  ///< beside the last of them: "step", "time [min:s]"
  std::vector<Tick> yTicks;
  std::vector<FrameNonFinite> nonFinite;
  std::size_t firstMark = 0;                 ///< of the content's marks, which is visible
  std::vector<double> markPixels;            ///< of the visible ones
  std::vector<std::size_t> markedWithWords;  ///< those of the content's marks that are visible and have a label
  QString note;                              ///< "1,000,000 steps, 4 per pixel"
  bool isEmpty = false;                      ///< no series has a value yet
  bool isElsewhere = false;                  ///< there are values, none of them in the range that is shown
  bool coversReference = false;              ///< a series lies on the reference: only their difference can be seen
};

/// How to make a frame.
struct FrameRequest {
  const PlotContent* content = nullptr;
  const PlotSources* sources = nullptr;
  const QSet<QString>* hidden = nullptr;  ///< ids
  QSizeF size;
  QFont font;  ///< of the labels
  Range x;
  std::optional<Range> y;          ///< chosen by a person; otherwise it follows the data
  std::optional<Range> previousY;  ///< what the axis showed last
  bool keepsY = true;              ///< previousY while the data fits; otherwise it follows what is visible of them
  double leftMargin = 0;           ///< at least; labels may need more
};

PlotFrame makeFrame(const FrameRequest& request);

/// The scale in force: differences have a sign and are always linear.
YScale scaleOf(const PlotContent& content);

/// A value in the content's unit.
inline double inUnit(const PlotContent& content, double value) { return value / content.valueUnit; }

/// What stands beside the title: "cross-entropy, log, line smoothed", "cross-entropy, minus reference".
QString unitText(const PlotContent& content);

/// The same without what its end says of how the lines are drawn.
QString measuredUnitText(const PlotContent& content);

/// What stands beside the title of the table twin, which smooths nothing: "cross-entropy, log, measured values".
QString tableUnitText(const PlotContent& content);

/// "fp16: NaN at step 1,204 (3 values)", a line for each series. Made when somebody asks: a frame may have thousands.
QString sentenceOf(const FrameNonFinite& mark, const PlotContent& content);

/// A place on the x axis for people: "1,204", "34:26 min".
QString placeText(const PlotContent& content, double x);

/// What stands above the places in tables and files: "step", "time [s]".
QString xColumnName(const PlotContent& content);

/// What stands above a series' values in tables and files: "fp16", "fp16 [MB]".
QString columnName(const PlotContent& content, const QString& series);

/// A value as legends say it, in the content's unit and with its suffix: "0.84 ×", "105.2 MB", "NaN".
QString shownText(const PlotContent& content, double value);

}  // namespace mantissa::ui::plot
