// SPDX-License-Identifier: GPL-3.0-or-later
// Windows beside another process that writes into their archive: the command line itself.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <memory>

#include "app/workbench/pages.h"
#include "tests/ui/shell/example_archive.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/models/trial_tree_model.h"
#include "ui/run/run_page.h"
#include "ui/shell/archive_dock.h"

using namespace mantissa;
using namespace mantissa::ui;

namespace {

constexpr int kPatience = 60'000;         // ms: the machine may be busy with other tests
constexpr int kUntilStopped = 1'000'000;  // steps: no machine ends them before the test has seen them run

/// One window and what it shows.
class Window {
 public:
  Window() : m_fixture(workbench::makePages()) {}

  test::WindowFixture* operator->() { return &m_fixture; }
  shell::MainWindow& window() { return m_fixture.window(); }
  run::RunPage& page() { return *qobject_cast<run::RunPage*>(window().page(QStringLiteral("run"))); }

  /// "reference running, fp16 finished": the arms of an experiment as the tree has them; the newest is row 0.
  QString tree(int row) {
    const QAbstractItemModel& model = *window().archiveDock()->findChild<QTreeView*>()->model();
    const QModelIndex experiment = model.index(row, models::TrialTreeModel::NameColumn);
    QStringList arms;
    for (int i = 0; i < model.rowCount(experiment); ++i) {
      const QModelIndex arm = model.index(i, models::TrialTreeModel::NameColumn, experiment);
      arms << arm.data().toString() + QLatin1Char(' ') +
                  arm.siblingAtColumn(models::TrialTreeModel::StateColumn).data().toString();
    }
    return arms.join(QStringLiteral(", "));
  }

  std::int64_t shownExperiment() { return page().shownData().experiment(); }
  qint64 shownSteps() { return page().shownData().steps(); }

 private:
  test::WindowFixture m_fixture;
};

/// `mantissa-cli run` in the background.
class CommandLine {
 public:
  CommandLine(const QString& file, const QString& archive) {
    m_process.start(QStringLiteral(MANTISSA_BINARY_DIR "/mantissa-cli"),
                    {QStringLiteral("run"), file, QStringLiteral("--archive"), archive, QStringLiteral("--gains"),
                     QStringLiteral("off")});
  }
  ~CommandLine() {
    m_process.kill();
    m_process.waitForFinished();
  }

  bool hasEnded() { return m_process.state() == QProcess::NotRunning; }
  void kill() { m_process.kill(); }
  void stop() { m_process.terminate(); }

 private:
  QProcess m_process;
};

}  // namespace

class FollowingWindowTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }

  void with_an_experiment_open_a_run_of_the_command_line_appears_moves_and_ends_by_itself() {
    Window window;
    const QString archive = open(window);
    window.window().open(experiment(window, 5));
    QVERIFY(window.page().shownData().arms().empty());
    CommandLine other(experiment(window, kUntilStopped), archive);
    QTRY_COMPARE_WITH_TIMEOUT(window.tree(0), QStringLiteral("reference running, bf16 running"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window.shownSteps() > 0, kPatience);
    const auto says = [&window](const QString& words) {
      const auto labels = window.page().findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(),
                         [&](const QLabel* one) { return one->text().startsWith(words); });
    };
    QVERIFY(says(QStringLiteral("Live from another process, for reading. Run starts ")));
    QCOMPARE(window.shownExperiment(), std::int64_t{2});
    QCOMPARE(window.window().archiveDock()->selectedTrial(), std::int64_t{5});  // three were there; its first trial
    other.stop();
    QTRY_VERIFY_WITH_TIMEOUT(other.hasEnded(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window.tree(0).contains(QStringLiteral("running")), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("From the archive, for reading. Run starts ")), kPatience);
  }

  void after_a_run_of_its_own_a_window_follows_one_of_the_command_line() {
    Window window;
    const QString archive = open(window);
    window.window().open(experiment(window, 5));
    window->action("run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(window.shownExperiment(), std::int64_t{2}, kPatience);
    QTRY_COMPARE(window.window().archiveDock()->selectedTrial(), std::int64_t{5});
    QTRY_VERIFY_WITH_TIMEOUT(!window.page().isBusy(), kPatience);
    const CommandLine other(experiment(window, kUntilStopped), archive);
    QTRY_COMPARE_WITH_TIMEOUT(window.shownExperiment(), std::int64_t{3}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window.shownSteps() > 5, kPatience);
  }

  void a_person_who_looks_at_an_older_run_stays_there_and_the_tree_tells_of_the_new_one() {
    Window window;
    test::makeExampleArchive(path(window));
    const QString archive = open(window);
    window.window().archiveDock()->selectTrial(2);  // of the first of two experiments
    QTRY_COMPARE_WITH_TIMEOUT(window.shownExperiment(), std::int64_t{1}, kPatience);
    CommandLine other(experiment(window, kUntilStopped), archive);
    QTRY_COMPARE_WITH_TIMEOUT(window.tree(0), QStringLiteral("reference running, bf16 running"), kPatience);
    QTest::qWait(500);
    QCOMPARE(window.shownExperiment(), std::int64_t{1});
    QCOMPARE(window.window().archiveDock()->selectedTrial(), std::int64_t{2});
    other.kill();
    QTRY_COMPARE_WITH_TIMEOUT(window.tree(0), QStringLiteral("reference interrupted, bf16 interrupted"), kPatience);
  }

  void of_two_windows_on_one_archive_each_sees_what_the_other_runs() {
    Window first;
    const QString archive = open(first);
    Window second;
    openArchive(second, archive);
    second.window().open(experiment(second, 5));
    first.window().open(experiment(first, 5));
    first->action("run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(second.shownExperiment(), std::int64_t{2}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(second.tree(0).contains(QStringLiteral("finished")), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!first.page().isBusy(), kPatience);
    second->action("run")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(first.shownExperiment(), std::int64_t{3}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(first.tree(0).contains(QStringLiteral("finished")), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!second.page().isBusy(), kPatience);
  }

 private:
  static QString path(Window& window) { return window->path("a.db"); }

  /// An archive with one more experiment of three arms, open.
  static QString open(Window& window) {
    const QString archive = path(window);
    test::makeExampleArchive(archive);
    openArchive(window, archive);
    return archive;
  }

  static void openArchive(Window& window, const QString& archive) {
    window.window().openArchive(archive);
    QTRY_COMPARE(window.window().archive(), archive);
  }

  static QString experiment(Window& window, int steps) {
    QFile file(window->path(steps < 100 ? "short.toml" : "long.toml"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("the experiment cannot be written");
    file.write(QStringLiteral("mantissa = 1\nname = \"two lines\"\n[data]\nsource = \"digits\"\n[model]\nkind = "
                              "\"mlp\"\nhidden = [8]\n[training]\nthreads = 1\nsteps = %1\nbatch = 16\n[[trial]]\nname "
                              "= \"bf16\"\nautocast = \"bfloat16\"\n")
                   .arg(steps)
                   .toUtf8());
    return file.fileName();
  }
};

QTEST_MAIN(FollowingWindowTests)
#include "following_window_tests.moc"
