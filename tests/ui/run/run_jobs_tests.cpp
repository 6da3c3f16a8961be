// SPDX-License-Identifier: GPL-3.0-or-later
// Several runs in the Run page: a queue, runs of the archive that go on, and what is known before Run is pressed.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/archive/file_size_limit.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/ui/run/run_page_fixtures.h"
#include "tests/ui/shell/strip_sentences.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/preset_panel.h"
#include "ui/run/queue_panel.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_page.h"
#include "ui/shell/action_list.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/coming_page.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"

using namespace mantissa;
using namespace mantissa::ui;
using test::kSteps;
using test::makeExampleArchive;

namespace {

QStringList textsIn(const QWidget* widget) {
  QStringList texts;
  for (const QLabel* const label : widget->findChildren<QLabel*>()) texts << label->text();
  return texts;
}

/// An archive with a run of `file` that was stopped at a checkpoint.
void makeStoppedRun(const QString& path, const QString& file) {
  QFile text(file);
  if (!text.open(QIODevice::ReadOnly)) return;
  mantissa::archive::Writer writer(path.toStdString());
  record::ExperimentStart experiment;
  experiment.name = "digits";
  experiment.file = file.toStdString();
  experiment.text = text.readAll().toStdString();
  record::TrialStart start;
  start.experiment = writer.begin_experiment(experiment);
  start.kind = record::TrialKind::Reference;
  start.name = "reference";
  const std::int64_t reference = writer.begin_trial(start);
  record::StepRecord step;
  step.trial = reference;
  step.step = step.iteration = step.applied_updates = 1;
  writer.append(step);
  record::CheckpointSet set;
  set.step = 1;
  set.arms.push_back({reference, {}});
  writer.write_checkpoint(std::move(set));
  record::TrialEnd end;
  end.status = record::Status::Stopped;
  end.counts.attempted = end.counts.iterations = end.counts.applied = 1;
  writer.finish_trial(reference, end);
  writer.close();
}

/// Something to wait at as a step does that never ends.
class Gate {
 public:
  void open() { m_open = true; }
  void close() { m_open = false; }
  void pass() const {
    while (!m_open) QTest::qSleep(1);
  }

 private:
  std::atomic<bool> m_open{true};
};

}  // namespace

class RunJobsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_resumed = 0;
    m_runs = 0;
    m_failing.clear();
    m_checkpointEvery = 1;
    m_lookAheadWaits = false;
    m_isFull = m_hangs = m_limited = false;
    m_ownArm = 1;
    m_fullKind = ErrorKind::DiskFull;
    const auto work = [this](const worker::Job& job, session::Observer& observer, session::RunControl& control) {
      const int run = m_runs++;
      if (m_isFull) {
        record::TrialRow reference;
        reference.id = reference.experiment_id = 1;
        reference.start.kind = record::TrialKind::Reference;
        observer.on_arms({reference});
        const char* const problem = m_limited ? mantissa::archive::kFileSizeLimit : "no space is left";
        throw Error(m_fullKind, {problem, "a.db", 0, 0, "", "", "", ""});
      }
      if (m_hangs) return hang(job, observer);
      if (m_failing.count(run) > 0) {
        ErrorFacts facts;
        facts.problem = "no memory in run " + std::to_string(run);
        throw Error(ErrorKind::OutOfMemory, facts);
      }
      if (const auto* resume = std::get_if<worker::Job::Resume>(&job.work)) m_resumed = resume->options.trial;
      return test::slowStepsWithCheckpoints(job, observer, control, m_checkpointEvery, m_ownArm);
    };
    m_looks = 0;
    const auto lookAhead = [this](const worker::Job::Run&, const session::StopToken& stop,
                                  const session::ArmTeller& tell) {
      ++m_looks;
      tell("fp16");
      m_door.pass();
      while (m_lookAheadWaits && !stop.requested()) QTest::qSleep(1);
      session::Preflight found;
      found.steps = 100;
      found.timed_steps = 20;
      found.step_seconds = 36;
      found.training_seconds = 3600;
      found.rules = "{}";
      found.rules_sha256 = "0123abcd4567";
      return found;
    };
    m_page = new run::RunPage(test::stub(work, lookAhead));
    auto* const other = new shell::ComingPage(QStringLiteral("other"), QStringLiteral("Other"), QString());
    m_fixture = std::make_unique<test::WindowFixture>(QVector<shell::Page*>{m_page, other});
    m_window = &m_fixture->window();
    QVERIFY(m_fixture->isShown());
  }
  void cleanup() {
    m_door.open();
    m_hangs = false;
    m_fixture.reset();
  }

  void a_second_run_waits_for_the_first_and_can_be_taken_out() {
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    run::QueuePanel* const queue = m_page->controls()->queue();
    QVERIFY(!queue->isVisible());
    for (int i = 0; i < 2; ++i) QTest::keyClick(m_window, Qt::Key_F8, Qt::ShiftModifier);
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{2});
    QVERIFY(queue->isVisible());
    QVERIFY(!queue->visibleRegion().isEmpty());  // beside the controls, without scrolling
    auto* const list = queue->findChild<QListWidget*>();
    list->setCurrentRow(0);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    const worker::JobId first = m_page->controller()->currentJob();
    // A person who stops a run does not ask for the next one: it waits for a word.
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QTest::qWait(50);
    QCOMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    QVERIFY(textsIn(queue).contains(QStringLiteral("Held since the run was stopped.")));
    press(queue, QStringLiteral("Start"));
    QTRY_VERIFY(m_page->controller()->currentJob() > first);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    QVERIFY(!queue->isVisible());
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void run_begins_before_what_is_held_and_the_queue_can_be_cleared() {
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    action("run_queue")->trigger();
    m_window->actions()->find(QStringLiteral("run_stop"))->trigger();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QVERIFY(!m_page->isBusy());  // what is held keeps no window open
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QCOMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    press(m_page->controls()->queue(), QStringLiteral("Clear"));
    QVERIFY(m_page->controller()->waiting().empty());
    QVERIFY(!m_page->controls()->queue()->isVisible());
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_stop_at_the_next_checkpoint_is_told_and_can_be_taken_back() {
    m_checkpointEvery = 1'000'000;
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    action("run_stop_at_checkpoint")->trigger();
    const auto* const strip = m_page->findChild<shell::MessageStrip*>();
    QVERIFY(strip != nullptr);
    QCOMPARE(strip->sentence(),
             QStringLiteral("digits stops where its present step ends."));  // its file names no every
    QTRY_COMPARE(m_page->strip()->answerOf(4), QStringLiteral("Stopping at the next checkpoint"));
    QCOMPARE(shell::plainText(*action("run_stop_at_checkpoint")), QStringLiteral("Do not stop at the next checkpoint"));
    action("run_stop_at_checkpoint")->trigger();
    QVERIFY(m_page->findChild<shell::MessageStrip*>() == nullptr);
    QVERIFY(!m_page->controller()->stopsAtCheckpoint());
    QCOMPARE(m_page->controller()->state(), worker::JobState::Running);
    action("run_stop_at_checkpoint")->trigger();
    press(m_page->findChild<shell::MessageStrip*>(), QStringLiteral("Stop now"));
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_run_that_goes_on_names_its_arms_in_the_log_and_itself_until_its_end() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", m_fixture->log().sink()));
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    const auto logged = [this] {
      m_fixture->log().drain();
      QStringList lines;
      for (int row = 0; row < m_fixture->log().rowCount(); ++row) {
        lines << m_fixture->log().index(row, shell::LogModel::TextColumn).data().toString();
      }
      return lines;
    };
    QTRY_VERIFY(logged().contains(QStringLiteral("reference: accuracy 0.5000 at step 1")));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QVERIFY2(logged().last().startsWith(QStringLiteral("digits: stopped, kept in ")), qPrintable(logged().last()));
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
  }

  void nothing_runs_into_another_archive_than_the_one_that_was_refused() {
    m_window->open(writeExperiment());
    QVERIFY(action("run")->isEnabled());
    QFile damaged(path("damaged.db"));
    QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write("not an archive") > 0);
    damaged.close();
    m_window->open(damaged.fileName());
    QTRY_VERIFY(!action("run")->isEnabled());
    QVERIFY(action("run")->toolTip().contains(QStringLiteral("damaged.db could not be opened")));
    action("run_default_archive")->trigger();
    QVERIFY(action("run")->isEnabled());
  }

  void a_paused_run_goes_on_by_the_primary_action() {
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    m_page->controller()->pause();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Paused);
    QCOMPARE(shell::plainText(*action("run")), QStringLiteral("Resume"));
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QVERIFY(m_page->controller()->waiting().empty());
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_pre_flight_that_does_not_come_back_is_told_and_stop_gives_the_run_up() {
    QSignalSpy begun(m_page->controller(), &worker::TrainingController::jobStarted);
    m_door.close();
    m_page->controller()->setPatience(std::chrono::milliseconds(10));
    m_window->open(writeExperiment());
    QTRY_VERIFY(m_looks.load() > 0);  // it looks ahead
    QVERIFY(!action("run_stop")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    QVERIFY(action("run_stop")->isEnabled());
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() != nullptr);
    const QString sentence = m_page->findChild<shell::MessageStrip*>()->sentence();
    for (const char* const words : {"The trial steps of the pre-flight have not come back", "Stop takes it out"}) {
      QVERIFY2(sentence.contains(QString::fromUtf8(words)), qPrintable(sentence));
    }
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(m_page->controller()->waiting().empty());
    QVERIFY(!action("run_stop")->isEnabled());
    m_door.open();
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() == nullptr);
    QVERIFY(begun.isEmpty());
  }

  void several_files_are_queued_at_once() {
    run::RunPage::setFileQuestion([this](QWidget*, const QString&) {
      const QString one = writeExperiment();
      return QStringList{one, one};
    });
    action("run_queue_files")->trigger();
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    shell::MainWindow::setCloseQuestion([](QWidget*, const QString&) { return true; });
    m_window->close();  // asked once; takes what waits out of the queue
    QTRY_VERIFY(!m_window->isVisible());
  }

  void files_behind_a_broken_one_are_queued_and_each_broken_one_is_named() {
    run::RunPage::setFileQuestion([this](QWidget*, const QString&) {
      QFile broken(path("broken.toml"));
      if (broken.open(QIODevice::WriteOnly)) broken.write("mantissa = 1\nname = \"b\"\n[training]\nbatchsize = 3\n");
      broken.close();
      return QStringList{writeExperiment("one.toml"), broken.fileName(), path("missing.toml"),
                         writeExperiment("two.toml")};
    });
    action("run_queue_files")->trigger();
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{1});
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    const QStringList said = test::stripSentences(m_page);
    QCOMPARE(said.size(), 1);
    for (const char* const words : {"2 of 4 files were not queued:", "broken.toml", "batchsize", "missing.toml"}) {
      QVERIFY2(said[0].contains(QString::fromUtf8(words)), qPrintable(said[0]));
    }
  }

  void runs_that_fail_are_told_together_where_the_person_is() {
    const char* const files[] = {"q1.toml", "q2.toml", "q3.toml", "q4.toml"};
    run::RunPage::setFileQuestion([&](QWidget*, const QString&) {
      QStringList paths;
      for (const char* const file : files) paths << writeExperiment(file);
      return paths;
    });
    m_window->showPage(QStringLiteral("other"));
    m_failing = {1, 3};
    action("run_queue_files")->trigger();
    const auto stop = [this] {
      QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
      m_page->controller()->stop();
    };
    for (int run = 0; run < 2; ++run) stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QTRY_COMPARE(m_page->controller()->waiting().size(), std::size_t{0});
    const QString told =
        QStringLiteral("2 of 4 runs failed:\nq2.toml: no memory in run 1.\nq4.toml: no memory in run 3.");
    QTRY_VERIFY2(test::stripSentences(m_window->strips()).contains(told),
                 qPrintable(test::stripSentences(m_window->strips()).join(u'|')));
    QCOMPARE(m_window->statusBar()->currentMessage(), QStringLiteral("2 of 4 runs failed:"));
    auto* const tabs = m_window->findChild<QTabWidget*>();
    QCOMPARE(tabs->tabText(tabs->indexOf(m_page)), QStringLiteral("! Run"));
    m_window->showPage(QStringLiteral("run"));
    QVERIFY(!test::stripSentences(m_window->strips()).contains(told));
    QCOMPARE(test::stripSentences(m_page), QStringList{told});
    QCOMPARE(tabs->tabText(tabs->indexOf(m_page)), QStringLiteral("Run"));
  }

  void runs_of_one_name_are_told_apart_by_their_numbers_as_in_the_tree() {
    for (int run = 0; run < 2; ++run) makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    const QAbstractItemModel* const tree = m_window->archiveDock()->findChild<QTreeView*>()->model();
    QTRY_COMPARE(tree->rowCount(), 2);
    const QString first = QStringLiteral("digits · #1");
    const QString second = QStringLiteral("digits · #2");
    QCOMPARE(tree->index(1, 0).data().toString(), first);
    const auto told = [this] { return test::stripSentences(m_page).join(u'|'); };
    m_page->selectExperiment(1);
    QTRY_VERIFY2(told().startsWith(first + QStringLiteral(" was stopped at step")), qPrintable(told()));
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    m_page->selectExperiment(2);
    QTRY_VERIFY2(told().contains(second + QStringLiteral(" was stopped at step")), qPrintable(told()));
    QVERIFY2(told().contains(first + QStringLiteral(" goes on, and Pause and Stop are about it")), qPrintable(told()));
    for (const char* const name : {"run_pause", "run_stop"}) {
      QVERIFY2(action(name)->text().endsWith(first), qPrintable(action(name)->text()));
    }
    const QString bar = textsIn(m_window->statusBar()).join(u'|');
    QVERIFY2(bar.contains(first), qPrintable(bar));
    QTest::keyClick(m_window, Qt::Key_F7);
    const auto* const list = m_page->controls()->queue()->findChild<QListWidget*>();
    QTRY_COMPARE(list->count(), 1);
    QCOMPARE(list->item(0)->text(), second);
    m_page->controller()->clearWaiting();
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void new_runs_of_one_name_that_wait_are_told_apart_by_their_files() {
    const QStringList paths = {writeExperiment("q1.toml"), writeExperiment("q2.toml"), writeExperiment("q3.toml")};
    run::RunPage::setFileQuestion([&](QWidget*, const QString&) { return paths; });
    action("run_queue_files")->trigger();
    const auto* const list = m_page->controls()->queue()->findChild<QListWidget*>();
    QTRY_COMPARE(list->count(), 2);
    QCOMPARE(list->item(0)->text(), QStringLiteral("digits · q2.toml"));
    QCOMPARE(list->item(1)->text(), QStringLiteral("digits · q3.toml"));
    m_page->controller()->clearWaiting();
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void new_runs_of_one_file_that_wait_are_told_apart_by_their_places() {
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    for (int i = 0; i < 2; ++i) QTest::keyClick(m_window, Qt::Key_F8, Qt::ShiftModifier);
    const auto* const list = m_page->controls()->queue()->findChild<QListWidget*>();
    QTRY_COMPARE(list->count(), 2);
    QCOMPARE(list->item(0)->text(), QStringLiteral("digits (1 of 2)"));
    QCOMPARE(list->item(1)->text(), QStringLiteral("digits (2 of 2)"));
    m_page->controller()->clearWaiting();
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_queue_that_goes_on_after_a_stop_counts_its_own_runs_alone() {
    m_failing = {1};
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QTest::keyClick(m_window, Qt::Key_F8, Qt::ShiftModifier);
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    press(m_page->controls()->queue(), QStringLiteral("Start"));
    const auto told = [this] { return test::stripSentences(m_page).join(u'|'); };
    QTRY_VERIFY2(told().contains(QStringLiteral("no memory in run 1")), qPrintable(told()));
    QVERIFY2(!told().contains(QStringLiteral("of 2 runs")), qPrintable(told()));
  }

  void a_run_whose_archive_is_full_stands_as_failed_until_the_archive_tells_its_end() {
    mantissa::archive::Writer writer(path("a.db").toStdString());
    record::TrialStart start;
    start.experiment = writer.begin_experiment({});
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    const std::int64_t reference = writer.begin_trial(start);
    m_window->open(path("a.db"));
    const QAbstractItemModel* const tree = m_window->archiveDock()->findChild<QTreeView*>()->model();
    const auto state = [tree] { return tree->index(0, 1, tree->index(0, 0)).data().toString(); };
    QTRY_COMPARE(state(), QStringLiteral("running"));
    m_window->open(writeExperiment());
    m_isFull = true;
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(state(), QStringLiteral("failed (no space left)"));
    QTest::qWait(1000);  // the archive has been looked at again, and calls it running
    QCOMPARE(state(), QStringLiteral("failed (no space left)"));
    record::TrialEnd end;
    end.status = record::Status::Interrupted;
    writer.finish_trial(reference, end);
    QTRY_COMPARE(state(), QStringLiteral("interrupted"));
  }

  void a_run_that_this_window_broke_off_stays_failed_when_the_next_one_begins() {
    mantissa::archive::Writer writer(path("a.db").toStdString());
    record::TrialStart start;
    start.experiment = writer.begin_experiment({});
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    writer.begin_trial(start);
    m_window->open(path("a.db"));
    const QAbstractItemModel* const tree = m_window->archiveDock()->findChild<QTreeView*>()->model();
    const auto stateOf = [tree](int experiment) {
      return tree->index(0, 1, tree->index(experiment, 0)).data().toString();
    };
    QTRY_COMPARE(stateOf(0), QStringLiteral("running"));
    m_window->open(writeExperiment());
    m_isFull = true;
    m_limited = true;
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(stateOf(0), QStringLiteral("failed (file size limit)"));
    m_isFull = false;
    m_ownArm = 2;
    start.experiment = writer.begin_experiment({});  // as the next run does
    QCOMPARE(writer.begin_trial(start), std::int64_t{2});
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QTRY_COMPARE(tree->rowCount(), 2);
    QTRY_COMPARE(stateOf(0), QStringLiteral("running"));  // the newest
    QTest::qWait(700);                                    // the archive is looked at again
    QCOMPARE(stateOf(1), QStringLiteral("failed (file size limit)"));
    QCOMPARE(m_page->shownData().experiment(), std::int64_t{2});
    m_page->selectExperiment(1);
    QTRY_COMPARE(m_page->shownData().experiment(), std::int64_t{1});
    QVERIFY2(!textsIn(m_page).join(u'|').contains(QStringLiteral("Live from")), qPrintable(textsIn(m_page).join(u'|')));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_run_that_hangs_is_told_in_the_status_bar_with_the_step_of_the_page() {
    m_page->setLongSilence(1000);
    m_hangs = true;
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->shownData().steps(), qint64{1});
    const auto bar = [this] { return textsIn(m_window->statusBar()).join(u'|'); };
    QTRY_VERIFY2(bar().contains(QStringLiteral("digits: 1 of 100 steps")), qPrintable(bar()));
  }

  void a_run_whose_archive_was_replaced_by_a_copy_is_told_to_have_lost_it() {
    mantissa::archive::Writer writer(path("a.db").toStdString());
    record::TrialStart start;
    start.experiment = writer.begin_experiment({});
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    writer.begin_trial(start);
    m_window->open(path("a.db"));
    const QAbstractItemModel* const tree = m_window->archiveDock()->findChild<QTreeView*>()->model();
    const auto state = [tree] { return tree->index(0, 1, tree->index(0, 0)).data().toString(); };
    QTRY_COMPARE(state(), QStringLiteral("running"));
    m_window->open(writeExperiment());
    m_isFull = true;
    m_fullKind = ErrorKind::WriteFailed;  // as for a file that is there and is another one
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(state(), QStringLiteral("failed (archive lost)"));
  }

  void a_full_disk_is_told_no_longer_where_the_run_can_go_on() {
    mantissa::archive::Writer writer(path("a.db").toStdString());
    record::TrialStart start;
    start.experiment = writer.begin_experiment({});
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    const std::int64_t reference = writer.begin_trial(start);
    record::StepRecord step;
    step.trial = reference;
    step.step = step.iteration = step.applied_updates = 1;
    writer.append(step);
    record::CheckpointSet set;
    set.step = 1;
    set.arms.push_back({reference, {}});
    writer.write_checkpoint(std::move(set));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->open(writeExperiment());
    m_isFull = true;
    QTest::keyClick(m_window, Qt::Key_F5);
    const auto told = [this] { return test::stripSentences(m_window).join(u'|'); };
    QTRY_VERIFY2(told().contains(QStringLiteral("no space is left")), qPrintable(told()));
    record::TrialEnd end;  // once there was space
    end.status = record::Status::Interrupted;
    writer.finish_trial(reference, end);
    QTRY_VERIFY2(told().contains(QStringLiteral("It can go on from its checkpoint at step 1")), qPrintable(told()));
    QVERIFY2(!told().contains(QStringLiteral("no space is left")), qPrintable(told()));
  }

  void what_ended_a_run_is_no_longer_told_when_the_run_goes_on() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    m_failing = {0};
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_VERIFY(test::stripSentences(m_page).join(u'|').contains(QStringLiteral("no memory in run 0")));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QVERIFY2(!test::stripSentences(m_page).join(u'|').contains(QStringLiteral("no memory in run 0")),
             qPrintable(test::stripSentences(m_page).join(u'|')));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_step_that_does_not_end_is_named_before_and_while_the_window_closes() {
    m_page->setLongSilence(0);
    m_hangs = true;
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->strip()->answerOf(4).contains(QStringLiteral("o step for ")));
    QString asked;
    bool answer = false;
    shell::MainWindow::setCloseQuestion([&](QWidget*, const QString& sentence) {
      asked = sentence;
      return answer;
    });
    m_window->showPage(QStringLiteral("other"));
    m_window->close();
    QVERIFY2(asked.startsWith(QStringLiteral("The step that is running has taken 0 s so far")), qPrintable(asked));
    QVERIFY2(!asked.contains(QStringLiteral("becomes a checkpoint")), qPrintable(asked));
    answer = true;
    m_window->close();
    QVERIFY(m_window->isVisible());
    QVERIFY(m_page->isVisible());  // whoever waits sees for what
    const auto strips = m_page->findChildren<shell::MessageStrip*>();
    const auto closing = std::find_if(strips.begin(), strips.end(), [](const shell::MessageStrip* strip) {
      return strip->sentence().startsWith(QStringLiteral("The window closes when the run has ended"));
    });
    QVERIFY2(closing != strips.end(), qPrintable(test::stripSentences(m_page).join(u'|')));
    press(*closing, QStringLiteral("Close now"));
    QTRY_VERIFY(!m_window->isVisible());
  }

  void closing_promises_no_checkpoint_while_nobody_knows_whether_the_step_ends() {
    m_hangs = true;  // and its silence is not long yet
    m_window->open(writeExperiment());
    QString asked;
    shell::MainWindow::setCloseQuestion([&](QWidget*, const QString& sentence) {
      asked = sentence;
      return false;
    });
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->shownData().steps(), 1);
    m_window->close();
    QVERIFY2(asked.startsWith(QStringLiteral("Stop the run and close the window?")), qPrintable(asked));
    QVERIFY2(!asked.contains(QStringLiteral("becomes a checkpoint")), qPrintable(asked));
    QVERIFY2(asked.contains(QStringLiteral("If it does not come to that, what was recorded up to step 1 stays in the "
                                           "archive")),
             qPrintable(asked));
  }

  void closing_says_how_many_runs_that_wait_are_thrown_away() {
    QString asked;
    shell::MainWindow::setCloseQuestion([&](QWidget*, const QString& sentence) {
      asked = sentence;
      return false;
    });
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    m_window->close();
    QVERIFY2(!asked.contains(QStringLiteral("wait")), qPrintable(asked));
    for (int i = 0; i < 2; ++i) action("run_queue")->trigger();
    m_window->close();
    QVERIFY2(asked.endsWith(QStringLiteral("2 runs wait in the queue: they are thrown away and do not run.")),
             qPrintable(asked));
    action("run_stop")->trigger();  // which holds the queue
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    asked.clear();
    m_window->close();
    QCOMPARE(asked, QStringLiteral("Close the window? 2 runs wait in the queue: they are thrown away and do not run."));
    QVERIFY(m_window->isVisible());
  }

  void files_to_queue_are_looked_for_where_the_last_ones_were() {
    QString folder;
    QString chosen;
    run::RunPage::setFileQuestion([&](QWidget*, const QString& begins) {
      folder = begins;
      return chosen.isEmpty() ? QStringList() : QStringList{chosen};
    });
    m_window->open(writeExperiment());
    action("run_queue_files")->trigger();
    QCOMPARE(folder, QFileInfo(path("digits.toml")).absolutePath());  // of the experiment that is open
    QVERIFY(QDir().mkpath(path("other")));
    chosen = writeExperiment("other/one.toml");
    action("run_queue_files")->trigger();
    chosen.clear();
    action("run_queue_files")->trigger();
    QCOMPARE(folder, path("other"));
  }

  void a_stopped_run_of_the_archive_can_go_on() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() != nullptr);
    const auto* const strip = m_page->findChild<shell::MessageStrip*>();
    QVERIFY2(strip->sentence().contains(
                 QStringLiteral("was stopped at step 200. It can go on from its checkpoint at step 100.")),
             qPrintable(strip->sentence()));
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_VERIFY(m_resumed.load() != 0);
    QVERIFY(!action("run_resume")->isEnabled());
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QCOMPARE(m_page->shownData().steps(), qint64{kSteps});  // its earlier steps stay
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void closing_while_a_run_goes_on_counts_its_earlier_steps() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    m_hangs = true;
    QTest::keyClick(m_window, Qt::Key_F7);
    QString asked;
    shell::MainWindow::setCloseQuestion([&](QWidget*, const QString& sentence) {
      asked = sentence;
      return false;
    });
    const auto closingSays = [&](const QString& words) {
      m_window->close();
      return asked.contains(words);
    };
    QTRY_VERIFY2(closingSays(QStringLiteral("what was recorded up to step 200 stays in the archive")),
                 qPrintable(asked));
  }

  void a_trial_that_is_selected_already_can_be_chosen_again_where_something_else_is_shown() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Finished);
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->archiveDock()->selectTrial(2);
    QTRY_COMPARE(m_page->shownData().experiment(), std::int64_t{1});
    auto* const tree = m_window->archiveDock()->findChild<QTreeView*>();
    const auto click = [&] {
      QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(tree->currentIndex()).center());
    };
    m_window->open(writeExperiment());
    QVERIFY(m_page->shownData().experiment() != 1);
    QCOMPARE(m_window->archiveDock()->selectedTrial(), std::int64_t{2});
    click();
    QTRY_COMPARE(m_page->shownData().experiment(), std::int64_t{1});
    m_window->open(writeExperiment("other.toml"));
    QVERIFY(m_page->shownData().experiment() != 1);
    QTest::keyClick(tree, Qt::Key_Return);
    QTRY_COMPARE(m_page->shownData().experiment(), std::int64_t{1});
  }

  void a_run_that_goes_on_says_that_its_file_has_changed_since() {
    const QString file = writeExperiment();
    makeStoppedRun(path("a.db"), file);
    const auto goOn = [this] {
      m_window->open(path("a.db"));
      QTRY_VERIFY(action("run_resume")->isEnabled());
      QTest::keyClick(m_window, Qt::Key_F7);
      QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    };
    goOn();
    const QString sentence =
        QStringLiteral("digits goes on with the settings of the archive; digits.toml has changed since.");
    QVERIFY(!test::stripSentences(m_page).contains(sentence));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    makeStoppedRun(path("b.db"), file);
    QFile changed(file);
    QVERIFY(changed.open(QIODevice::Append) &&
            changed.write("# a remark\n[[trial]]\nname = \"b\"\nautocast = \"bfloat16\"\n") > 0);
    changed.close();
    m_window->open(path("b.db"));
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QVERIFY2(test::stripSentences(m_page).contains(sentence), qPrintable(test::stripSentences(m_page).join(u'|')));
  }

  void what_goes_on_is_the_experiment_of_the_open_file() {
    const QString file = writeExperiment();
    m_page->controls()->presets()->setPresets({QStringLiteral("FP16")}, {QStringLiteral("help")});
    m_window->open(file);
    makeStoppedRun(path("a.db"), file);
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_page->selectTrial(1);
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QVERIFY(m_page->controls()->presets()->isVisible());
    QVERIFY2(!action("run")->whatsThis().contains(QStringLiteral("another experiment")),
             qPrintable(action("run")->whatsThis()));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void what_is_wrong_with_a_file_is_told_until_it_is_right() {
    const auto write = [this](const QByteArray& text) {
      QFile file(path("bad.toml"));
      return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QFile good(writeExperiment());
    QVERIFY(good.open(QIODevice::ReadOnly));
    const QByteArray text = good.readAll();
    QVERIFY(write("mantissa = 1\nx = 2\n"));
    m_window->open(path("bad.toml"));
    QCOMPARE(test::stripSentences(m_page).size(), 1);
    QVERIFY(write(text));  // by another program
    QTRY_COMPARE(test::stripSentences(m_page), QStringList());
    QVERIFY(write("mantissa = 1\nx = 2\n"));
    m_window->open(path("bad.toml"));
    QTRY_COMPARE(test::stripSentences(m_page).size(), 1);
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>()->wasSeen());
    m_window->open(writeExperiment());  // another experiment
    QCOMPARE(test::stripSentences(m_page), QStringList());
  }

  void what_was_said_of_a_stopped_run_stays_away_once_dismissed() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_COMPARE(test::stripSentences(m_page).size(), 1);
    press(m_page->findChild<shell::MessageStrip*>(), QStringLiteral("✕"));
    QTRY_COMPARE(test::stripSentences(m_page).size(), 0);
    auto* const next = new run::RunPage(test::stub(test::slowSteps));  // as at the next start
    shell::MainWindow again(m_fixture->settings(), nullptr, {next});
    again.show();
    again.open(path("a.db"));
    QTRY_VERIFY(again.actions()->find(QStringLiteral("run_resume"))->isEnabled());
    QTRY_VERIFY(next->isSettled());
    QCOMPARE(test::stripSentences(next), QStringList());
  }

  void a_run_that_was_stopped_here_can_go_on() {
    makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{kSteps});
    m_window->open(writeExperiment());
    QVERIFY(!action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    QVERIFY(!action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_COMPARE(m_resumed.load(), std::int64_t{1});
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void an_interrupted_run_without_a_checkpoint_says_so_and_what_to_do() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Interrupted, false);
    m_window->open(path("a.db"));
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() != nullptr);
    const QString sentence = m_page->findChild<shell::MessageStrip*>()->sentence();
    for (const char* const words : {"digits was interrupted at step 200", "it left no checkpoint to go on from",
                                    "run it again", "checkpoint = { every = 500 } under [training]"}) {
      QVERIFY2(sentence.contains(QString::fromUtf8(words)), qPrintable(sentence));
    }
    QVERIFY(!action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_COMPARE(m_window->statusBar()->currentMessage(),
                 QStringLiteral("Go on with this run: digits was interrupted before its first checkpoint: there is "
                                "nothing to go on from. Open its file and run it again."));
    // Another experiment's archive has nothing to do with it.
    makeExampleArchive(path("b.db"));
    m_window->open(path("b.db"));
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() == nullptr);
  }

  void the_key_for_going_on_says_of_a_run_at_work_that_it_runs_or_holds() {
    m_window->open(writeExperiment());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    const auto answer = [this] {
      QTest::keyClick(m_window, Qt::Key_F7);
      return m_window->statusBar()->currentMessage();
    };
    QCOMPARE(answer(), QStringLiteral("Go on with this run: digits is running."));
    action("run_pause")->trigger();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Paused);
    QCOMPARE(answer(), QStringLiteral("Go on with this run: digits is paused: Resume lets it go on."));
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_finished_run_of_the_archive_cannot_go_on() {
    makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{kSteps});
    QVERIFY(!action("run_resume")->isEnabled());
    QTRY_VERIFY2(action("run_resume")->toolTip().contains(QStringLiteral("digits has come to its end.")),
                 qPrintable(action("run_resume")->toolTip()));
    QVERIFY(m_page->findChild<shell::MessageStrip*>() == nullptr);
  }

  void a_preset_is_asked_for_the_file_that_is_open() {
    m_page->controls()->presets()->setPresets({QStringLiteral("BF16"), QStringLiteral("FP16, Megatron scaler")}, {});
    QVERIFY(!m_page->controls()->presets()->isVisible());
    const QString file = writeExperiment();
    m_window->open(file);
    QVERIFY(m_page->controls()->presets()->isVisible());
    QSignalSpy asked(m_page, &run::RunPage::presetRequested);
    for (QPushButton* const add : m_page->controls()->presets()->findChildren<QPushButton*>()) {
      if (add->accessibleName() == QStringLiteral("Add FP16, Megatron scaler")) add->click();
    }
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), file);
    QCOMPARE(asked[0][1].toInt(), 1);
  }

  void an_opened_experiment_is_looked_at_before_it_runs() {
    m_window->open(writeExperiment());
    QTRY_VERIFY(textsIn(m_page->controls()->preflight()).contains(QStringLiteral("1 h 00 min")));
    QTRY_VERIFY(textsIn(m_page->controls()->preflight()).contains(QStringLiteral("hash 0123abcd")));
  }

  void a_run_that_begins_ends_the_wait_for_its_pre_flight() {
    m_lookAheadWaits = true;
    m_window->open(writeExperiment());
    QVERIFY(m_page->controls()->preflight()->isVisible());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    QVERIFY(!m_page->controls()->preflight()->isVisible());
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_pre_flight_in_a_long_call_names_its_arm_and_can_be_cancelled() {
    m_door.close();
    m_window->open(writeExperiment());
    run::PreflightPanel* const panel = m_page->controls()->preflight();
    const auto says = [panel](const char* words) {
      return textsIn(panel).join(u' ').contains(QString::fromUtf8(words));
    };
    QTRY_VERIFY(says("Making its first steps for nothing: arm fp16, 1 s"));
    auto* const cancel = panel->findChild<QPushButton*>();
    QVERIFY(cancel->isVisible());
    cancel->click();
    QVERIFY(says("Cancelled"));
    QVERIFY(!cancel->isVisible());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(says("The run starts when the trial step of arm fp16 ends"));
    QVERIFY(action("run_stop")->isEnabled());
    action("run_stop")->trigger();
    QVERIFY(m_page->controller()->waiting().empty());
    QVERIFY(says("Cancelled"));
    m_door.open();
  }

  void the_space_of_a_run_counts_the_log_beside_its_archive() {
    session::Preflight found;
    found.archive_bytes = 1'000'000;
    const spec::Experiment experiment;
    found.at_least = true;
    found.training_seconds = 7200;
    QCOMPARE(run::preflightLines(found, experiment, {})[1].value, QStringLiteral("more than 2 h 00 min"));
    const auto space = [&](qint64 freeBytes) { return run::preflightLines(found, experiment, freeBytes)[3]; };
    QCOMPARE(space(30'000'000).value, QStringLiteral("21 MB"));  // and 20 MB of the log
    QCOMPARE(space(30'000'000).state, run::PreflightLine::State::Good);
    QCOMPARE(space(20'500'000).state, run::PreflightLine::State::Bad);
  }

  void a_long_run_without_checkpoints_is_warned_of_what_a_kill_loses() {
    session::Preflight found;
    spec::Experiment experiment;
    const auto warning = [&] {
      for (const run::PreflightLine& line : run::preflightLines(found, experiment, {})) {
        if (line.what == QLatin1String("No checkpoint before the end")) return line.value;
      }
      return QString();
    };
    found.steps = 5000;
    found.training_seconds = 120;
    QCOMPARE(warning(), QString());
    found.training_seconds = 121;
    QCOMPARE(warning(), QStringLiteral("a kill loses all 5,000 steps"));
    experiment.training.checkpoint.every = 500;
    QCOMPARE(warning(), QString());
    experiment.training.checkpoint.every.reset();
    found.training_seconds = 3;
    found.steps = 5001;
    QCOMPARE(warning(), QStringLiteral("a kill loses all 5,001 steps"));
  }

 private:
  /// One step, and a second one that does not end.
  record::RunSummary hang(const worker::Job& job, session::Observer& observer) const {
    record::RunSummary summary;
    summary.reference.id = summary.reference.experiment_id = 1;
    summary.reference.start.kind = record::TrialKind::Reference;
    observer.on_arms({summary.reference});
    observer.on_phase("training");
    record::StepRecord step;
    step.trial = step.step = step.iteration = step.applied_updates = 1;
    test::feed_of(job).publish(&step, 1);
    while (m_hangs) QTest::qSleep(1);
    summary.reference.end.status = record::Status::Stopped;
    return summary;
  }

  static void press(const QWidget* in, const QString& text) {
    for (QToolButton* const button : in->findChildren<QToolButton*>()) {
      if (button->text() == text) button->click();
    }
  }

  QString path(const char* name) const { return m_fixture->path(name); }
  QAction* action(const char* name) const { return m_fixture->action(name); }
  QString writeExperiment(const char* name = "digits.toml") const { return test::writeExperiment(path(name)); }

  std::unique_ptr<test::WindowFixture> m_fixture;
  shell::MainWindow* m_window = nullptr;  ///< of the fixture
  run::RunPage* m_page = nullptr;
  std::atomic<std::int64_t> m_resumed = 0;
  std::atomic<int> m_runs = 0;
  std::set<int> m_failing;  ///< set before anything runs
  std::atomic<std::int64_t> m_checkpointEvery = 1;
  std::atomic<bool> m_lookAheadWaits = false;
  std::atomic<bool> m_isFull = false;
  ErrorKind m_fullKind = ErrorKind::DiskFull;  ///< set before anything runs
  std::atomic<bool> m_hangs = false;
  std::atomic<bool> m_limited = false;     ///< full by the limit of a file's size, not of the disk
  std::atomic<std::int64_t> m_ownArm = 1;  ///< of the next run
  std::atomic<int> m_looks = 0;
  Gate m_door;  ///< of every look ahead; open unless a test closes it
};

QTEST_MAIN(RunJobsTests)
#include "run_jobs_tests.moc"
