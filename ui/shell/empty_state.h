// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QVBoxLayout;

namespace mantissa::ui::shell {

/// What a page shows while it has nothing to show: what it is for, and the actions that fill it.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  EmptyState(const QString& headline, const QString& sentence, QWidget* parent = nullptr);

  /// A button below the sentence; the first one is the primary.
  void addAction(QAction* action);
  void setSentence(const QString& sentence);

 private:
  QLabel* m_sentence;
  QVBoxLayout* m_buttons;
};

}  // namespace mantissa::ui::shell
