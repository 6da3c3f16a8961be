// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <array>

#include "ui/run/glance.h"
#include "ui/shell/elided_label.h"

class QHBoxLayout;

namespace mantissa::ui::run {

/// The strip at the top of the page: five statements, each a word, a number and a state with a sign of its own.
class GlanceStrip : public QFrame {
  Q_OBJECT

 public:
  explicit GlanceStrip(QWidget* parent = nullptr);

  void setStatements(const std::array<Statement, kStatements>& statements);
  /// "✓ all losses finite", for tests and screen readers.
  QString answerOf(std::size_t statement) const;
  /// What is seen of it, and of the number behind it.
  QString shownAnswer(std::size_t statement) const { return m_cells[statement].answer->shownText(); }
  QString shownDetail(std::size_t statement) const { return m_cells[statement].detail->shownText(); }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Cell {
    QLabel* question;
    shell::ElidedLabel* answer;
    shell::ElidedLabel* detail;
    int leastWidth;   ///< px that its shortest words have needed
    int answerWidth;  ///< px that its answers have needed
    int wholeWidth;   ///< px that its answers and its details have needed
  };
  void showOne(std::size_t index);
  void measure(std::size_t index);
  void share();
  QString written(std::size_t statement, QString answer) const;

  std::array<Statement, kStatements> m_statements;
  std::array<Cell, kStatements> m_cells{};
  QHBoxLayout* m_row = nullptr;
};

}  // namespace mantissa::ui::run
