// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/plot/axis_ticks.h"
#include "ui/plot/plot_colors.h"
#include "ui/plot/series_data.h"
#include "ui/plot/smoothing.h"

namespace mantissa::ui::plot {

/// One line of a plot. Its data may go on growing on the window's thread; redraw() takes it in.
struct PlotSeries {
  QString id;    ///< stays the same while the name may change: the trial
  QString name;  ///< in legend, table and files
  SeriesStyle style;
  std::shared_ptr<const SeriesData> data;
  bool isReference = false;  ///< drawn on top; what differences are taken from
  bool steps = false;        ///< the value holds until the next one: a loss scale
  QString note;              ///< in the legend while there is no value: "no scaler"
};

/// A horizontal line in the text colour.
struct PlotLimit {
  double value = 0;
  QString label;
  bool operator==(const PlotLimit& other) const { return value == other.value && label == other.label; }
};

/// A filled stretch of y. Grey for a yardstick; in a trial's colour for a tolerance.
struct PlotBand {
  double low = 0;
  double high = 0;
  QString label;
  std::optional<QColor> color;
  bool operator==(const PlotBand& other) const {
    return low == other.low && high == other.high && label == other.label && color == other.color;
  }
};

/// Something that happened at a step, as a tick along the bottom: a skipped step.
struct PlotMark {
  double x = 0;
  qint64 step = 0;    ///< handed to whoever listens when the mark is clicked
  QString text;       ///< tooltip: a whole sentence; empty: PlotContent::describeMark says it
  QString label;      ///< drawn beside the tick; for the first of a group ("5 calibration")
  qint64 source = 0;  ///< whose step it is, for describeMark
};

/// A stretch of x with a name of its own: "backward". It reaches to the next one, or to the end.
struct PlotSection {
  double from = 0;
  QString name;
};

/// A place on a line that has to be pointed at: a ring, and words beside it.
struct PlotPoint {
  double x = 0;
  double y = 0;
  QString label;
};

enum class XAxisKind { Count, Seconds };

/// All that a plot shows.
struct PlotContent {
  QString title;       ///< what: "Loss"
  QString unit;        ///< and in what: "cross-entropy"
  QString scaleWord;   ///< said behind the unit while values stand on a logarithmic axis: "log"
  QString experiment;  ///< whose curves they are: said in pictures that leave the window, where nothing else says it
  QString run;         ///< which run of it, for the same: "run 12, 2026-11-30"
  QString about;       ///< whole sentences for the tooltip of the title: what nobody can see in the curves
  QString xName;       ///< one word beside the last tick: "step"
  XAxisKind xKind = XAxisKind::Count;
  YScale scale = YScale::Linear;
  double valueUnit = 1;            ///< values are shown as so many times this: 1e6 for MB, or a yardstick's size
  QString valueName;               ///< of that unit, in tables and files: "MB", "× spread"; empty: as measured
  bool isSigned = false;           ///< values below zero are to be expected
  bool isCount = false;            ///< whole numbers, without decimals
  bool isMultiple = false;         ///< of a yardstick: two significant digits in words
  QString valueSuffix;             ///< after values in the legend: " ×"
  QString emptyText;               ///< in place of curves while no series has a value: why there is none
  bool markRow = false;            ///< keeps room for marks along the bottom, so that the first one moves nothing
  std::vector<PlotSeries> series;  ///< in the order of the legend
  std::vector<PlotLimit> limits;
  std::vector<PlotBand> bands;
  std::vector<PlotSection> sections;  ///< by `from`; where there are some, their names stand in the place of x's ticks
  std::vector<PlotPoint> points;
  bool isFilled = false;        ///< what is below the lines, down to zero, which is then on the axis
  std::size_t laneColumns = 0;  ///< beside the plot, at least: plots of one column end alike, whatever each shows
  QStringList remarks;          ///< said in the plot: a limit that no line can show
  std::vector<PlotMark> marks;  ///< by x; any number: ticks share a pixel where they are closer
  /// The text of a mark, made when somebody asks: a hundred thousand sentences are not kept.
  std::function<QString(const PlotMark&)> describeMark;
  Smoothing smoothing;
  bool difference = false;  ///< trial − reference in place of the values; always on a linear axis
  bool live = true;         ///< 1 px lines; 2 px when paused
};

/// "digits-mlp, run 12, 2026-11-30": what a file is told apart by.
inline QString wholeRun(const PlotContent& content) {
  return content.run.isEmpty() ? content.experiment : QStringLiteral("%1, %2").arg(content.experiment, content.run);
}

}  // namespace mantissa::ui::plot
