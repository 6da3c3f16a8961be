// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/help_topic.h"

#include <QCoreApplication>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {
namespace {

struct Entry {
  const char* subject;
  const char* sentence;
};

#define TEXT(words) QT_TRANSLATE_NOOP("Help", words)

const Entry kCharts[] = {
    {TEXT("Wheel, + and -"), TEXT("Zooms x around the pointer or the cursor.")},
    {TEXT("Shift+wheel, up and down"), TEXT("Zooms y.")},
    {TEXT("Drag, or S twice"), TEXT("Selects what is to be zoomed into.")},
    {TEXT("Middle button, page up and down"), TEXT("Moves the picture along x.")},
    {TEXT("Double click, 0"), TEXT("Shows all data again.")},
    {TEXT("Alt+left, Alt+right"), TEXT("Goes back and forward through the zooms.")},
    {TEXT("Pointer, left and right"),
     TEXT("Moves the cursor, with Shift by ten steps: the legend reads every curve there, on all charts of the page.")},
    {TEXT("Ctrl+left, Ctrl+right"), TEXT("Moves the cursor to the mark before or after it.")},
    {TEXT("Click, Return"), TEXT("Opens the record of the step that is marked there.")},
    {TEXT("Escape"), TEXT("Takes the cursor or the selection away.")},
    {TEXT("Ctrl+T"), TEXT("Turns the chart into its table and back: sort it, copy rows as tab-separated values.")},
    {TEXT("Legend"), TEXT("A click hides a curve, or shows it again.")},
    {TEXT("Marks along the bottom"), TEXT("Skipped steps.")},
    {TEXT("Marks along the top"), TEXT("Values that are NaN or infinite, which no curve can show.")},
    {TEXT("Bands"), TEXT("Yardsticks: how far the reference is from itself.")},
};

const Entry kWords[] = {
    {TEXT("Reference"), TEXT("The FP32 run that everything is compared with.")},
    {TEXT("Trial"), TEXT("One run under one precision policy, from the same weights on the same batches.")},
    {TEXT("Arm"), TEXT("One training of an experiment: the reference, or a trial.")},
    {TEXT("Precision policy"),
     TEXT("The dtype of autocast, the gradient scaler's settings, and what stays in FP32 regardless.")},
    {TEXT("Iteration, attempted step, applied update"),
     TEXT("A microbatch; a call of the scaler's step; an optimizer step that really happened. Three counters, which "
          "differ as soon as gradients are accumulated or a step is skipped.")},
    {TEXT("Loss scale"),
     TEXT("What the loss is multiplied with before backward, so that small FP16 gradients do not become zero. It grows "
          "after a number of good steps, and falls when a gradient is not finite.")},
    {TEXT("Growth tracker"), TEXT("Good steps since the loss scale changed; at the growth interval, the scale grows.")},
    {TEXT("Skipped step"),
     TEXT("An attempted step whose update was refused because a gradient was NaN or infinite. Weights stay as they "
          "were; the batch is lost for the training.")},
    {TEXT("Cause of a skip"),
     TEXT("Calibration: before the first applied update, while the scale finds its level. Growth probe: the first step "
          "after the scale grew. Overflow: neither of these. Non-finite input, loss or weights: what was not finite "
          "before the gradients were.")},
    {TEXT("Trajectory"),
     TEXT("Deviation of both runs as they went: rounding, and everything that it led to since. Its yardstick is the "
          "run-to-run spread.")},
    {TEXT("Shadow"),
     TEXT("Deviation of one forward and backward from the reference's weights at that step: rounding alone. Its "
          "yardstick is the rounding floor.")},
    {TEXT("Rounding floor"), TEXT("Deviation of the reference from itself with another thread count or in FP64.")},
    {TEXT("Run-to-run spread"), TEXT("Deviation between whole repeats of the reference, with other seeds.")},
    {TEXT("Frozen cases"), TEXT("The fixed set that every arm is evaluated on, each case with its decision.")},
    {TEXT("Decision flip"), TEXT("A frozen case that a trial decides otherwise than the reference.")},
    {TEXT("Acceptance rules"),
     TEXT("Limits that are hashed and stored before the first step, and never edited after.")},
    {TEXT("Verdict"), TEXT("Accepted, rejected or undecided, by rule and overall; undecided names what is missing.")},
    {TEXT("Archive"), TEXT("The SQLite file with every trial: settings, steps, skips, cases, verdicts, checkpoints.")},
};

#undef TEXT

template <std::size_t N>
QVector<HelpEntry> translated(const Entry (&entries)[N]) {
  QVector<HelpEntry> all;
  for (const Entry& one : entries) {
    all.push_back(
        {QCoreApplication::translate("Help", one.subject), QCoreApplication::translate("Help", one.sentence)});
  }
  return all;
}

QString row(const QString& left, const QString& right) {
  return QStringLiteral("<tr><td style='white-space:nowrap; padding-right:16px'><b>%1</b></td><td>%2</td></tr>")
      .arg(left.toHtmlEscaped(), right.toHtmlEscaped());
}

QString table(const QString& rows) {
  return QStringLiteral("<table cellspacing='0' cellpadding='3'>%1</table>").arg(rows);
}

HelpTopic keysTopic(const ActionList& actions) {
  HelpTopic topic{QStringLiteral("keys"),
                  QCoreApplication::translate("Help", "Keys"),
                  QCoreApplication::translate("Help",
                                              "Every action of the window and its key. An action is found by "
                                              "its name, or by another word for it, at the top right."),
                  {},
                  {}};
  for (const QAction* const action : actions.actions()) topic.actions << action->objectName();
  return topic;
}

}  // namespace

QVector<HelpTopic> generalHelp(const ActionList& actions) {
  return {{QStringLiteral("charts"),
           QCoreApplication::translate("Help", "Charts"),
           QCoreApplication::translate("Help", "All charts answer to the same hands, and each has a table behind it."),
           translated(kCharts),
           {QStringLiteral("chart_menu")}},
          {QStringLiteral("words"),
           QCoreApplication::translate("Help", "Words"),
           QCoreApplication::translate("Help", "What the words of the window mean. PyTorch's words are PyTorch's."),
           translated(kWords),
           {}},
          keysTopic(actions)};
}

QString richText(const HelpTopic& topic, const ActionList& actions) {
  QString text = QStringLiteral("<h2>%1</h2><p>%2</p>").arg(topic.title.toHtmlEscaped(), topic.purpose.toHtmlEscaped());
  QString entries;
  for (const HelpEntry& entry : topic.entries) entries += row(entry.subject, entry.sentence);
  if (!entries.isEmpty()) text += table(entries);

  QString group;
  QString rows;
  const auto endGroup = [&] {
    if (!rows.isEmpty()) {
      text += QStringLiteral("<h3>%1</h3>")
                  .arg(QCoreApplication::translate("Help", "Keys: %1").arg(group).toHtmlEscaped()) +
              table(rows);
    }
    rows.clear();
  };
  for (int i = 0; i < actions.rowCount(); ++i) {
    const QModelIndex action = actions.index(i);
    if (!topic.actions.contains(actions.actions()[i]->objectName())) continue;
    const QString itsGroup = action.data(ActionList::GroupRole).toString();
    if (itsGroup != group) endGroup();
    group = itsGroup;
    rows += row(action.data(ActionList::ShortcutRole).toString(),
                QStringLiteral("%1: %2").arg(action.data().toString(), action.data(ActionList::HelpRole).toString()));
  }
  endGroup();
  return text;
}

}  // namespace mantissa::ui::shell
