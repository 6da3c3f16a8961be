// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

#include "ui/worker/job.h"

class QLabel;
class QListWidget;
class QToolButton;

namespace mantissa::ui::run {

/// The runs that wait for their turn, in that order, and whether they wait for a person; takes no room while there is
/// none.
class QueuePanel : public QWidget {
  Q_OBJECT

 public:
  explicit QueuePanel(QWidget* parent = nullptr);

  /// \param held  they wait until they are started
  void showWaiting(const std::vector<worker::WaitingJob>& waiting, bool held);

 Q_SIGNALS:
  void removalRequested(mantissa::ui::worker::JobId job);
  void clearingRequested();
  void startRequested();

 private:
  void removeChosen();

  QLabel* m_title;
  QListWidget* m_list;
  QToolButton* m_remove;
  QLabel* m_held;
  QToolButton* m_start;
};

}  // namespace mantissa::ui::run
