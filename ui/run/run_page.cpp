// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_page.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QComboBox>
#include <QDataStream>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QThread>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/run/counters_table.h"
#include "ui/run/experiment_loader.h"
#include "ui/run/experiment_summary.h"
#include "ui/run/look_ahead_teller.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/results_column.h"
#include "ui/run/run_actions.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_controls.h"
#include "ui/run/step_panel.h"
#include "ui/shell/action_list.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/strip_place.h"

namespace mantissa::ui::run {
namespace {

constexpr int kLively = 33;        // ms: steps come, or a person does something
constexpr int kHidden = 330;       // ms: steps are taken and not drawn
constexpr int kPatient = 100;      // ms: no frame is due, and nobody waits for one; each turn delays the training
constexpr int kWaiting = 200;      // ms: an arm runs, and nothing has come
constexpr int kLateWriters = 500;  // ms: the archive cannot be written
constexpr qint32 kLayoutVersion = 1;

}  // namespace

RunPage::RunPage(worker::EngineFactory engine, QWidget* parent)
    : shell::Page(parent),
      m_controller(new worker::TrainingController(std::move(engine), this)),
      m_queue(new RunQueue(m_controller, this)),
      m_loader(new ExperimentLoader(this)),
      m_shown(&m_archiveData),
      m_stack(new QStackedLayout(this)),
      m_empty(new shell::EmptyState(
          tr("Nothing runs yet"),
          tr("This page runs an experiment and shows loss, loss scale, skipped steps and deviation live. Open an "
             "experiment file, or select an arm in the archive on the left."))),
      m_strips(new shell::MessageStrips),
      m_stripPlace(new shell::StripPlace),
      m_strip(new shell::GlanceStrip(kStatements)),
      m_controls(new RunControls),
      m_charts(new RunCharts),
      m_counters(new CountersTable),
      m_countersNote(new shell::ElidedLabel),
      m_stepPanel(new StepPanel(this)),
      m_actions(new RunActions(this)) {
  m_strip->setStatements(glance({}, {}));
  makeLayout();
  listenToController();
  listenToActions();
  connect(m_loader, &ExperimentLoader::loaded, this, [this](std::int64_t experiment, const ArchivedExperiment& what) {
    if (experiment != m_followed) return;
    m_lastCheckpoint = what.lastCheckpoint;
    m_areCheckpointsKnown = true;
    m_offerIsStale = true;
    enableActions();  // also while the page is hidden
    wake();
    if (m_archived && what.experiment) return;  // it never changes
    m_archived = what.experiment;
    if (m_view == View::Archive) showView(View::Archive);
  });
  connect(&m_unreadable, &QFileSystemWatcher::fileChanged, this, [this](const QString& path) {
    constexpr int kWritingMilliseconds = 200;  // one that is replaced is gone for a moment
    QTimer::singleShot(kWritingMilliseconds, this, [this, path] { lookAtUnreadable(path); });
  });
  connect(m_charts, &RunCharts::redrawNeeded, this, &RunPage::wake);
  connect(m_charts->deviationChooser(), &QComboBox::currentIndexChanged, this, [this] {
    m_isNew = true;  // the strip says which comparison its number is of
    wake();
  });
  const auto showStep = [this](qint64 step) { m_stepPanel->showStep(*m_shown, step); };
  connect(m_charts, &RunCharts::stepChosen, this, showStep);
  connect(m_counters, &CountersTable::skipChosen, this, showStep);
  connect(m_charts, &RunCharts::exportFailed, this,
          [this](const QString& sentence) { showFailure(sentence, QString::fromLatin1(kExportTopic)); });
  connect(m_charts, &RunCharts::exported, this, [this](const QString& path) {
    m_strips->dismiss(QString::fromLatin1(kExportTopic));
    const QString sentence = tr("Chart written to %1").arg(QDir::toNativeSeparators(path));
    spdlog::info("{}", sentence.toStdString());
    Q_EMIT told(sentence);
  });
  connect(m_charts, &RunCharts::pastFailed, this, &RunPage::archiveTroubled);
  new LookAheadTeller(m_controller, m_controls->preflight(), this);
  m_lateWriters.setInterval(kLateWriters);
  connect(&m_lateWriters, &QTimer::timeout, this, &RunPage::lookAtLateWriters);
  connect(&m_closing, &QTimer::timeout, this, &RunPage::tellClosing);
  m_clock.setTimerType(Qt::PreciseTimer);
  connect(&m_clock, &QTimer::timeout, this, &RunPage::tick);
  connect(&m_person, &PersonWatch::began, this, [this] {
    if (m_clock.isActive()) wake();
  });
}

RunPage::~RunPage() {
  // Both threads end while everything that they tell of is still here.
  m_follower.reset();
  m_controller->disconnect(this);
  m_charts->disconnect(this);
  delete m_controller;
}

void RunPage::makeLayout() {
  auto* const counters = new QWidget;
  auto* const table = new QVBoxLayout(counters);
  table->setContentsMargins(0, 0, 0, 0);
  table->setSpacing(8);
  auto* const heading = new QHBoxLayout;
  auto* const title = new QLabel(tr("Counters"));
  title->setTextFormat(Qt::PlainText);
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  m_countersNote->setForegroundRole(QPalette::PlaceholderText);
  heading->addWidget(title);
  // Narrower than its words rather than wider than the window.
  m_countersNote->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_countersNote->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  heading->addWidget(m_countersNote, 1);
  table->addLayout(heading);
  table->addWidget(m_counters);

  m_stripPlace->add(m_strips);
  m_charts->setFoot(m_stripPlace);
  auto* const columns = new QHBoxLayout;
  columns->setSpacing(16);
  columns->addWidget(m_controls);
  columns->addWidget(new ResultsColumn(m_charts, counters), 1);
  auto* const body = new QWidget;
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_strip);
  layout->addLayout(columns, 1);
  m_stack->addWidget(body);
  m_stack->addWidget(m_empty);
  m_stack->setCurrentWidget(m_empty);
  connect(m_stack, &QStackedLayout::currentChanged, this, &RunPage::stripPlaceChanged);
}

