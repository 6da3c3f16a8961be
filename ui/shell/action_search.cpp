// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_search.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QStyledItemDelegate>
#include <QToolTip>

#include <algorithm>
#include <tuple>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {

namespace {

constexpr int kPopupWidth = 720;  // px
constexpr int kHintMargins = 16;  // px: what a field has around its text

/// How well a word fits an action: the lower the better. Words within names are what people remember first.
enum Fit { kBeginsAName, kInAName, kBeginsASynonym, kInTheHelp, kNothing };

bool beginsAWord(const QString& text, const QString& word) {
  for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
       at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
    if (at == 0 || !text[at - 1].isLetterOrNumber()) return true;
  }
  return false;
}

Fit fitOf(const QModelIndex& action, const QString& word) {
  const QString name = action.data(ActionList::GroupRole).toString() + QLatin1Char(' ') + action.data().toString();
  if (beginsAWord(name, word)) return kBeginsAName;
  if (name.contains(word, Qt::CaseInsensitive)) return kInAName;
  if (beginsAWord(action.data(ActionList::SynonymsRole).toString(), word)) return kBeginsASynonym;
  return beginsAWord(action.data(ActionList::HelpRole).toString(), word) ? kInTheHelp : kNothing;
}

}  // namespace

/// Rows "Run: Pause … Ctrl+Space" that every word fits, best first.
class ActionSearch::Filter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setWords(const QString& text) {
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidate();
  }

  QVariant data(const QModelIndex& index, int role) const override {
    if (role != Qt::DisplayRole) return QSortFilterProxyModel::data(index, role);
    const QModelIndex source = mapToSource(index);
    QString text = QStringLiteral("%1: %2").arg(source.data(ActionList::GroupRole).toString(),
                                                source.data(Qt::DisplayRole).toString());
    if (source.data(ActionList::ChosenRole).toBool()) text += QStringLiteral(" ✓");
    const QString keys = source.data(ActionList::ShortcutRole).toString();
    if (!keys.isEmpty()) text += QStringLiteral("   ") + keys;
    const QString reason = source.data(ActionList::ReasonRole).toString();
    if (!reason.isEmpty()) text += QStringLiteral("   (%1)").arg(reason);
    return text;
  }

  Qt::ItemFlags flags(const QModelIndex& index) const override {
    return canBe(mapToSource(index)) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    return misfit(sourceModel()->index(row, 0, parent)) >= 0;
  }

  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const auto place = [this](const QModelIndex& action) {
      return std::make_tuple(misfit(action), !canBe(action), action.row());
    };
    return place(left) < place(right);
  }

 private:
  static bool canBe(const QModelIndex& action) { return action.data(ActionList::ReasonRole).toString().isEmpty(); }

  /// The sum over all words; negative: one of them fits nowhere.
  int misfit(const QModelIndex& action) const {
    int sum = 0;
    for (const QString& word : m_words) {
      const Fit fit = fitOf(action, word);
      if (fit == kNothing) return -1;
      sum += fit;
    }
    return sum;
  }

  QStringList m_words;
};

ActionSearch::ActionSearch(ActionList* actions, QWidget* parent)
    : QLineEdit(parent), m_actions(actions), m_filter(new Filter(this)), m_completer(new QCompleter(this)) {
  m_filter->setSourceModel(actions);
  m_filter->sort(0);
  m_completer->setModel(m_filter);
  m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  m_completer->setMaxVisibleItems(14);
  m_completer->setWidget(this);
  m_completer->popup()->setFrameStyle(QFrame::StyledPanel | QFrame::Plain);  // with the edge of all popups
  hint();
  setAccessibleName(tr("Find an action"));
  setClearButtonEnabled(true);
  connect(this, &QLineEdit::textEdited, this, [this](const QString& text) {
    m_filter->setWords(text);
    showPopup();
    if (m_filter->rowCount() == 0) {
      QToolTip::showText(mapToGlobal(QPoint(0, height())), tr("No action is found by these words."), this);
    } else {
      QToolTip::hideText();
    }
  });
  connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &ActionSearch::trigger);
}

void ActionSearch::setAction(const QAction* action) {
  m_action = action;
  setToolTip(action->toolTip());
  connect(action, &QAction::changed, this, &ActionSearch::hint);
  hint();
}

void ActionSearch::resizeEvent(QResizeEvent* event) {
  QLineEdit::resizeEvent(event);
  hint();
}

void ActionSearch::hint() {
  const QString keys = m_action != nullptr ? m_action->shortcut().toString(QKeySequence::NativeText) : QString();
  const QString words = tr("Find an action");
  const QString all = keys.isEmpty() ? words : tr("%1 (%2)").arg(words, keys);
  const int room = width() - kHintMargins;
  setPlaceholderText(fontMetrics().horizontalAdvance(all) <= room ? all : words);
}

/// Wider than the field, which stands at the window's right: reasons are sentences.
void ActionSearch::showPopup() {
  const int wide = std::max(width(), std::min(kPopupWidth, window()->width() - 16));
  m_completer->complete(QRect(width() - wide, 0, wide, height()));
  // Whole rows: the completer leaves room for a part of one more.
  QAbstractItemView* const popup = m_completer->popup();
  const int rows = std::min(m_completer->maxVisibleItems(), m_filter->rowCount());
  int high = 2 * popup->frameWidth();
  for (int row = 0; row < rows; ++row) high += popup->sizeHintForRow(row);
  if (rows > 0) popup->resize(popup->width(), std::min(high, popup->height()));
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
  showPopup();
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
    // The best one or none: where it cannot be done now, its row says why, and a worse guess would be a surprise.
    const QModelIndex best = m_filter->index(0, 0);
    if ((m_filter->flags(best) & Qt::ItemIsEnabled) == 0) return;
    m_completer->popup()->hide();
    trigger(best);
    return;
  }
  QLineEdit::keyPressEvent(event);
}

}  // namespace mantissa::ui::shell
