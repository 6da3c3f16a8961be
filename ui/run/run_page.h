// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/session/preflight.h"
#include "core/spec/experiment.h"
#include "ui/run/drawing_budget.h"
#include "ui/run/glance.h"
#include "ui/run/run_data.h"
#include "ui/run/run_failures.h"
#include "ui/run/run_queue.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/worker/archive_follower.h"
#include "ui/worker/training_controller.h"

class QLabel;
class QStackedLayout;

namespace mantissa::ui::shell {
class EmptyState;
class GlanceStrip;
class MessageStrips;
class Settings;
class StripPlace;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::run {

class CountersTable;
class ExperimentLoader;
class RunActions;
class RunCharts;
class RunControls;
class StepPanel;

/// Runs an experiment on the engine's thread, or follows one in the archive, and shows either live.
///
/// What is shown is one set of arms: those of the own run, or those of the experiment that an arm was selected of. An
/// own run goes on while another experiment is looked at. One clock takes steps and draws; it stands still while the
/// page is hidden or nothing happens.
class RunPage : public shell::Page {
  Q_OBJECT

 public:
  /// \param engine  makes the engine when the first run needs it
  explicit RunPage(worker::EngineFactory engine, QWidget* parent = nullptr);
  ~RunPage() override;

  QString id() const override { return QStringLiteral("run"); }
  QString title() const override { return tr("Run"); }
  shell::HelpTopic help() const override;
  void setArchive(const QString& path, const models::TrialList& trials) override;
  void refuseArchive(const QString& path) override;
  void selectTrial(std::int64_t id) override;
  void selectExperiment(std::int64_t id) override;
  void openExperiment(const QString& path) override;
  void holdExperiment(const QString& path) override;
  void useActions(shell::ActionList& actions) override;
  void useSettings(shell::Settings& settings) override;
  bool isSettled() const override;
  bool isBusy() const override;
  void finishWork() override;
  int waitingRuns() const override;
  QString closingWords() const override;
  bool letsGo() override;
  bool takeStrips(shell::MessageStrips& strips) override;
  QByteArray saveLayout() const override;
  void restoreLayout(const QByteArray& layout) override;

  /// A file was written: the experiment that waits to be run is read again where it is this one.
  void readAgain(const QString& path);

  /// Files that editors of the window hold changes of: what Run and the pre-flight are about is the saved file.
  void setUnsavedFiles(const QStringList& files);

  const RunData& shownData() const { return *m_shown; }
  RunCharts* charts() const { return m_charts; }
  StepPanel* stepPanel() const { return m_stepPanel; }
  CountersTable* counters() const { return m_counters; }
  shell::GlanceStrip* strip() const { return m_strip; }
  RunControls* controls() const { return m_controls; }
  worker::TrainingController* controller() const { return m_controller; }

  /// Asked before a file is run. What is edited elsewhere in the window may have to be saved first, in this file or in
  /// another one: that is the one to run. \param question  gives it; empty: none is run
  void setBeforeRun(std::function<QString(const QString& file)> question) { m_beforeRun = std::move(question); }

  /// From how long a silence of the engine on it is told of, in seconds. For tests, which cannot wait.
  void setLongSilence(int seconds) { m_longSilence = seconds; }

  /// Chooses the experiment files to queue, beginning in a folder. Replaceable for tests.
  using FileQuestion = std::function<QStringList(QWidget* parent, const QString& folder)>;
  static void setFileQuestion(FileQuestion question);

 Q_SIGNALS:
  /// What is shown is to be edited: a file, or, where `file` is empty, an experiment of the open archive.
  void editRequested(const QString& file, std::int64_t experiment);
  /// A trial that begins with a preset is to be added to the file. \param preset  its place among those of `controls`
  void presetRequested(const QString& file, int preset);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  enum class View { Nothing, OwnRun, Archive };