bool RunPage::takeStrips(shell::MessageStrips& strips) {
  if (m_stack->currentWidget() == m_empty) return false;
  m_stripPlace->add(&strips);
  return true;
}

void RunPage::useActions(shell::ActionList& actions) {
  m_actions->make(actions);
  using shell::IconShape;
  const IconShape icons[] = {IconShape::Play, IconShape::Pause, IconShape::Stop, IconShape::Step};
  const QVector<QAction*> buttons = m_actions->buttons();
  for (int i = 0; i < buttons.size(); ++i) {
    const bool isLast = i + 1 == buttons.size();  // a single step: what is needed least
    m_controls->addAction(buttons[i], icons[i],
                          isLast ? shell::ActionButton::Shape::IconOnly : shell::ActionButton::Shape::Text);
  }
  m_controls->setGoOnAction(m_actions->resumeRun(), buttons.front());
  m_controls->setEditAction(m_actions->edit());
  m_empty->addAction(actions.find(QStringLiteral("open")));
  enableActions();
}

std::shared_ptr<const spec::Experiment> RunPage::readExperiment(const QString& path) {
  try {
    auto experiment = std::make_shared<const spec::Experiment>(spec::read_experiment(path.toStdString()));
    m_strips->dismissSeen(QString::fromLatin1(kUnreadableTopic));
    m_strips->dismiss(QString::fromLatin1(kUnreadableTopic) + path);
    return experiment;
  } catch (const Error& error) {
    showFailure(models::errorText(error), QString::fromLatin1(kUnreadableTopic) + path);
    m_unreadable.addPath(path);
    return nullptr;
  }
}

/// What was told of a file that could not be read goes when it can be.
void RunPage::lookAtUnreadable(const QString& path) {
  try {
    spec::read_experiment(path.toStdString());
  } catch (const Error&) {
    m_unreadable.addPath(path);  // whoever replaces a file takes it out of the watch
    return;
  }
  m_unreadable.removePath(path);
  m_strips->dismiss(QString::fromLatin1(kUnreadableTopic) + path);
}

void RunPage::openExperiment(const QString& path) {
  std::shared_ptr<const spec::Experiment> opened = readExperiment(path);
  if (!opened) return;
  takeOpened(std::move(opened));
  m_isHeld = false;
  m_isAside = isBusy();
  m_asideTold = Aside::No;
  if (!m_isAside) {
    showView(View::Nothing);
    lookAhead();
  }
  enableActions();
  m_controls->focusPrimary();
}

