// SPDX-License-Identifier: GPL-3.0-or-later
// The window's process is killed or asked to end while an experiment runs in it. It is this program once more, with a
// stub that makes steps in place of LibTorch, the writer of real runs behind it, and a step's number on its standard
// output when the archive was given it.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "app/workbench/close_signals.h"
#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/run/run_page.h"
#include "ui/shell/action_list.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using namespace mantissa::ui;

namespace {

constexpr qint64 kMayBeLost = 1000;  // ms

std::int64_t lastStep = 0;  // which never ends; 0: all of them do

record::RunSummary endlessRun(const worker::Job& job, session::Observer& observer, session::RunControl& control) {
  const auto& options = std::get<worker::Job::Run>(job.work).options;
  archive::WriterOptions writerOptions;
  writerOptions.feed = options.feed;
  archive::Writer writer(options.archive, writerOptions);
  record::ExperimentStart experiment;
  experiment.name = "endless";
  record::RunSummary summary;
  record::TrialRow& arm = summary.reference;
  arm.start.kind = record::TrialKind::Reference;
  arm.start.name = "reference";
  arm.start.experiment = arm.experiment_id = writer.begin_experiment(experiment);
  arm.id = writer.begin_trial(arm.start);
  observer.on_arms({arm});
  test::StubControlPoint point(observer, control);
  session::Progress progress;
  while (point.before_step(progress)) {
    record::StepRecord step;
    step.trial = arm.id;
    step.step = step.iteration = step.applied_updates = ++progress.step;
    step.loss = 1.0 / static_cast<double>(progress.step);
    writer.append(step);
    std::printf("%lld\n", static_cast<long long>(progress.step));
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // A model that loops for ever in forward.
    while (lastStep > 0 && progress.step >= lastStep) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  arm.end.status = record::Status::Stopped;
  writer.finish_trial(arm.id, arm.end);
  return summary;
}

/// The child: a window in which an experiment runs until it is killed.
int runWindow(int argc, char** argv) {
  QApplication application(argc, argv);
  const QString folder = QCoreApplication::arguments().at(2);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
  shell::Settings settings(folder + QStringLiteral("/workbench.ini"));
  shell::LogModel log;
  lastStep = QCoreApplication::arguments().value(3).toLongLong();
  auto* const page = new run::RunPage(test::stub(endlessRun));
  page->controller()->setPatience(std::chrono::seconds(1));  // by then all is committed
  QObject::connect(page->controller(), &worker::TrainingController::heldUp, [] {
    std::printf("held up\n");
    std::fflush(stdout);
  });
  shell::MainWindow window(settings, &log, {page});
  QFile file(folder + QStringLiteral("/endless.toml"));
  if (!file.open(QIODevice::WriteOnly)) return 1;
  file.write(
      "mantissa = 1\nname = \"endless\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = "
      "1000000\n[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n");
  file.close();
  window.open(file.fileName());
  window.actions()->find(QStringLiteral("run"))->trigger();
  return workbench::runUntilClosed(window, settings);
}

/// The program once more, in a folder of its own.
class Window {
 public:
  explicit Window(qint64 stuckAt = 0) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--child"), m_folder.path(), QString::number(stuckAt)});
  }

