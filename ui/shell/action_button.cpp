// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_button.h"

#include <algorithm>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kPadding = 16;  // px around icon and text

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

void ActionButton::reserve(const QString& text) {
  m_longest = text;
  follow();
}

void ActionButton::follow() {
  const bool iconOnly = m_shape == Shape::IconOnly;
  setText(iconOnly ? QString() : m_action->text());
  setAccessibleName(plainText(*m_action));
  setEnabled(m_action->isEnabled());
  setCheckable(m_action->isCheckable());
  setChecked(m_action->isChecked());
  setToolTip(m_action->toolTip());
  setWhatsThis(m_action->whatsThis());
  int width = kPadding + (icon().isNull() ? 0 : iconSize().width());
  if (!iconOnly) {
    width += std::max(fontMetrics().horizontalAdvance(m_longest),
                      fontMetrics().size(Qt::TextShowMnemonic, m_action->text()).width());
  }
  setMinimumWidth(width - (iconOnly ? 4 : 0));
}

}  // namespace mantissa::ui::shell
