// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QVector>

#include "ui/shell/help_topic.h"

class QListWidget;
class QTextBrowser;

namespace mantissa::ui::shell {

/// Help beside the window: topics on the left, what the chosen one says on the right. It does not block the window.
class HelpDialog : public QDialog {
  Q_OBJECT

 public:
  /// \param actions  whose keys are told; outlives the dialog
  explicit HelpDialog(const ActionList& actions, QWidget* parent = nullptr);

  void setTopics(const QVector<HelpTopic>& topics);
  /// Chooses a topic; where there is none with this id, the first one.
  void showTopic(const QString& id);

 private:
  void showCurrent();

  const ActionList& m_actions;
  QVector<HelpTopic> m_topics;
  QListWidget* m_list;
  QTextBrowser* m_text;
};

}  // namespace mantissa::ui::shell
