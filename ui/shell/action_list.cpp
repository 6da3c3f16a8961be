// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_list.h"
#include "ui/plain_tip.h"

#include <QHash>
#include <QStringList>

#include <utility>

#include "ui/shell/action_synonyms.h"

namespace mantissa::ui::shell {
namespace {

constexpr char kGroup[] = "group";
constexpr char kHelp[] = "help";
constexpr char kReason[] = "reason";

void describe(QAction* action) {
  const QString reason = action->property(kReason).toString();
  QString tip = action->property(kHelp).toString();
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  if (!keys.isEmpty()) tip += QStringLiteral(" (%1)").arg(keys);
  if (!reason.isEmpty()) tip += QLatin1Char('\n') + reason;
  action->setToolTip(plainTip(tip));
}

}  // namespace

QString plainText(const QAction& action) {
  QString text = action.text();
  text.remove(QLatin1Char('&'));
  while (text.endsWith(QChar(0x2026))) text.chop(1);
  return text;
}

ActionList::ActionList(QObject* parent) : QAbstractListModel(parent) {}

QAction* ActionList::add(const QString& name, const QString& group, const QString& text, const QKeySequence& shortcut,
                         const QString& help, std::function<void()> run) {
  Q_ASSERT(find(name) == nullptr);
  const int row = static_cast<int>(m_actions.size());
  beginInsertRows({}, row, row);
  auto* const action = new QAction(text, this);
  action->setObjectName(name);
  action->setShortcut(shortcut);
  action->setShortcutContext(Qt::WindowShortcut);
  action->setStatusTip(help);
  action->setWhatsThis(help);
  action->setProperty(kGroup, group);
  action->setProperty(kHelp, help);
  describe(action);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  connect(action, &QAction::changed, this, [this, action] {
    const int changed = static_cast<int>(m_actions.indexOf(action));
    if (changed >= 0) Q_EMIT dataChanged(index(changed), index(changed));
  });
  m_actions.push_back(action);
  endInsertRows();
  return action;
}

void ActionList::setEnabled(QAction* action, bool enabled, const QString& reason) {
  action->setProperty(kReason, enabled ? QString() : reason);
  action->setEnabled(enabled);
  describe(action);
}

void ActionList::setHelp(QAction* action, const QString& help) {
  if (action->property(kHelp).toString() == help) return;
  action->setStatusTip(help);
  action->setWhatsThis(help);
  action->setProperty(kHelp, help);
  describe(action);
}

QAction* ActionList::find(const QString& name) const {
  for (QAction* const action : m_actions) {
    if (action->objectName() == name) return action;
  }
  return nullptr;
}

QStringList ActionList::conflicts() const {
  QHash<QString, int> uses;
  for (const QAction* const action : m_actions) {
    for (const QKeySequence& keys : action->shortcuts()) {
      if (!keys.isEmpty()) ++uses[keys.toString()];
    }
  }
  QStringList twice;
  for (auto use = uses.cbegin(); use != uses.cend(); ++use) {
    if (use.value() > 1) twice << use.key();
  }
  return twice;
}

int ActionList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_actions.size());
}

QVariant ActionList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_actions.size()) return {};
  const QAction* const action = m_actions[index.row()];
  switch (role) {
    case Qt::DisplayRole:
      return plainText(*action);
    case Qt::ToolTipRole:
      return action->toolTip();
    case ShortcutRole:
      return action->shortcut().toString(QKeySequence::NativeText);
    case GroupRole:
      return action->property(kGroup);
    case ReasonRole:
      return action->property(kReason);
    case HelpRole:
      return action->property(kHelp);
    case SynonymsRole:
      return synonymsOf(action->objectName());
    case ChosenRole:
      return action->isChecked();
    default:
      return {};
  }
}

}  // namespace mantissa::ui::shell
