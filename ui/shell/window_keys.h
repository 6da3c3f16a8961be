// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QKeyEvent;
class QWidget;

namespace mantissa::ui::shell {

class ActionList;

/// Keeps the keys of the window's actions from fields for text: Qt's fields take Ctrl+E, Ctrl+D, Ctrl+K and others for
/// themselves on some platforms, and an action then does nothing while one of them has the keyboard.
///
/// What every field needs for editing stays with it: undo, redo, cut, copy, paste, select all.
class WindowKeys : public QObject {
  Q_OBJECT

 public:
  WindowKeys(QWidget* window, const ActionList& actions);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool belongsToAction(const QKeyEvent& event) const;

  QWidget* m_window;
  const ActionList& m_actions;
};

}  // namespace mantissa::ui::shell
