// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QTimer>

#include <array>

#include "ui/run/counters_model.h"

namespace mantissa::ui::run {

/// The counters as a table. Columns grow with what they show and never shrink, so that nothing jumps; where all fit,
/// the cause takes the room that is left.
class CountersTable : public QTableView {
  Q_OBJECT

 public:
  explicit CountersTable(QWidget* parent = nullptr);

  /// Whether columns are still to be fitted to what came.
  bool isFitting() const { return m_fitSoon.isActive(); }
  const CountersModel& counters() const { return m_model; }
  void setData(const RunData* run);
  /// Makes room for what a run of this length brings.
  void setPlanned(qint64 steps, qint64 iterations);
  /// Takes in what has changed.
  void refresh();

 Q_SIGNALS:
  /// A row was activated whose arm has skipped: its last skip.
  void skipChosen(qint64 step);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  int nameWidth() const;
  /// Whether a number has less room than it needs.
  bool cutsNumbers() const;
  void fitColumns();
  void copy() const;

  CountersModel m_model;
  std::array<int, CountersModel::kColumns> m_kept{};  ///< widths with room for what may come, never narrower again
  std::array<int, CountersModel::kColumns> m_seen{};  ///< widths of the widest numbers that this run has shown
  int m_causeWidth = 0;                               ///< that no cause is cut at
  int m_causeHeading = 0;                             ///< the least that Cause is left
  int m_rowsFitted = 0;
  QTimer m_fitSoon;
};

}  // namespace mantissa::ui::run
