// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>
#include <vector>

#include "core/spec/experiment.h"
#include "ui/plot/plot_content.h"
#include "ui/run/run_data.h"

namespace mantissa::ui::run {

/// The charts of the page, in the order of its menu and its grid.
enum class Chart {
  Loss,
  Scale,
  Tracker,
  OutputRmse,
  OutputMax,
  OutputRelative,
  OutputCosine,
  OutputUlp,
  LossDeviation,
  GradientRelative,
  GradientCosine,
  Weights,
  GradientNorm,
  ScaledGradientNorm,
  LearningRate,
  Quality,
  StepRate,
  SampleRate,
  LiveMemory,
  PeakMemory,
};

/// "loss", "deviation": in settings and in the zoom history; never translated.
QString idOf(Chart chart);
std::optional<Chart> chartOfId(const QString& id);

/// What the menu calls it: "Outputs, RMSE".
QString menuText(Chart chart);

struct ChartGroup {
  QString title;
  std::vector<Chart> charts;
};
/// All charts, grouped as in the menu.
std::vector<ChartGroup> chartGroups();

/// What a person has chosen for all charts.
struct ChartChoices {
  XAxis axis = XAxis::Step;
  Comparison comparison = Comparison::Trajectory;
  bool multiples = true;  ///< deviations as multiples of their yardstick, where there is one
  plot::Smoothing smoothing;
  bool live = true;
};

/// What the Run page shows.
struct ChartSubject {
  const RunData* data = nullptr;
  const spec::Experiment* experiment = nullptr;  ///< null: not known (yet)
};

/// Whether the chart's x axis is its own, whatever the page's is.
bool hasOwnAxis(Chart chart, XAxis axis);

/// Skipped steps stand along the bottom of these.
bool hasMarks(Chart chart);

/// What is behind the chart's curves; nothing for quality.
std::optional<Quantity> quantityOf(Chart chart, Comparison comparison);

/// Everything but the marks. \param scale  that a person chose; nothing: the chart's own
plot::PlotContent chartContent(Chart chart, const ChartSubject& subject, const ChartChoices& choices,
                               std::optional<plot::YScale> scale);

}  // namespace mantissa::ui::run
