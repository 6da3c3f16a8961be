// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <cstddef>
#include <vector>

#include "ui/shell/elided_label.h"
#include "ui/shell/statement.h"

class QHBoxLayout;
class QLabel;

namespace mantissa::ui::shell {

/// The strip at the top of a page: statements, each a word, a number and a state with a sign of its own.
class GlanceStrip : public QFrame {
  Q_OBJECT

 public:
  /// \param statements  how many; a page always has the same number of them
  explicit GlanceStrip(std::size_t statements, QWidget* parent = nullptr);

  /// \param statements  any container of as many as there are
  template <class Statements>
  void setStatements(const Statements& statements) {
    put({statements.begin(), statements.end()});
  }
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
    ElidedLabel* answer;
    ElidedLabel* detail;
    int headWidth;           ///< px that its question and its shortest answer have needed
    int leastWidth;          ///< px that its shortest words have needed, those of the detail included
    int answerWidth;         ///< px that its answers have needed
    int wholeWidth;          ///< px that its answers and its details have needed
    int sentenceWidth;       ///< px of a detail that stands in place of an answer, for as long as it does
    std::vector<int> forms;  ///< px of each form of its answers, up to the whole one
  };
  void put(std::vector<Statement> statements);
  void showOne(std::size_t index);
  void measure(std::size_t index);
  void share();
  QString written(std::size_t statement, QString answer) const;

  std::vector<Statement> m_statements;
  std::vector<Cell> m_cells;
  QHBoxLayout* m_row = nullptr;
};

}  // namespace mantissa::ui::shell
