// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

#include "ui/editor/problem.h"

namespace mantissa::ui::editor {

/// The text of an experiment file: line numbers, colours, and a mark at every line with a problem.
class TextView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit TextView(QWidget* parent = nullptr);

  /// Takes the place of everything; forgets what could be undone.
  void load(const QString& text);

  /// The text with LF between lines. Unlike toPlainText, no-break spaces stay what they are.
  QString text() const;

  /// Replaces `removed` characters at `position`, as one step that can be undone.
  /// \param joinsBefore  makes it a part of the step before: typing into one field is one step
  void edit(int position, int removed, const QString& inserted, bool joinsBefore = false);

  /// Makes the text this one by a change of what differs, as one step that can be undone.
  void replace(const QString& text);

  /// Marks these places of `length` characters. \param begins  in the order of the text
  void showMatches(const QVector<int>& begins, int length);
  /// Selects characters and makes them visible.
  void select(int begin, int length);

  void showProblems(const QVector<Problem>& problems);
  /// What is marked at a line (from 1); empty: nothing.
  QString problemAt(int line) const;

  /// Puts the cursor there and makes the line visible. \param line, column  from 1
  void goTo(int line, int column = 1);
  /// The line of the cursor, from 1.
  int currentLine() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  friend class LineNumbers;
  int numbersWidth() const;
  void layoutNumbers();
  void paintNumbers(QPaintEvent* event);
  void markLines();

  QWidget* m_numbers;
  QVector<Problem> m_problems;
  QVector<int> m_matches;
  int m_matchLength = 0;
};

}  // namespace mantissa::ui::editor
