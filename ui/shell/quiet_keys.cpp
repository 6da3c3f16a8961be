// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/quiet_keys.h"

#include <QCoreApplication>
#include <QKeyEvent>

#include "ui/shell/message_strip.h"

namespace mantissa::ui::shell {

QuietKeys::QuietKeys(QObject* parent) : QObject(parent) {
  m_answered.start();
  QCoreApplication::instance()->installEventFilter(this);
}

bool QuietKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) {
    return QObject::eventFilter(watched, event);
  }
  const auto* const key = static_cast<QKeyEvent*>(event);
  const bool presses = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Space;
  if (!presses || key->modifiers().testFlag(Qt::ControlModifier)) return QObject::eventFilter(watched, event);
  if (key->isAutoRepeat() || !m_answered.hasExpired(MessageStrip::kDeafMilliseconds)) return true;
  QCoreApplication::instance()->removeEventFilter(this);
  deleteLater();
  return false;
}

}  // namespace mantissa::ui::shell
