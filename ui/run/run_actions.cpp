// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_actions.h"

#include <QAction>
#include <QApplication>
#include <QFontMetrics>
#include <QKeySequence>

#include "ui/shell/action_list.h"
#include "ui/shell/elided_label.h"

namespace mantissa::ui::run {
namespace {

constexpr int kWidestTarget = 130;  // px: with it a button is not wider than the column that it stands in

/// For the text of an action: a name may hold what would be a mnemonic.
QString target(const QString& name) {
  return shell::shortName(name, QFontMetrics(QApplication::font()), kWidestTarget).replace(u'&', QLatin1String("&&"));
}

}  // namespace

void RunActions::make(shell::ActionList& list) {
  m_list = &list;
  const QString group = tr("Run");
  m_run = list.add(QStringLiteral("run"), group, tr("&Run"), QKeySequence(tr("F5")),
                   tr("Runs the experiment that is open. A paused run goes on"), [this] { Q_EMIT runRequested(); });
  m_queue = list.add(QStringLiteral("run_queue"), group, tr("Queue this e&xperiment"), QKeySequence(tr("Shift+F8")),
                     tr("Runs the experiment that is open after what runs and what waits"),
                     [this] { Q_EMIT queueRequested(); });
  m_pause =
      list.add(QStringLiteral("run_pause"), group, tr("&Pause"), QKeySequence(tr("Ctrl+Space")),
               tr("Holds the run before its next step, or lets it go on"), [this] { Q_EMIT pauseOrResumeRequested(); });
  m_pause->setCheckable(true);  // pressed while it holds: what goes on has one name and one button, the primary's
  m_step = list.add(QStringLiteral("run_step"), group, tr("S&tep"), QKeySequence(tr("F6")),
                    tr("Makes one step of all arms while the run is paused"), [this] { Q_EMIT stepRequested(); });
  m_stop =
      list.add(QStringLiteral("run_stop"), group, tr("&Stop"), QKeySequence(tr("Shift+F5")),
               tr("Ends the run; its last complete step becomes a checkpoint"), [this] { Q_EMIT stopRequested(); });
  m_stopAtCheckpoint = list.add(QStringLiteral("run_stop_at_checkpoint"), group, tr("Stop at the next &checkpoint"),
                                QKeySequence(tr("Ctrl+Shift+F5")),
                                tr("Ends the run where it next writes a checkpoint; without checkpoints on the way, "
                                   "where the present step ends; once more takes it back"),
                                [this] { Q_EMIT stopAtCheckpointRequested(); });
  m_resumeRun = list.add(QStringLiteral("run_resume"), group, tr("&Go on with this run"), QKeySequence(tr("F7")),
                         tr("Goes on with the run that is shown, from its last checkpoint"),
                         [this] { Q_EMIT resumeRunRequested(); });
  m_showRun =
      list.add(QStringLiteral("run_show"), group, tr("S&how the running experiment"), QKeySequence(tr("Ctrl+F8")),
               tr("Goes back to the run that Pause and Stop are about"), [this] { Q_EMIT showRunRequested(); });
  m_edit = list.add(QStringLiteral("edit_experiment"), group, tr("&Edit…"), QKeySequence(tr("Ctrl+E")),
                    tr("Opens the experiment that is shown in an editor"), [this] { Q_EMIT editRequested(); });
  m_lookAhead = list.add(QStringLiteral("run_look_ahead"), group, tr("&Look ahead"), QKeySequence(tr("F8")),
                         tr("Makes a few steps for nothing: how long the run will take, and what it needs"),
                         [this] { Q_EMIT lookAheadRequested(); });
  list.add(QStringLiteral("run_queue_files"), group, tr("&Queue experiment files…"), QKeySequence(tr("Ctrl+Shift+R")),
           tr("Runs several experiment files one after another"), [this] { Q_EMIT queueFilesRequested(); });
  m_defaultArchive = list.add(QStringLiteral("run_default_archive"), group, tr("Use the &default archive"),
                              QKeySequence(tr("Ctrl+Shift+H")),
                              tr("Runs into the archive of the user's data folder instead of the one that could not "
                                 "be opened"),
                              [this] { Q_EMIT defaultArchiveRequested(); });
  list.add(QStringLiteral("chart_smoothing"), tr("Chart"), tr("S&moothing of the charts"),
           QKeySequence(tr("Ctrl+Shift+M")),
           tr("Draws smoothed lines in all charts of the run, or measured ones alone"),
           [this] { Q_EMIT smoothingToggled(); });
  list.add(QStringLiteral("chart_follow"), tr("Chart"), tr("F&ollow the newest steps"), QKeySequence(tr("Shift+F6")),
           tr("Shows the newest steps again in all charts, and goes on with them"),
           [this] { Q_EMIT followRequested(); });
  list.add(QStringLiteral("toggle_controls"), tr("View"), tr("Show or hide the &controls of the page"),
           QKeySequence(tr("F10")), tr("What stands beside the charts of Run and Memory"),
           [this] { Q_EMIT controlsToggled(); });
}

void RunActions::update(const RunSituation& situation) {
  if (m_list == nullptr) return;
  using worker::JobState;
  const JobState state = situation.state;
  const bool idle = state == JobState::Idle;
  QString whyNotRun = situation.whyNotRun;
  if (situation.openedFile.isEmpty()) whyNotRun = tr("Open an experiment file first.");
  // One primary action: what holds goes on before anything else is begun.
  const bool paused = state == JobState::Paused;
  const bool isFree = idle && !situation.startsSoon;
  nameTargets(situation);
  m_list->setEnabled(m_run, paused || (isFree && whyNotRun.isEmpty()),
                     !whyNotRun.isEmpty() ? whyNotRun
                                          : tr("A run is going on. \"Queue this experiment\" (Run menu) puts one "
                                               "after it."));
  m_list->setEnabled(m_queue, !isFree && whyNotRun.isEmpty(),
                     isFree && whyNotRun.isEmpty() ? tr("Nothing runs: Run begins it now.") : whyNotRun);
  m_list->setEnabled(m_defaultArchive, situation.refusedArchive, tr("The archive that is open is used."));
  m_list->setEnabled(m_lookAhead, idle && whyNotRun.isEmpty(), idle ? whyNotRun : tr("A run is going on."));

  const bool holds = state == JobState::Running || state == JobState::Starting || state == JobState::Paused;
  const QString nothing = state == JobState::Stopping ? tr("The run is stopping.") : tr("Nothing runs.");
  m_pause->setChecked(paused);
  m_list->setEnabled(m_pause, holds, nothing);
  m_list->setEnabled(m_stop, holds || situation.waitsForLookAhead, nothing);
  m_list->setEnabled(m_stopAtCheckpoint, holds, nothing);
  m_list->setEnabled(m_step, state == JobState::Paused, tr("Only a paused run makes single steps."));
  m_list->setEnabled(m_showRun, !situation.runElsewhere.isEmpty(), idle ? tr("Nothing runs.") : tr("It is shown."));
  m_list->setEnabled(m_edit, situation.hasExperiment && !situation.isTooLargeToEdit,
                     situation.isTooLargeToEdit
                         ? tr("The editor takes files of at most 1 MiB. This one can be run as it is.")
                         : tr("Open an experiment file first."));
  m_list->setEnabled(m_resumeRun, !situation.resumable.isEmpty(),
                     !situation.whyNotResumed.isEmpty()
                         ? situation.whyNotResumed
                         : tr("Select an arm of a run that was stopped or interrupted."));
}

/// What an action acts on stands in its name where it is not what is shown.
void RunActions::nameTargets(const RunSituation& situation) {
  const bool paused = situation.state == worker::JobState::Paused;
  const QString& run = situation.runElsewhere;
  const QString shortRun = target(run);
  const auto tell = [this](QAction* action, const QString& verb, const QString& text, const QString& help) {
    action->setIconText(verb);  // what a button says in any case
    action->setText(text);
    m_list->setHelp(action, help);
  };
  const QString& file = situation.openedFile;
  const QString runs = tr("Runs the experiment that is open. A paused run goes on");
  if (paused) {
    tell(m_run, tr("&Resume"), run.isEmpty() ? tr("&Resume") : tr("&Resume %1").arg(shortRun),
         run.isEmpty() ? runs : tr("Goes on with %1, which is not what is shown").arg(run));
  } else {
    tell(m_run, tr("&Run"), situation.runsAnother ? tr("&Run %1").arg(target(file)) : tr("&Run"),
         situation.runsAnother ? tr("Runs %1, which is open; what is shown is another experiment").arg(file) : runs);
  }
  tell(m_pause, tr("&Pause"), run.isEmpty() ? tr("&Pause") : tr("&Pause %1").arg(shortRun),
       run.isEmpty() ? tr("Holds the run before its next step, or lets it go on")
                     : tr("Holds %1, which is not what is shown, before its next step, or lets it go on").arg(run));
  tell(m_step, tr("S&tep"), tr("S&tep"),
       run.isEmpty() ? tr("Makes one step of all arms while the run is paused")
                     : tr("Makes one step of %1, which is not what is shown, while it is paused").arg(run));
  tell(m_stop, tr("&Stop"), run.isEmpty() ? tr("&Stop") : tr("&Stop %1").arg(shortRun),
       run.isEmpty() ? tr("Ends the run; its last complete step becomes a checkpoint")
                     : tr("Ends %1, which is not what is shown; its last complete step becomes a checkpoint").arg(run));
  const QString stop =
      situation.stopsAtCheckpoint
          ? (run.isEmpty() ? tr("Do not stop at the next &checkpoint")
                           : tr("Do not stop %1 at the next &checkpoint").arg(shortRun))
          : (run.isEmpty() ? tr("Stop at the next &checkpoint") : tr("Stop %1 at the next &checkpoint").arg(shortRun));
  m_stopAtCheckpoint->setText(stop);
}

}  // namespace mantissa::ui::run
