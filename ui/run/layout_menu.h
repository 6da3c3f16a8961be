// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

#include <map>
#include <vector>

#include "ui/run/chart_content.h"

class QActionGroup;

namespace mantissa::ui::run {

/// Which charts the page shows, in how many columns. Stays open while charts are chosen.
class LayoutMenu : public QMenu {
  Q_OBJECT

 public:
  static constexpr int kMostColumns = 3;

  explicit LayoutMenu(QWidget* parent = nullptr);

  /// In the order of the grid; never empty: the last chart cannot be unchecked.
  std::vector<Chart> charts() const;
  int columns() const;

  /// Says nothing. \param charts  none: those of a new page
  void choose(const std::vector<Chart>& charts, int columns);

 Q_SIGNALS:
  void chosen();
  /// After `chosen`: everything is to be as on a new page.
  void wasReset();

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  bool triggerAndStay();
  void keepLast();

  std::map<Chart, QAction*> m_charts;
  QActionGroup* m_columns;
};

}  // namespace mantissa::ui::run
