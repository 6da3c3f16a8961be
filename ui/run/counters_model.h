// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "ui/run/run_data.h"

namespace mantissa::ui::run {

/// The counters of every arm with a line of its own, one row each.
class CountersModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    ArmColumn,
    IterationsColumn,
    AttemptedColumn,
    AppliedColumn,
    SkippedColumn,
    LastSkipColumn,
    CauseColumn,
    ScaleColumn,
    TrackerColumn,
    RateColumn,
    LossColumn,
    DeviationColumn,
    kColumns
  };
  enum Role {
    PlaceRole = Qt::UserRole + 1,  ///< int: decides colour and marker
    TrialRole,                     ///< qint64: the archive's id
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// \param data  must outlive the model, or be replaced; null: none
  void setData(const RunData* data);
  /// What has changed: rows where arms came, values otherwise.
  void refresh();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const ArmData& arm, int column) const;
  QString fullPrecision(const ArmData& arm, int column) const;

  const RunData* m_data = nullptr;
  std::vector<const ArmData*> m_rows;
  std::vector<record::TrialRow> m_arms;
};

}  // namespace mantissa::ui::run
