// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window_keys.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

#include <algorithm>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {
namespace {

bool takesText(const QObject* watched) {
  return qobject_cast<const QLineEdit*>(watched) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(watched) != nullptr ||
         qobject_cast<const QComboBox*>(watched) != nullptr ||
         qobject_cast<const QPlainTextEdit*>(watched) != nullptr || qobject_cast<const QTextEdit*>(watched) != nullptr;
}

bool edits(const QKeyEvent& event) {
  constexpr QKeySequence::StandardKey kEditing[] = {QKeySequence::Undo, QKeySequence::Redo,  QKeySequence::Cut,
                                                    QKeySequence::Copy, QKeySequence::Paste, QKeySequence::SelectAll};
  return std::any_of(std::begin(kEditing), std::end(kEditing),
                     [&event](QKeySequence::StandardKey key) { return event.matches(key); });
}

}  // namespace

WindowKeys::WindowKeys(QWidget* window, const ActionList& actions)
    : QObject(window), m_window(window), m_actions(actions) {
  qApp->installEventFilter(this);
}

bool WindowKeys::belongsToAction(const QKeyEvent& event) const {
  const QKeySequence pressed(event.keyCombination());
  const QVector<QAction*>& actions = m_actions.actions();
  return std::any_of(actions.begin(), actions.end(), [&pressed](const QAction* action) {
    return action->isEnabled() && action->shortcuts().contains(pressed);
  });
}

/// A field asks for a key before the actions do: it is not asked.
bool WindowKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || !takesText(watched)) return false;
  if (static_cast<QWidget*>(watched)->window() != m_window) return false;
  const auto& key = static_cast<const QKeyEvent&>(*event);
  if (edits(key) || !belongsToAction(key)) return false;
  event->ignore();
  return true;
}

}  // namespace mantissa::ui::shell