  // Each topic has one message strip at a time.
  static constexpr char kUnreadableTopic[] = "unreadable ";  // and the path
  static constexpr char kWarningTopic[] = "warning ";        // and its number among those of the file
  static constexpr char kFileTopic[] = "experiment";
  static constexpr char kFolderTopic[] = "folder";
  static constexpr char kRefusedTopic[] = "refused archive";
  static constexpr char kInterruptedTopic[] = "interrupted";
  static constexpr char kExportTopic[] = "export";
  static constexpr char kRunTopic[] = "run";
  static constexpr char kResumeTopic[] = "resume";
  static constexpr char kUnsavedTopic[] = "unsaved";
  static constexpr char kStopTopic[] = "stop";
  static constexpr char kElsewhereTopic[] = "elsewhere";
  static constexpr char kHeldUpTopic[] = "held up";
  static constexpr char kFailuresTopic[] = "failures";
  static constexpr char kQueueTopic[] = "queue";
  static constexpr char kMemoryTopic[] = "memory";
  static constexpr char kClosingTopic[] = "closing";
  static constexpr char kTraining[] = "training";  ///< the engine's word for the phase of the steps

  void makeLayout();
  void listenToController();
  void listenToFollower();
  void listenToActions();
  void run();
  void queueOpened();
  void queueFiles();
  QString startFolder(const QString& kind) const;
  void queueFile(const QString& path, QStringList* refused);
  void countRun();
  void collectFailedArm(const record::TrialRow& arm);
  void tellFailures();
  void forgetFailures();
  bool startsSoon() const;
  bool readAsSaved();
  void stop();
  void stopAtCheckpoint();
  std::optional<qint64> stopStep() const;
  void tellStopAtCheckpoint();
  void tellHeldUp(int seconds);
  void giveUpWork();
  std::optional<int> silentSeconds() const;
  QString lastingWords(int seconds) const;
  void tellClosing();
  void forgetBrokenRun(std::int64_t experiment);
  bool runsElsewhere() const;
  bool isFollowedOver() const;
  void takeFollowedArms(std::vector<record::TrialRow> arms);
  bool hasBroken(const record::TrialRow& arm, record::TrialEnd* end) const;
  void endFollowedArms(const QString& why);
  void tellBrokenRun(const worker::JobFailure& failure);
  void lookAtLateWriters();
  void resumeShownRun();
  void offerToResume();
  void tellLostRun();
  void tellChangedFile(const spec::Experiment& archived, const QString& title);
  shell::MessageStrip* tellOfEnd(shell::MessageStrip::Kind kind, const QString& sentence, const record::TrialRow& arm);
  const record::TrialRow* resumableArm() const;
  QString whyNotResumed() const;
  void lookAhead();
  void lookedAhead(const session::Preflight& found);
  const spec::Experiment* shownExperiment() const;
  void takeOpened(std::shared_ptr<const spec::Experiment> opened);
  void tellOpenedAside();
  void tellInterrupted();
  void goOnWithInterrupted();
  void leaveView();
  /// The default one goes by its own name where none was chosen.
  void useDefaultArchive();
  QString refusedArchiveWords() const;
  std::shared_ptr<const spec::Experiment> readExperiment(const QString& path);
  void lookAtUnreadable(const QString& path);
  bool makeArchiveFolder();
  void pauseOrResume();
  void requestEdit();
  void showView(View view);
  /// Empties data that may be shown: nothing keeps an arm of it.
  void clearData(RunData& emptied);
  void follow(std::int64_t experiment);
  void followWhatBegan(const std::set<std::int64_t>& runningBefore, std::int64_t newestBefore);
  void tellShown(std::int64_t experiment, const std::vector<record::TrialRow>& arms);
  void showExperiment(const spec::Experiment* experiment, const QString& name);
  void tellFailedArm(const record::TrialRow& arm);
  void forgetFailedArms();
  void showFailure(const QString& sentence, const QString& topic);
  void beginOwnRun();
  void endOwnRun();
  QString jobWords() const;
  void tellProgress();
  bool isResumedHere() const;
  qint64 stepReached() const;
  void enableActions();
  QString runElsewhere() const;
  std::int64_t ownExperiment() const;
  QString titleIn(const QString& archive, const QString& name, std::int64_t experiment) const;
  QString runTitle() const;
  QString titleOf(const record::TrialRow& arm) const;
  std::vector<worker::WaitingJob> namedWaiting() const;
  void showWaiting();
  bool runsAnother() const;
  void tellRunElsewhere();
  void showRun();
  void tellPaused();
  void tellRules();
  void tellUnsaved();
  void wake();
  void tick();
  bool takeSteps();
  void tellFullMemory();
  QString archiveToRunInto() const;

