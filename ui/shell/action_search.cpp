// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_search.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QStyledItemDelegate>
#include <QToolTip>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {

/// Rows "Run: Pause … Ctrl+Space" whose text has every word.
class ActionSearch::Filter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setWords(const QString& text) {
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
  }

  QVariant data(const QModelIndex& index, int role) const override {
    if (role != Qt::DisplayRole) return QSortFilterProxyModel::data(index, role);
    const QModelIndex source = mapToSource(index);
    QString text = QStringLiteral("%1: %2").arg(source.data(ActionList::GroupRole).toString(),
                                                source.data(Qt::DisplayRole).toString());
    const QString keys = source.data(ActionList::ShortcutRole).toString();
    if (!keys.isEmpty()) text += QStringLiteral("   ") + keys;
    const QString reason = source.data(ActionList::ReasonRole).toString();
    if (!reason.isEmpty()) text += QStringLiteral("   (%1)").arg(reason);
    return text;
  }

  Qt::ItemFlags flags(const QModelIndex& index) const override {
    const bool canBe = mapToSource(index).data(ActionList::ReasonRole).toString().isEmpty();
    return canBe ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const QString text = index.data(ActionList::GroupRole).toString() + QLatin1Char(' ') + index.data().toString();
    for (const QString& word : m_words) {
      if (!text.contains(word, Qt::CaseInsensitive)) return false;
    }
    return true;
  }

 private:
  QStringList m_words;
};

ActionSearch::ActionSearch(ActionList* actions, QWidget* parent)
    : QLineEdit(parent), m_actions(actions), m_filter(new Filter(this)), m_completer(new QCompleter(this)) {
  m_filter->setSourceModel(actions);
  m_completer->setModel(m_filter);
  m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  m_completer->setMaxVisibleItems(14);
  m_completer->setWidget(this);
  setPlaceholderText(tr("Find an action"));
  setAccessibleName(tr("Find an action"));
  setClearButtonEnabled(true);
  connect(this, &QLineEdit::textEdited, this, [this](const QString& text) {
    m_filter->setWords(text);
    m_completer->complete();
    if (m_filter->rowCount() == 0) {
      QToolTip::showText(mapToGlobal(QPoint(0, height())), tr("No action has these words in its name."), this);
    } else {
      QToolTip::hideText();
    }
  });
  connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &ActionSearch::trigger);
}

QStringList ActionSearch::matches(const QString& words) {
  m_filter->setWords(words);
  QStringList texts;
  for (int row = 0; row < m_filter->rowCount(); ++row) texts << m_filter->index(row, 0).data().toString();
  return texts;
}

void ActionSearch::trigger(const QModelIndex& index) {
  // The completer's model stands on the filter, whose rows it shows unfiltered and in the same order.
  const QModelIndex source = m_filter->mapToSource(m_filter->index(index.row(), 0));
  if (!source.isValid()) return;
  QAction* const action = m_actions->actions().at(source.row());
  clear();
  m_filter->setWords({});
  if (parentWidget() != nullptr) parentWidget()->setFocus(Qt::OtherFocusReason);
  action->trigger();
}

void ActionSearch::focusInEvent(QFocusEvent* event) {
  QLineEdit::focusInEvent(event);
  if (event->reason() != Qt::ShortcutFocusReason && event->reason() != Qt::OtherFocusReason) return;
  m_filter->setWords(text());
  m_completer->complete();
}

void ActionSearch::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    clear();
    m_filter->setWords({});
    clearFocus();
    return;
  }
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && m_filter->rowCount() > 0) {
    for (int row = 0; row < m_filter->rowCount(); ++row) {
      const QModelIndex index = m_filter->index(row, 0);
      if ((m_filter->flags(index) & Qt::ItemIsEnabled) == 0) continue;
      m_completer->popup()->hide();
      trigger(index);
      return;
    }
  }
  QLineEdit::keyPressEvent(event);
}

}  // namespace mantissa::ui::shell
