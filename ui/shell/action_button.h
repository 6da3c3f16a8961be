// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QPushButton>

namespace mantissa::ui::shell {

/// A button that triggers an action and says what it says: text, help, whether it can be done. Window thread.
class ActionButton : public QPushButton {
  Q_OBJECT

 public:
  enum class Shape { Text, IconOnly };

  /// \param action  must outlive the button, which has its object name
  explicit ActionButton(QAction* action, Shape shape = Shape::Text, QWidget* parent = nullptr);

  /// The one that a person came for: bold.
  void setPrimary();
  /// Room for the longest text that the action will have, so that nothing moves when it changes.
  void reserve(const QString& text);

 private:
  void follow();

  QAction* m_action;
  Shape m_shape;
  QString m_longest;
};

}  // namespace mantissa::ui::shell
