// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>

#include "ui/plot/chart_widget.h"

namespace mantissa::ui::shell {

class ActionList;

/// What can be done with a chart, with keys: for the chart that has the keyboard, else for the one that had it last,
/// else for the first one in view. Where nothing can be done, the status bar says why.
class ChartActions : public QObject {
  Q_OBJECT

 public:
  /// \param page  the page in front
  ChartActions(QMainWindow* window, std::function<QWidget*()> page);

  /// Makes the actions, in the window's list.
  void make(ActionList& list);

  /// The chart that they act on; null: none is in view.
  plot::ChartWidget* chart() const;

 private:
  void perform(plot::ChartWidget::Deed deed);
  void openMenu();
  void say(const QString& sentence);

  QMainWindow* m_window;
  std::function<QWidget*()> m_page;
  QPointer<plot::ChartWidget> m_last;
};

}  // namespace mantissa::ui::shell
