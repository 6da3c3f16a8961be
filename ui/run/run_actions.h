// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QVector>

#include "ui/worker/job.h"

class QAction;

namespace mantissa::ui::shell {
class ActionList;
}

namespace mantissa::ui::run {

/// What decides about the page's actions.
struct RunSituation {
  worker::JobState state = worker::JobState::Idle;
  bool startsSoon = false;         ///< nothing runs yet, and a run has been asked for
  bool waitsForLookAhead = false;  ///< runs wait for the steps of a pre-flight to end
  bool stopsAtCheckpoint = false;  ///< the run has been asked to
  QString openedFile;              ///< name of the experiment file that Run runs; empty: none is open
  bool runsAnother = false;        ///< what is shown is another experiment than the one that Run runs
  QString runElsewhere;            ///< name of the run at work where another experiment is shown; empty: it is shown
  bool refusedArchive = false;     ///< the archive that was asked for could not be opened
  QString whyNotRun;               ///< a reason beyond these; empty: none
  bool hasExperiment = false;      ///< one is shown that can be edited
  bool isTooLargeToEdit = false;   ///< for the editor, not for a run
  QString resumable;               ///< name of the run that is shown and can go on; empty: it cannot
  QString whyNotResumed;           ///< why the run that is shown cannot; empty: none is shown
};

/// What can be done with a run: every action of the Run page, its shortcut, and why it cannot be done now.
class RunActions : public QObject {
  Q_OBJECT

 public:
  explicit RunActions(QObject* parent = nullptr) : QObject(parent) {}

  /// Makes the actions, in the window's list.
  void make(shell::ActionList& list);
  void update(const RunSituation& situation);

  /// Those with a button at the top of the page; the first one is the primary.
  QVector<QAction*> buttons() const { return {m_run, m_pause, m_stop, m_step}; }
  QAction* run() const { return m_run; }
  QAction* edit() const { return m_edit; }
  QAction* resumeRun() const { return m_resumeRun; }
  QAction* queue() const { return m_queue; }
  QAction* stop() const { return m_stop; }
  QAction* stopAtCheckpoint() const { return m_stopAtCheckpoint; }
  QAction* showRun() const { return m_showRun; }

 Q_SIGNALS:
  void runRequested();
  void queueRequested();
  void pauseOrResumeRequested();
  void stopRequested();
  void stopAtCheckpointRequested();
  void stepRequested();
  void resumeRunRequested();
  void showRunRequested();
  void editRequested();
  void lookAheadRequested();
  void queueFilesRequested();
  void controlsToggled();
  void smoothingToggled();
  void followRequested();
  void defaultArchiveRequested();

 private:
  void nameTargets(const RunSituation& situation);

  shell::ActionList* m_list = nullptr;
  QAction* m_run = nullptr;
  QAction* m_queue = nullptr;
  QAction* m_pause = nullptr;
  QAction* m_stop = nullptr;
  QAction* m_stopAtCheckpoint = nullptr;
  QAction* m_step = nullptr;
  QAction* m_resumeRun = nullptr;
  QAction* m_showRun = nullptr;
  QAction* m_edit = nullptr;
  QAction* m_lookAhead = nullptr;
  QAction* m_defaultArchive = nullptr;
};

}  // namespace mantissa::ui::run
