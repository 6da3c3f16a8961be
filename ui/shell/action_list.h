// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QVector>

#include <functional>

namespace mantissa::ui::shell {

/// Every action of the workbench, in one searchable list: an action that is not here does not exist.
///
/// Rows show the action's text without its mnemonic and its shortcut; disabled ones say why. Window thread only.
class ActionList : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role {
    ShortcutRole = Qt::UserRole + 1,  ///< QString, in the platform's spelling; empty: none
    GroupRole,                        ///< QString: the menu that it stands in
    ReasonRole,                       ///< QString: why it is disabled; empty where it is enabled
    HelpRole,                         ///< QString: what it does, in a sentence
    SynonymsRole,                     ///< QString: other words that people look for it with
    ChosenRole,                       ///< bool: it is checked, where it can be
  };

  explicit ActionList(QObject* parent = nullptr);

  /// Makes an action that `run` answers. `name` is its object name, never translated, unique.
  /// \param help  a sentence: tooltip, status tip and What's This
  QAction* add(const QString& name, const QString& group, const QString& text, const QKeySequence& shortcut,
               const QString& help, std::function<void()> run);

  /// Enables an action, or disables it and says why.
  void setEnabled(QAction* action, bool enabled, const QString& reason = {});

  /// What it does, where that depends on what it acts on.
  void setHelp(QAction* action, const QString& help);

  QAction* find(const QString& name) const;
  const QVector<QAction*>& actions() const { return m_actions; }

  /// Shortcuts that more than one action has; empty in a program without a mistake.
  QStringList conflicts() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  QVector<QAction*> m_actions;
};

/// The text of an action without its mnemonic and its dots: "Open experiment".
QString plainText(const QAction& action);

}  // namespace mantissa::ui::shell
