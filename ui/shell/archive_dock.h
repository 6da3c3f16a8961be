// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QVector>

#include <cstdint>
#include <optional>

#include "ui/models/trial_list.h"

class QAction;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace mantissa::ui::models {
class TrialTreeModel;
}

namespace mantissa::ui::shell {

/// The archive as a tree on the left of the window: experiments, newest first, each with its reference and trials.
class ArchiveDock : public QDockWidget {
  Q_OBJECT

 public:
  explicit ArchiveDock(QWidget* parent = nullptr);

  void setTrials(const models::TrialList& trials);
  /// One that does not stand there yet is selected when it comes, unless a person goes elsewhere before.
  void selectTrial(std::int64_t id);
  /// Expands these experiments and no others, and selects what of it is there, the trial before the experiment.
  void restore(const QVector<std::int64_t>& expanded, std::int64_t experiment, std::int64_t trial);
  /// Those that show their arms; nothing while a filter decides about it.
  std::optional<QVector<std::int64_t>> expanded() const;
  /// The experiment whose arms hold while they run; 0: none.
  void setPaused(std::int64_t experiment);
  std::int64_t selectedTrial() const;
  /// The experiment that is selected, or the one of the selected trial; 0: none.
  std::int64_t selectedExperiment() const;
  /// An action of the tree's context menu.
  void addContextAction(QAction* action);
  /// Puts the keyboard into the filter.
  void focusFilter();

 Q_SIGNALS:
  /// 0 where an experiment or nothing is selected.
  void trialSelected(std::int64_t id);
  /// An experiment itself, not one of its arms.
  void experimentSelected(std::int64_t id);
  void newExperimentRequested();
  /// Something else is selected, or other experiments show their arms.
  void viewChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fitStates();
  void fitStatesSoon();
  qint64 newestExperiment() const;

  models::TrialTreeModel* m_model;
  QSortFilterProxyModel* m_filtered;
  QLineEdit* m_filter;
  QTreeView* m_view;
  QLabel* m_empty;
  std::int64_t m_awaited = 0;  ///< to be selected when it comes
  bool m_fitsSoon = false;
};

}  // namespace mantissa::ui::shell