/// With what the file warns of, and without what the one before it warned of.
void RunPage::takeOpened(std::shared_ptr<const spec::Experiment> opened) {
  for (std::size_t i = 0; m_opened && i < m_opened->warnings.size(); ++i) {
    m_strips->dismiss(QString::fromLatin1(kWarningTopic) + QString::number(i));
  }
  m_opened = std::move(opened);
  for (std::size_t i = 0; i < m_opened->warnings.size(); ++i) {
    m_strips->show(shell::MessageStrip::Kind::Warning, QString::fromStdString(m_opened->warnings[i]),
                   QString::fromLatin1(kWarningTopic) + QString::number(i));
  }
}

/// Which experiment Run starts where the page shows another one.
void RunPage::tellOpenedAside() {
  if (m_view == View::Nothing || !m_opened) m_isAside = false;
  const Aside now = !m_isAside ? Aside::No : isBusy() ? Aside::DuringRun : Aside::AfterRun;
  if (std::exchange(m_asideTold, now) == now) return;
  const QString topic = QString::fromLatin1(kFileTopic);
  if (now == Aside::No) return m_strips->dismiss(topic);
  const QString name = models::isolated(QFileInfo(QString::fromStdString(m_opened->file)).fileName());
  if (now == Aside::DuringRun) {
    m_strips
        ->show(shell::MessageStrip::Kind::Note,
               tr("%1 is open. Queue it, and it runs when the present run has ended.").arg(name), topic)
        ->addWayOut(m_actions->queue());
    return;
  }
  shell::MessageStrip* const strip =
      m_strips->show(shell::MessageStrip::Kind::Note,
                     tr("%1 is open, and Run starts it. What is shown here has ended.").arg(name), topic);
  auto* const show = new QAction(tr("Show it"), strip);
  show->setToolTip(tr("Shows the experiment that Run starts, and looks ahead"));
  connect(show, &QAction::triggered, this, [this] {
    showView(View::Nothing);
    lookAhead();
  });
  strip->addWayOut(show);
}

void RunPage::holdExperiment(const QString& path) {
  std::shared_ptr<const spec::Experiment> opened = readExperiment(path);
  if (!opened) return;
  m_opened = std::move(opened);
  m_isHeld = true;
  if (m_view == View::Nothing) showView(View::Nothing);
  enableActions();
}

void RunPage::readAgain(const QString& path) {
  if (m_unreadable.files().contains(path)) lookAtUnreadable(path);
  if (!m_opened || QFileInfo(QString::fromStdString(m_opened->file)) != QFileInfo(path)) return;
  if (m_view == View::Nothing) {
    openExperiment(path);
  } else if (std::shared_ptr<const spec::Experiment> opened = readExperiment(path)) {
    takeOpened(std::move(opened));
  }
}

void RunPage::setUnsavedFiles(const QStringList& files) {
  m_unsavedFiles = files;
  tellUnsaved();
}

void RunPage::tellUnsaved() {
  const bool isUnsaved = m_view == View::Nothing && m_opened &&
                         std::any_of(m_unsavedFiles.begin(), m_unsavedFiles.end(), [&](const QString& file) {
                           return QFileInfo(file) == QFileInfo(QString::fromStdString(m_opened->file));
                         });
  if (!isUnsaved) {
    m_strips->dismiss(QString::fromLatin1(kUnsavedTopic));
    return;
  }
  m_strips
      ->show(shell::MessageStrip::Kind::Warning,
             tr("%1 has changes in the editor that are not saved. What stands here is the saved file; Run asks to save "
                "them first.")
                 .arg(QFileInfo(QString::fromStdString(m_opened->file)).fileName()),
             QString::fromLatin1(kUnsavedTopic))
      ->addWayOut(m_actions->edit());
}

const spec::Experiment* RunPage::shownExperiment() const {
  return m_view == View::Nothing ? m_opened.get() : m_view == View::OwnRun ? m_own.experiment.get() : m_archived.get();
}

/// What was told of the run that was shown says nothing of what is shown now.
void RunPage::leaveView() {
  m_goesOn = false;
  forgetFailedArms();
  m_strips->dismiss(QString::fromLatin1(kResumeTopic));
  // That its file has changed concerns a run that goes on.
  if (m_queue->current() == nullptr || m_own.resumes == 0) m_strips->dismiss(QString::fromLatin1(kRunTopic));
}

