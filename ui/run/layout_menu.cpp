// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/layout_menu.h"

#include <QActionGroup>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace mantissa::ui::run {
namespace {

constexpr int kColumns = 2;
const std::vector<Chart>& defaultCharts() {
  static const std::vector<Chart> charts = {Chart::Loss, Chart::Scale, Chart::OutputRmse, Chart::GradientNorm};
  return charts;
}

}  // namespace

LayoutMenu::LayoutMenu(QWidget* parent) : QMenu(parent), m_columns(new QActionGroup(this)) {
  setAccessibleName(tr("Which charts are shown"));
  for (const ChartGroup& group : chartGroups()) {
    addSection(group.title);
    for (const Chart chart : group.charts) {
      QAction* const action = addAction(menuText(chart));
      action->setCheckable(true);
      action->setObjectName(idOf(chart));
      connect(action, &QAction::triggered, this, [this] {
        keepLast();
        Q_EMIT chosen();
      });
      m_charts[chart] = action;
    }
  }
  addSection(tr("Columns"));
  for (int columns = 1; columns <= kMostColumns; ++columns) {
    QAction* const action = addAction(columns == 1 ? tr("1 column") : tr("%1 columns").arg(columns));
    action->setCheckable(true);
    action->setData(columns);
    m_columns->addAction(action);
    connect(action, &QAction::triggered, this, &LayoutMenu::chosen);
  }
  addSeparator();
  connect(addAction(tr("Reset")), &QAction::triggered, this, [this] {
    choose({}, kColumns);
    Q_EMIT chosen();
    Q_EMIT wasReset();
  });
  choose({}, kColumns);
}

std::vector<Chart> LayoutMenu::charts() const {
  std::vector<Chart> charts;
  for (const auto& [chart, action] : m_charts) {
    if (action->isChecked()) charts.push_back(chart);
  }
  return charts;
}

int LayoutMenu::columns() const { return m_columns->checkedAction()->data().toInt(); }

void LayoutMenu::choose(const std::vector<Chart>& charts, int columns) {
  const std::vector<Chart>& wanted = charts.empty() ? defaultCharts() : charts;
  for (const auto& [chart, action] : m_charts) {
    action->setChecked(std::find(wanted.begin(), wanted.end(), chart) != wanted.end());
  }
  for (QAction* const action : m_columns->actions()) {
    action->setChecked(action->data().toInt() == std::clamp(columns, 1, kMostColumns));
  }
  keepLast();
}

void LayoutMenu::keepLast() {
  const bool one = charts().size() == 1;
  for (const auto& [chart, action] : m_charts) action->setEnabled(!one || !action->isChecked());
}

bool LayoutMenu::triggerAndStay() {
  QAction* const action = activeAction();
  if (action == nullptr || !action->isCheckable() || !action->isEnabled()) return false;
  action->trigger();
  return true;
}

void LayoutMenu::mouseReleaseEvent(QMouseEvent* event) {
  if (actionAt(event->position().toPoint()) == activeAction() && triggerAndStay()) return;
  QMenu::mouseReleaseEvent(event);
}

void LayoutMenu::keyPressEvent(QKeyEvent* event) {
  const bool chooses = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (chooses && triggerAndStay()) return;
  QMenu::keyPressEvent(event);
}

}  // namespace mantissa::ui::run
