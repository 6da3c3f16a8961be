// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "ui/shell/page.h"

class QLabel;
class QLineEdit;
class QStackedLayout;
class QTableView;

namespace mantissa::ui::models {
class TrialTableModel;
}
namespace mantissa::ui::shell {
class EmptyState;
}

namespace mantissa::ui::archive {

class TrialSearch;

/// All arms of the archive as a table: sorted by any column, filtered by words or by an expression over columns and
/// settings, chosen by double click.
class ArchivePage : public shell::Page {
  Q_OBJECT

 public:
  explicit ArchivePage(QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("archive"); }
  QString title() const override { return tr("Archive"); }
  shell::HelpTopic help() const override;
  void setArchive(const QString& path, const models::TrialList& trials) override;
  void selectTrial(std::int64_t id) override;
  void useActions(shell::ActionList& actions) override;
  void addContextAction(QAction* action) override;
  QByteArray saveLayout() const override;
  void restoreLayout(const QByteArray& layout) override;
  bool isSettled() const override;

 private:
  void copy() const;
  void tellCount();
  void tellChosen();
  void fitColumns();

  models::TrialList m_trials;
  models::TrialTableModel* m_model;
  TrialSearch* m_sorted;
  QTableView* m_view;
  QLineEdit* m_filter;
  QLabel* m_count;
  QLabel* m_problem;
  shell::EmptyState* m_empty;
  QStackedLayout* m_stack;
  QTimer m_choosing;
  bool m_isArranged = false;  ///< by a person: columns stay as they are
  bool m_fits = false;        ///< fitColumns is at work
};

}  // namespace mantissa::ui::archive
