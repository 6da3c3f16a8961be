// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QSortFilterProxyModel>

class QAction;
class QCompleter;

namespace mantissa::ui::shell {

class ActionList;

/// "Find an action": a field that completes from the list of all actions and triggers the one that is chosen. Words may
/// stand in any order, and may be of the name, of its synonyms or of its help; a disabled action is shown with its
/// reason and cannot be chosen.
class ActionSearch : public QLineEdit {
  Q_OBJECT

 public:
  explicit ActionSearch(ActionList* actions, QWidget* parent = nullptr);

  /// The action that leads here: the empty field hints at its shortcut where there is room.
  void setAction(const QAction* action);

  /// Texts of the actions that `words` find, best first.
  QStringList matches(const QString& words);

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Filter;
  void showPopup();
  void hint();
  void trigger(const QModelIndex& index);

  ActionList* m_actions;
  const QAction* m_action = nullptr;
  Filter* m_filter;
  QCompleter* m_completer;
};

}  // namespace mantissa::ui::shell
