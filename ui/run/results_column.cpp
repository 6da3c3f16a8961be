// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/results_column.h"

#include <QVBoxLayout>

#include "ui/run/run_charts.h"

namespace mantissa::ui::run {
namespace {

constexpr int kSpacing = 8;
constexpr int kRowOfCharts = 200;  // px: a chart with a legend of two rows

}  // namespace

ResultsColumn::ResultsColumn(RunCharts* charts, QWidget* counters, QWidget* parent)
    : QWidget(parent), m_charts(charts), m_counters(counters), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(kSpacing);
  m_layout->addWidget(m_charts, 1);
  m_layout->addWidget(m_counters);
}

void ResultsColumn::arrange() {
  const int charts = height() - m_charts->chooserHeight() - m_counters->sizeHint().height() - 2 * kSpacing;
  const bool scrolls = charts < kRowOfCharts;
  if (scrolls == m_scrolls) return;
  m_scrolls = scrolls;
  QVBoxLayout* const from = scrolls ? m_layout : m_charts->scrolledLayout();
  QVBoxLayout* const to = scrolls ? m_charts->scrolledLayout() : m_layout;
  from->removeWidget(m_counters);
  to->addWidget(m_counters);
}

void ResultsColumn::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace mantissa::ui::run
