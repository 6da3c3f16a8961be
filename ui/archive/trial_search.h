// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QSortFilterProxyModel>
#include <QString>

#include <optional>

#include "ui/models/background_work.h"
#include "ui/models/trial_list.h"

namespace mantissa::ui::archive {

/// Which trials of the table are shown: those that hold words in any column, or those that fit an expression over
/// columns and settings (core/compare/trial_filter.h). Expressions are looked at on a thread of their own, because
/// settings stand in the archive; until the answer is there, what was shown stays.
class TrialSearch : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit TrialSearch(QObject* parent = nullptr);

  /// Whether a text is meant as an expression: it compares something.
  static bool isExpression(const QString& text);

  void setText(const QString& text);
  /// The same trials as in the source model. \param archive  path; settings are read from it
  void setTrials(const QString& archive, const models::TrialList& trials);

  /// Why the text is no expression, as a sentence; empty: it is one, or it is words. The rows shown are then those of
  /// the last text that was understood.
  const QString& problem() const { return m_problem; }
  bool isSettled() const { return !m_work.isBusy(); }

 Q_SIGNALS:
  /// What is shown, or what is wrong, may be another.
  void searched();

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  struct Found {
    std::optional<QSet<qint64>> ids;
    QString problem;
  };
  void search();
  void take(const Found& found);

  QString m_text;
  QString m_archive;
  models::TrialList m_trials;
  std::optional<QSet<qint64>> m_ids;  // nothing: by words
  QString m_problem;
  models::BackgroundWork m_work;
};

}  // namespace mantissa::ui::archive
