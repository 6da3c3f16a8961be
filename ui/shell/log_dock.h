// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

class QComboBox;
class QTableView;

namespace mantissa::ui::shell {

class LogModel;
class LogFilter;

/// The log at the bottom of the window: filter by level, copy of what is selected, newest line in view while the view
/// is at its end.
class LogDock : public QDockWidget {
  Q_OBJECT

 public:
  explicit LogDock(LogModel* model, QWidget* parent = nullptr);

  /// The selected lines, or all that are shown where none is, one a line, columns separated by tabs.
  QString text() const;

 private:
  void copy();

  LogFilter* m_filter;
  QTableView* m_view;
  QComboBox* m_level;
};

}  // namespace mantissa::ui::shell
