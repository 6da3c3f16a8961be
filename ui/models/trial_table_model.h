// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QString>

#include <cstdint>
#include <optional>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

/// All arms of an archive as a table, one row an arm, newest first: what the archive page shows.
class TrialTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    ExperimentColumn,
    TrialColumn,
    KindColumn,
    StateColumn,
    AutocastColumn,
    DeviceColumn,
    StepsColumn,
    AppliedColumn,
    SkippedColumn,
    LossColumn,
    QualityColumn,
    FlipsColumn,
    DurationColumn,
    StartedColumn,
    kColumns
  };
  enum Role {
    SortRole = Qt::UserRole + 1,  ///< what a column sorts by: numbers as numbers, what was not measured last
    TrialRole,                    ///< qint64: the arm's id
    PlaceRole,                    ///< int: the arm's place (trial_list.h)
  };

  explicit TrialTableModel(QObject* parent = nullptr);

  void setTrials(const TrialList& trials);
  const record::TrialRow& trial(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void findSharedNames();

  TrialList m_trials;
  QSet<QString> m_shared;  ///< names of several experiments
};

}  // namespace mantissa::ui::models