  /// Waits for a line.
  bool says(const QByteArray& line) {
    do {
      while (process.canReadLine()) {
        if (process.readLine().trimmed() == line) return true;
      }
    } while (process.waitForReadyRead(30'000));
    return false;
  }

  void signal(int which) const { ::kill(static_cast<pid_t>(process.processId()), which); }
  std::string archive() const { return (m_folder.path() + QStringLiteral("/mantissa/mantissa.db")).toStdString(); }
  record::TrialRow arm() const { return archive::Reader(archive()).trial(1); }
  qint64 steps() const {
    qint64 count = 0;
    archive::Reader(archive()).steps(1, [&count](const record::StepRecord&) { return ++count > 0; });
    return count;
  }

  QProcess process;

 private:
  QTemporaryDir m_folder;
};

}  // namespace

class KilledWindowTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_signal_stops_the_run_and_closes_the_window_data() {
    QTest::addColumn<int>("signal");
    QTest::addRow("SIGTERM") << SIGTERM;
    QTest::addRow("SIGINT") << SIGINT;
    QTest::addRow("SIGHUP") << SIGHUP;
  }
  void a_signal_stops_the_run_and_closes_the_window() {
    QFETCH(int, signal);
    Window window;
    QVERIFY(window.says("50"));
    window.signal(signal);
    QVERIFY(window.process.waitForFinished(30'000));
    QCOMPARE(window.process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(window.process.exitCode(), 0);
    QCOMPARE(window.arm().end.status, record::Status::Stopped);
  }

  void a_second_signal_ends_a_window_at_once() {
    Window window(50);
    QVERIFY(window.says("50"));
    window.signal(SIGTERM);
    QVERIFY(window.says("held up"));
    window.signal(SIGTERM);
    QVERIFY(window.process.waitForFinished(30'000));
    QCOMPARE(window.process.exitCode(), 130);
  }

  void a_window_whose_step_never_ends_closes_when_it_is_asked_again() {
    Window window(50);
    QVERIFY(window.says("50"));
    window.signal(SIGHUP);
    QVERIFY(window.says("held up"));
    window.signal(SIGHUP);
    QVERIFY(window.process.waitForFinished(30'000));
    QCOMPARE(window.process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(window.process.exitCode(), 0);
    QCOMPARE(window.arm().end.status, record::Status::Interrupted);
    QCOMPARE(window.steps(), qint64{50});
  }

  void killed_at_a_random_moment_it_loses_less_than_a_second_data() {
    QTest::addColumn<int>("milliseconds");
    for (int i = 0; i < 5; ++i) QTest::addRow("kill %d", i + 1) << QRandomGenerator::global()->bounded(1100, 3600);
  }
  void killed_at_a_random_moment_it_loses_less_than_a_second() {
    QFETCH(int, milliseconds);
    Window child;
    QProcess& window = child.process;
    QVERIFY(window.waitForReadyRead(60'000));

    QElapsedTimer clock;
    clock.start();
    std::vector<std::pair<qint64, qint64>> told;  // when, and which step was on its way by then
    while (clock.elapsed() < milliseconds) {
      window.waitForReadyRead(5);
      qint64 last = 0;
      while (window.canReadLine()) last = window.readLine().trimmed().toLongLong();
      if (last > 0) told.emplace_back(clock.elapsed(), last);
    }
    window.kill();  // SIGKILL
    const qint64 killed = clock.elapsed();
    QVERIFY(window.waitForFinished());
    QCOMPARE(window.exitStatus(), QProcess::CrashExit);

    qint64 due = 0;  // what must be there
    for (const auto& [when, step] : told) {
      if (when <= killed - kMayBeLost) due = step;
    }
    const archive::Reader reader(child.archive());
    const record::TrialRow arm = reader.trial(1);
    QCOMPARE(arm.end.status, record::Status::Interrupted);
    qint64 steps = 0;
    reader.steps(1, [&steps](const record::StepRecord& step) { return step.step == ++steps; });
    QVERIFY2(steps >= due, qPrintable(QStringLiteral("killed after %1 ms: the archive has %2 steps, %3 were due")
                                          .arg(milliseconds)
                                          .arg(steps)
                                          .arg(due)));
    QCOMPARE(arm.end.counts.attempted, steps);
  }
};

int main(int argc, char** argv) {
  if (argc == 4 && qstrcmp(argv[1], "--child") == 0) return runWindow(argc, argv);
  const QCoreApplication application(argc, argv);
  KilledWindowTests tests;
  return QTest::qExec(&tests, argc, argv);
}

#include "killed_window_tests.moc"
