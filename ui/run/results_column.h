// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace mantissa::ui::run {

class RunCharts;

/// The charts with the counters below them. Where that would leave less than a row of charts in sight, the counters
/// scroll with the charts instead of standing still.
class ResultsColumn : public QWidget {
  Q_OBJECT

 public:
  ResultsColumn(RunCharts* charts, QWidget* counters, QWidget* parent = nullptr);

  bool countersScroll() const { return m_scrolls; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  RunCharts* m_charts;
  QWidget* m_counters;
  QVBoxLayout* m_layout;
  bool m_scrolls = false;
};

}  // namespace mantissa::ui::run
