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
  /// Instead of the action's, where what it acts on stands beside the button.
  void setShortText(const QString& text);
  /// Takes room for this text and for the one that the action has now, and no more whatever the action will be called:
  /// nothing moves when its text changes. Of a longer one that begins with the action's icon text, a verb, the rest has
  /// dots, or is left out. The tip should have all of it.
  void reserve(const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void showText();
  QString words() const { return m_short.isEmpty() ? m_action->text() : m_short; }

  QAction* m_action;
  Shape m_shape;
  QString m_short;
  QStringList m_reserved;  ///< texts to have room for; none: for what the action is called
};

}  // namespace mantissa::ui::shell