void RunPage::showView(View view) {
  if (view == View::Nothing || (view != m_view && m_view != View::Nothing)) leaveView();
  m_view = view;
  m_isChosen = m_isChosen && view == View::Archive;
  tellUnsaved();
  QString name;
  switch (view) {
    case View::Nothing:
      // An experiment that was opened and not run yet: empty charts that wait for it.
      clearData(m_ownData);
      m_own = {};
      m_progress.reset();
      m_shown = &m_ownData;
      break;
    case View::OwnRun:
      m_shown = &m_ownData;
      break;
    case View::Archive:
      m_shown = &m_archiveData;
      if (m_trials) {
        for (const record::TrialRow& arm : *m_trials) {
          if (arm.experiment_id == m_followed) name = QString::fromStdString(arm.experiment);
        }
      }
      break;
  }
  const spec::Experiment* const experiment = shownExperiment();
  // What was found out of an opened experiment says nothing of another one.
  const bool goesOn = view == View::Archive && m_own.resumes != 0 && m_own.resumes == m_followed &&
                      m_own.archive == m_archive && m_own.experiment;
  const spec::Experiment* const lookedAhead = goesOn ? m_own.experiment.get() : experiment;
  if (lookedAhead == nullptr || lookedAhead != m_lookedAt.get()) m_controls->preflight()->clear();
  showExperiment(experiment, name);
  m_stepPanel->close();
  m_charts->setArchive(m_view == View::Archive ? m_archive : archiveToRunInto());
  m_charts->setData(m_shown);
  m_counters->setData(m_shown);
  m_stack->setCurrentIndex(0);
  m_isNew = true;
  tellInterrupted();
  enableActions();
  wake();
}

void RunPage::clearData(RunData& emptied) {
  const bool isShown = m_shown == &emptied;
  if (isShown) {
    m_stepPanel->close();
    m_charts->setData(nullptr);
    m_counters->setData(nullptr);
  }
  emptied.clear();
  if (isShown) {
    m_charts->setData(&emptied);
    m_counters->setData(&emptied);
  }
}

void RunPage::showExperiment(const spec::Experiment* experiment, const QString& name) {
  if (experiment == nullptr) {
    m_controls->showExperiment(name, {}, {}, {});
    m_charts->setPlannedSteps(0);
    m_counters->setPlanned(0, 0);
    m_charts->setExperiment(nullptr);
    return;
  }
  m_controls->showExperiment(QString::fromStdString(experiment->name), QString::fromStdString(experiment->file),
                             experimentSummary(*experiment), policySummary(*experiment));
  const qint64 steps = experiment->training.steps.value_or(0);
  m_charts->setPlannedSteps(steps);
  m_counters->setPlanned(steps, steps * experiment->training.accumulate);
  m_charts->setExperiment(std::make_shared<const spec::Experiment>(*experiment));
}

void RunPage::showFailure(const QString& sentence, const QString& topic) {
  spdlog::warn("{}", models::withoutIsolates(sentence).toStdString());
  m_strips->show(shell::MessageStrip::Kind::Failure, sentence, topic);
  m_stack->setCurrentIndex(0);
}

bool RunPage::takeSteps() {
  const bool own = m_ownData.take(m_controller->takeSteps());
  const bool followed = m_follower && m_archiveData.take(m_follower->takeSteps());
  tellFullMemory();
  return m_view == View::Archive ? followed : own;
}

/// Of what is shown: the run itself needs no more memory than before, and goes on.
void RunPage::tellFullMemory() {
  if (std::exchange(m_isFullTold, m_shown->isFull()) == m_shown->isFull()) return;
  const QString topic = QString::fromLatin1(kMemoryTopic);
  if (!m_isFullTold) return m_strips->dismiss(topic);
  m_strips->show(shell::MessageStrip::Kind::Warning,
                 tr("No memory for all steps: charts and counters end at step %1. The archive has them, and a run goes "
                    "on into it.")
                     .arg(models::figure(report::count_words(m_shown->steps()))),
                 topic);
}

void RunPage::wake() {
  if (!isVisible() && m_controller->state() == worker::JobState::Idle) return;
  if (m_clock.isActive() && m_clock.interval() <= kLively) return;
  m_clock.start(kLively);
}