  worker::TrainingController* m_controller;
  RunQueue* m_queue;
  std::unique_ptr<worker::ArchiveFollower> m_follower;
  ExperimentLoader* m_loader;
  RunData m_ownData;
  RunData m_archiveData;
  RunData* m_shown;
  View m_view = View::Nothing;

  QString m_archive;
  QString m_refusedArchive;  ///< what could not be opened while none was open: Run waits for another one
  models::TrialList m_trials;
  std::set<std::int64_t> m_running;        ///< experiments of the archive with an arm that runs
  bool m_isChosen = false;                 ///< what is shown is an older run, which a person has gone to
  std::int64_t m_followed = 0;             ///< the experiment in the archive
  bool m_armsKnown = false;                ///< of the followed experiment
  std::set<std::int64_t> m_unread;         ///< followed arms that have ended, and whose steps are not all here
  bool m_cannotBeRead = false;             ///< what is followed, now
  std::optional<qint64> m_lastCheckpoint;  ///< of the followed experiment
  bool m_areCheckpointsKnown = false;      ///< whether it has any
  bool m_offerIsStale = false;             ///< whether the followed run can go on is to be said anew
  std::shared_ptr<const spec::Experiment> m_opened;    ///< from a file: what Run runs
  QFileSystemWatcher m_unreadable;                     ///< the experiment files of which a strip says what is wrong
  bool m_isHeld = false;                               ///< it was opened at the start, unasked: the archive is shown
  std::shared_ptr<const spec::Experiment> m_lookedAt;  ///< what the pre-flight is about
  /// What was opened while a run is at work waits aside: told as long as it is neither shown nor run nor queued.
  enum class Aside { No, DuringRun, AfterRun };
  bool m_isAside = false;
  Aside m_asideTold = Aside::No;
  bool m_goesOn = false;  ///< with the interrupted run that is followed, once it is known from where
  OwnRun m_own;           ///< the run at work, or the last one
  worker::JobId m_ownJob = 0;
  std::map<std::int64_t, QString> m_ownNames;          ///< of the arms of that run
  std::shared_ptr<const spec::Experiment> m_archived;  ///< of the followed experiment
  std::optional<session::Progress> m_progress;
  QString m_phase;
  bool m_waitsForArchive = false;
  QStringList m_armTopics;  ///< of the strips that tell of failed arms

  RunFailures m_failures;

  /// Archives and experiments: runs of this process that their archive knows no end of, as far as is known.
  std::set<std::pair<QString, std::int64_t>> m_brokenRuns;
  QString m_brokenWords;  ///< why the own run ended without an end in the archive; empty: it has one, or runs
  std::optional<ErrorKind> m_brokenKind;
  QString m_brokenReason;   ///< the sentence that told of it, where it may pass: a full disk, a locked archive
  QTimer m_lateWriters;     ///< while the archive of the own run cannot be written
  bool m_finishes = false;  ///< the window waits for the end of what is at work
  bool m_waitTold = false;  ///< by the strip of what holds up: a run waits for a pre-flight
  bool m_isHeldUp = false;  ///< the engine is asked for something, and gives no sign of life
  bool m_isGivenUp = false;
  QString m_elsewhereTold;  ///< the run that is told to go on while another experiment is shown
  bool m_isPausedTold = false;
  int m_longSilence = 10;           ///< seconds
  std::optional<int> m_silentTold;  ///< seconds; nothing: the engine gives signs of life
  QTimer m_closing;                 ///< while the window waits for it

  std::function<QString(const QString&)> m_beforeRun;
  QStringList m_unsavedFiles;
  QTimer m_clock;
  GlanceMemory m_glanceMemory;
  DrawingBudget m_budget;
  PersonWatch m_person;
  bool m_isFullTold = false;  ///< that memory did not suffice for what is shown
  bool m_isNew = false;       ///< something to show that no step brought

  QStackedLayout* m_stack;
  shell::Settings* m_settings = nullptr;  ///< of the window; null: the page stands alone
  shell::EmptyState* m_empty;
  shell::MessageStrips* m_strips;
  shell::StripPlace* m_stripPlace;
  shell::GlanceStrip* m_strip;
  RunControls* m_controls;
  RunCharts* m_charts;
  CountersTable* m_counters;
  QLabel* m_countersNote;
  StepPanel* m_stepPanel;
  RunActions* m_actions;
};

}  // namespace mantissa::ui::run
