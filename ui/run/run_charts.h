// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>

#include "ui/plot/plot_cursor.h"
#include "ui/plot/plot_navigation.h"
#include "ui/plot/plot_view.h"
#include "ui/run/run_data.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace mantissa::ui::run {

/// The four charts of a run, linked in x, and what they are drawn against and smoothed by.
class RunCharts : public QWidget {
  Q_OBJECT

 public:
  explicit RunCharts(QWidget* parent = nullptr);

  /// \param newData  must outlive the charts or be replaced; its x axis is set by the chooser
  void setData(RunData* newData);
  /// The attempted steps that the run will make; 0: unknown.
  void setPlannedSteps(qint64 steps);
  /// What the loss is measured by ("cross_entropy"), and where gradients are clipped (0: nowhere).
  void setNames(const QString& loss, double clip);
  void setLive(bool live);

  /// Takes in what is new. \return milliseconds that the drawn frames took.
  double redraw();

  const std::array<plot::PlotView*, 4>& plots() const { return m_plots; }
  QComboBox* axisChooser() const { return m_axis; }

 Q_SIGNALS:
  void redrawNeeded();
  /// A skipped step was chosen in a chart.
  void stepChosen(qint64 step);
  void exportFailed(const QString& sentence);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  enum Chart { LossChart, ScaleChart, DeviationChart, GradientChart };

  void makeChoosers();
  void chooseSmoothing();
  void rebuild();
  void updateMarks();
  plot::PlotContent content(Chart chart) const;
  plot::Smoothing smoothing() const;
  std::optional<plot::Range> expectedRange() const;

  plot::PlotNavigation* m_navigation;
  plot::PlotCursor* m_cursor;
  QComboBox* m_axis;
  QComboBox* m_smoothing;
  QDoubleSpinBox* m_weight;
  QComboBox* m_deviation;
  QLabel* m_hint;
  std::array<plot::PlotView*, 4> m_plots{};
  RunData* m_data = nullptr;
  qint64 m_plannedSteps = 0;
  QString m_lossName;
  double m_clip = 0;
  bool m_live = false;
  int m_revision = -1;
  std::size_t m_marks = 0;
};

}  // namespace mantissa::ui::run
