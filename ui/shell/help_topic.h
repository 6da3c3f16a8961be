// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace mantissa::ui::shell {

class ActionList;

/// A word that stands on the screen, or what hands can do there, and what it means.
struct HelpEntry {
  QString subject;
  QString sentence;
};

/// What F1 tells of one page, or of something that all pages share.
struct HelpTopic {
  QString id;  ///< that of its page; never translated
  QString title;
  QString purpose;  ///< what it is for, in a sentence or two
  QVector<HelpEntry> entries;
  QStringList actions;  ///< names in the list of actions: their keys are told
};

/// Topics that belong to no page: charts, the words of the field, and the keys of every action.
QVector<HelpTopic> generalHelp(const ActionList& actions);

/// A topic as rich text; keys as they are set now. Nothing of a topic is taken for markup.
QString richText(const HelpTopic& topic, const ActionList& actions);

}  // namespace mantissa::ui::shell
