// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_choice.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

namespace mantissa::ui::memory {
namespace {

constexpr int kNameWidth = 150;  // px of the name on the button

QString asLabel(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

/// Stays open while its items are checked, so that several can be.
class StayingMenu : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    QAction* const action = actionAt(event->pos());
    if (action == nullptr || !action->isCheckable() || !action->isEnabled()) return QMenu::mouseReleaseEvent(event);
    action->trigger();
  }
  void keyPressEvent(QKeyEvent* event) override {
    QAction* const action = activeAction();
    if (event->key() != Qt::Key_Space || action == nullptr) return QMenu::keyPressEvent(event);
    action->trigger();
  }
};

}  // namespace

LedgerChoice::LedgerChoice(QWidget* parent) : QPushButton(parent), m_menu(new StayingMenu(this)) {
  setMenu(m_menu);
  setAutoDefault(true);  // Enter opens it, too
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  describe();
}

void LedgerChoice::offer(const QStringList& names) {
  const QStringList before = chosen();
  m_menu->clear();
  for (const QString& name : names) {
    QAction* const action = m_menu->addAction(asLabel(name));
    action->setData(name);
    action->setCheckable(true);
    action->setChecked(before.contains(name));
    connect(action, &QAction::toggled, this, [this] {
      describe();
      Q_EMIT changed();
    });
  }
  describe();
}

bool LedgerChoice::isEmpty() const { return m_menu->isEmpty(); }

QStringList LedgerChoice::chosen() const {
  QStringList names;
  for (const QAction* const action : m_menu->actions()) {
    if (action->isChecked()) names << action->data().toString();
  }
  return names;
}

void LedgerChoice::choose(const QString& name) {
  for (QAction* const action : m_menu->actions()) {
    if (action->data().toString() == name) action->setChecked(true);
  }
}

void LedgerChoice::describe() {
  const QStringList names = chosen();
  const QString text = names.isEmpty()     ? tr("with none")
                       : names.size() == 1 ? tr("with %1").arg(names.first())
                                           : tr("with %1 ledgers").arg(names.size());
  setText(asLabel(fontMetrics().elidedText(text, Qt::ElideMiddle, kNameWidth)));
  setAccessibleDescription(names.join(QStringLiteral(", ")));
}

}  // namespace mantissa::ui::memory
