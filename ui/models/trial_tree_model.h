// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>

#include <vector>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

/// The archive as a tree: experiments, newest first, each with its reference, yardsticks and trials. Experiments that
/// have a name in common are told apart by their numbers, "digits · #12", and have the time of their begin in the
/// column of the states.
///
/// `setTrials` keeps indexes of what is still there: an experiment or arm that only changed its state keeps its row,
/// so that selection and expansion survive a refresh.
class TrialTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, kColumns };
  enum Role {
    TrialRole = Qt::UserRole + 1,  ///< qint64: the arm's id; 0 for an experiment
    ExperimentRole,                ///< qint64: the experiment's id
    PlaceRole,                     ///< int: the arm's place (trial_list.h); -1 for an experiment
  };

  explicit TrialTreeModel(QObject* parent = nullptr);

  void setTrials(const TrialList& trials);

  /// The experiment whose arms hold while they run; 0: none.
  void setPaused(std::int64_t experiment);

  QModelIndex indexOfTrial(std::int64_t id) const;
  const record::TrialRow* trial(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Arm {
    record::TrialRow row;
    int place = 0;
  };
  struct Experiment {
    std::int64_t id = 0;
    QString name;
    std::vector<Arm> arms;
    bool isOneOfSeveral = false;  ///< others have its name

    QString began() const;  ///< "14:03" today, the date before
    QString title() const;
  };
  static std::vector<Experiment> grouped(const std::vector<record::TrialRow>& trials);
  std::size_t rowOf(quintptr experiment) const;
  void updateArms(int row, std::vector<Arm> arms);
  void tellEqualNamesApart();
  QString stateOf(const record::TrialRow& arm) const;

  std::vector<Experiment> m_experiments;
  std::int64_t m_paused = 0;
};

}  // namespace mantissa::ui::models
