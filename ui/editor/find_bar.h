// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace mantissa::ui::editor {

class TextView;

/// Finds words in a text: marks and counts all of them and goes from one to the next, around the end.
class FindBar : public QWidget {
  Q_OBJECT

 public:
  /// Hidden until it is opened.
  explicit FindBar(TextView* text, QWidget* parent = nullptr);

  /// Shows it with the keyboard in it; words that are selected in the text are what is looked for.
  void open();
  /// Hides it and its marks; the keyboard goes back into the text.
  void dismiss();
  /// Selects the next match behind the cursor, or the one before it. Opens the bar where nothing is looked for yet.
  void goToNext();
  void goToPrevious();

  QLineEdit* words() const { return m_words; }
  /// "2 of 7".
  QString countWords() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void look();
  void tell();
  void select(int match);
  /// The first match from a position of the text on, around the end; there is one.
  void selectFirstFrom(int position);
  /// Shows the bar and looks for its words once more. \return whether there are matches to go to
  bool findAgain();
  int matchAtCursor() const;

  TextView* m_text;
  QLineEdit* m_words;
  QLabel* m_count;
  QToolButton* m_case;
  QVector<int> m_matches;  ///< where they begin
  int m_anchor = 0;        ///< of the cursor when the words were begun: the first match behind it is shown
};

}  // namespace mantissa::ui::editor
