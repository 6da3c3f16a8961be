// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_button.h"

#include <algorithm>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kPadding = 16;       // px around icon and text
constexpr int kFewestLetters = 6;  // of a name: fewer say nothing

}  // namespace

ActionButton::ActionButton(QAction* action, Shape shape, QWidget* parent)
    : QPushButton(parent), m_action(action), m_shape(shape) {
  setObjectName(action->objectName());
  setAutoDefault(false);
  connect(this, &QPushButton::clicked, action, &QAction::trigger);
  connect(action, &QAction::changed, this, &ActionButton::follow);
  follow();
}

void ActionButton::setPrimary() {
  QFont bold = font();
  bold.setBold(true);
  setFont(bold);
  follow();
}

void ActionButton::setShortText(const QString& text) {
  m_short = text;
  follow();
}

void ActionButton::reserve(const QString& text) {
  m_reserved = {text, words()};
  follow();
}

void ActionButton::resizeEvent(QResizeEvent* event) {
  QPushButton::resizeEvent(event);
  showText();
}

/// The verb stays whole. A name behind it has dots in its middle, since what tells names apart stands at their ends;
/// where less than a few letters of it would be left, the verb stands alone.
void ActionButton::showText() {
  if (m_shape == Shape::IconOnly) return setText({});
  const int room = width() - kPadding - (icon().isNull() ? 0 : iconSize().width());
  const QString text = words();
  const auto widthOf = [this](const QString& one) { return fontMetrics().size(Qt::TextShowMnemonic, one).width(); };
  const auto cut = [&](const QString& one, int width) {
    return fontMetrics().elidedText(one, Qt::ElideMiddle, width, Qt::TextShowMnemonic);
  };
  if (m_reserved.isEmpty() || widthOf(text) <= room) return setText(text);
  const QString verb = m_action->iconText();
  const QString start = verb + u' ';
  if (!text.startsWith(start)) return setText(cut(text, room));
  const QString name = cut(text.mid(start.size()), room - widthOf(start));
  setText(name.size() >= kFewestLetters ? start + name : verb);
}

void ActionButton::follow() {
  const bool iconOnly = m_shape == Shape::IconOnly;
  showText();
  setAccessibleName(plainText(*m_action));
  setEnabled(m_action->isEnabled());
  setCheckable(m_action->isCheckable());
  setChecked(m_action->isChecked());
  setToolTip(m_action->toolTip());
  setWhatsThis(m_action->whatsThis());
  int width = kPadding + (icon().isNull() ? 0 : iconSize().width());
  if (!iconOnly) {
    int widest = 0;
    for (const QString& text : m_reserved.isEmpty() ? QStringList{words()} : m_reserved) {
      widest = std::max(widest, fontMetrics().size(Qt::TextShowMnemonic, text).width());
    }
    width += widest;
  }
  setMinimumWidth(width - (iconOnly ? 4 : 0));
}

}  // namespace mantissa::ui::shell