void RunPage::tick() {
  const bool takesAllCores = m_own.experiment && m_own.experiment->training.threads >= QThread::idealThreadCount() &&
                             m_controller->state() == worker::JobState::Running;
  m_budget.setShare(takesAllCores ? DrawingBudget::kShareOfBusyCore : DrawingBudget::kShare);
  const bool isDue = m_budget.isDue(PersonWatch::now(), PersonWatch::computed(), m_person.interacts());
  const std::optional<int> silent = silentSeconds();
  const bool isSilent = std::exchange(m_silentTold, silent) != silent;
  const bool isNew = takeSteps() || m_isNew || isSilent;
  const bool running = m_controller->state() != worker::JobState::Idle;
  if (isNew && (isDue || !isVisible())) tellProgress();
  if (!isVisible()) {
    // Steps are taken all the same, so that none is missed; nothing is drawn.
    m_clock.start(kHidden);
    if (!running) m_clock.stop();
    return;
  }
  if (!isDue) {
    m_isNew = isNew;
    m_clock.start(kPatient);
    return;
  }
  if (m_offerIsStale && isFollowedOver()) offerToResume();  // now that its steps are here
  if (isNew) m_budget.begin(PersonWatch::now(), PersonWatch::computed());
  m_isNew = false;
  const bool ownView = m_view != View::Archive || isResumedHere();
  Standing standing;
  standing.ours = ownView;
  standing.running = ownView ? running : runsElsewhere();
  standing.cannotBeRead = !ownView && m_cannotBeRead;
  standing.isBeingRead = !ownView && !m_unread.empty();
  standing.showsShadow = m_charts->deviationChooser()->currentIndex() == static_cast<int>(Comparison::Shadow);
  standing.paused = ownView && m_controller->state() == worker::JobState::Paused;
  if (isNew) {
    const spec::Experiment* const experiment = m_view == View::Archive ? m_archived.get() : m_own.experiment.get();
    standing.experiment = experiment;
    if (experiment != nullptr) standing.plannedSteps = experiment->training.steps.value_or(0);
    if (ownView && m_progress) {
      standing.plannedSteps = m_progress->steps;
      standing.remainingSeconds = m_progress->remaining_seconds;
    }
    if (ownView) standing.phase = m_phase;
    standing.trains = m_phase == QLatin1String(kTraining);
    if (ownView) standing.silentSeconds = silent;
    standing.waitsForArchive = ownView && m_waitsForArchive;
    if (ownView) standing.brokenWords = m_brokenWords;
    standing.stopsAtCheckpoint = ownView && m_controller->stopsAtCheckpoint();
    if (ownView) standing.stopStep = stopStep();
    m_strip->setStatements(glance(*m_shown, standing, &m_glanceMemory));
    m_counters->refresh();
    m_countersNote->setText(m_shown->missed() > 0 ? tr("%1 records were not drawn; the archive has them")
                                                        .arg(models::figure(report::count_words(m_shown->missed())))
                                                  : m_counters->counters().qualityNote());
    m_charts->setLive(standing.running && !standing.paused);
  }
  m_charts->redraw();
  if (isNew) {
    m_clock.start(kLively);
  } else if (running || (m_follower && !isFollowedOver())) {
    m_clock.start(kWaiting);
  } else {
    m_clock.stop();
  }
}

bool RunPage::isSettled() const {
  if (m_charts->isLoading()) return false;
  if (m_view != View::Archive) return !m_isNew;
  if (!m_armsKnown || m_isNew) return false;
  // What still runs is never complete: a moment in which nothing is new will do.
  if (isFollowedOver()) return !m_clock.isActive() && !m_counters->isFitting();
  const bool isThere = m_cannotBeRead || (m_unread.empty() && m_shown->steps() > 0);
  return isThere && m_clock.interval() == kWaiting;
}

QByteArray RunPage::saveLayout() const {
  QByteArray layout;
  QDataStream stream(&layout, QIODevice::WriteOnly);
  stream << kLayoutVersion << !m_controls->isHidden() << m_charts->saveLayout();
  return layout;
}

void RunPage::restoreLayout(const QByteArray& layout) {
  QDataStream stream(layout);
  qint32 version = 0;
  bool controls = true;
  QByteArray charts;
  stream >> version >> controls >> charts;
  const bool isKnown = version == kLayoutVersion && stream.status() == QDataStream::Ok;
  m_controls->setVisible(!isKnown || controls);
  m_charts->restoreLayout(isKnown ? charts : QByteArray());
}

void RunPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  m_isNew = true;
  wake();
}

void RunPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  if (m_controller->state() == worker::JobState::Idle) m_clock.stop();
}

}  // namespace mantissa::ui::run
