// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <utility>
#include <vector>

#include "ui/run/run_data.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace mantissa::ui::run {

/// What is known of a step in which something went wrong: of each arm that skipped it or has a non-finite value there.
/// A popup: Escape or a click beside it closes it, Left and Right go to the neighbouring skipped steps, Ctrl+C copies.
class StepPanel : public QFrame {
  Q_OBJECT

 public:
  explicit StepPanel(QWidget* parent);

  /// Under the pointer, or in the middle of the parent where the pointer is elsewhere. \param run  must outlive what
  /// is shown: close() before it goes
  void showStep(const RunData& run, qint64 step);

  qint64 step() const { return m_step; }
  /// "Run: fp16" … one a line, as it is copied: the same in every locale.
  QString text() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  using Fields = std::vector<std::pair<QString, QString>>;  // a second text that is empty: a heading

  enum class Numbers { OfTheScreen, OfFiles };

  Fields fieldsOf(const ArmData& arm, qint64 step, Numbers numbers) const;
  Fields allFields(Numbers numbers) const;
  void fill();
  void go(qint64 step);
  qint64 neighbour(int direction) const;
  void copy() const;

  const RunData* m_data = nullptr;
  qint64 m_step = 0;
  QLabel* m_title;
  QGridLayout* m_grid;
  QPushButton* m_previous;
  QPushButton* m_next;
};

}  // namespace mantissa::ui::run
