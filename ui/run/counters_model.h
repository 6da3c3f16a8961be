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
    DeviationColumn,  ///< as a multiple of its yardstick, where there is one
    QualityColumn,
    kColumns
  };
  enum Role {
    PlaceRole = Qt::UserRole + 1,  ///< int: decides colour and marker
    TrialRole,                     ///< qint64: the archive's id
    LastSkipRole,                  ///< qint64: the step; 0: none
    FileRole,                      ///< as it is copied: numbers of files, whatever the locale is
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// \param data  must outlive the model, or be replaced; null: none
  void setData(const RunData* data);
  /// What has changed: rows where arms came, values otherwise.
  void refresh();

  /// How long the run will be: what its counters come to. 0: not known
  void setPlanned(qint64 steps, qint64 iterations);
  /// The widest text that a run brings into a column; empty: not known before it comes.
  QString widestText(int column) const;

  /// What the column of quality says, and of when: "Accuracy on the frozen cases, evaluated at step 1,600".
  QString qualityNote() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    const ArmData* arm = nullptr;
    qint64 growthInterval = 0;  ///< of its scaler; 0: it has none
  };

  QString text(const Row& row, int column) const;
  QString fullPrecision(const Row& row, int column) const;
  QString fileText(const Row& row, int column) const;
  QString skipWords(const ArmData& arm) const;
  QString metric() const;
  std::optional<double> measured(const ArmData& arm, int column) const;

  const RunData* m_data = nullptr;
  std::vector<Row> m_rows;
  qint64 m_plannedSteps = 0;
  qint64 m_plannedIterations = 0;
  std::optional<Yardstick> m_yardstick;  ///< usable
  QString m_metric;                      ///< as the heading says
  std::vector<record::TrialRow> m_arms;
};

}  // namespace mantissa::ui::run
