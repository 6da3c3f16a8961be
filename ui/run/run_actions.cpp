// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_actions.h"

#include <QAction>
#include <QKeySequence>

#include "ui/shell/action_list.h"

namespace mantissa::ui::run {

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
  list.add(QStringLiteral("toggle_controls"), tr("View"), tr("Show or hide the &controls of the run"),
           QKeySequence(tr("F10")), tr("What stands beside the charts"), [this] { Q_EMIT controlsToggled(); });
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
  m_run->setText(paused ? tr("&Resume") : tr("&Run"));
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
  m_stopAtCheckpoint->setText(situation.stopsAtCheckpoint ? tr("Do not stop at the next &checkpoint")
                                                          : tr("Stop at the next &checkpoint"));
  m_list->setEnabled(m_stopAtCheckpoint, holds, nothing);
  m_list->setEnabled(m_step, state == JobState::Paused, tr("Only a paused run makes single steps."));
  m_list->setEnabled(m_edit, situation.hasExperiment, tr("Open an experiment file first."));
  m_list->setEnabled(m_resumeRun, !situation.resumable.isEmpty(),
                     !situation.whyNotResumed.isEmpty()
                         ? situation.whyNotResumed
                         : tr("Select an arm of a run that was stopped or interrupted."));
}

}  // namespace mantissa::ui::run
