// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <algorithm>
#include <csignal>

#include <QFile>
#include <QTest>

#include "cli_sandbox.h"

/// Runs that end before their time, and several at once: the archive keeps what was committed and says what happened.
class CliInterruptionTests : public QObject {
  Q_OBJECT

  static QByteArray long_experiment() {
    return "mantissa = 1\nname = \"long\"\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = "
           "\"linear\"\n[training]\nthreads = 1\nsteps = 100000000\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = "
           "\"bfloat16\"\n";
  }

  /// How many arms and steps the archive holds, through a connection of its own; -1 while there is none.
  static std::int64_t count(const CliSandbox& box, const char* query) {
    sqlite3* connection = nullptr;
    sqlite3_stmt* statement = nullptr;
    std::int64_t result = -1;
    if (sqlite3_open_v2(box.archive().toUtf8().constData(), &connection, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
      sqlite3_busy_timeout(connection, 1000);
      if (sqlite3_prepare_v2(connection, query, -1, &statement, nullptr) == SQLITE_OK &&
          sqlite3_step(statement) == SQLITE_ROW) {
        result = sqlite3_column_int64(statement, 0);
      }
      sqlite3_finalize(statement);
    }
    sqlite3_close(connection);
    return result;
  }

  static void execute(const CliSandbox& box, const char* sql) {
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(box.archive().toUtf8().constData(), &connection), SQLITE_OK);
    sqlite3_busy_timeout(connection, 10000);
    const int result = sqlite3_exec(connection, sql, nullptr, nullptr, nullptr);
    sqlite3_close(connection);
    QCOMPARE(result, SQLITE_OK);
  }

  static std::int64_t steps(const CliSandbox& box) { return count(box, "SELECT count(*) FROM steps"); }

  /// Starts a run and waits until steps of it stand in the archive.
  static void start_and_wait_for_steps(const CliSandbox& box, QProcess& process) {
    const std::int64_t before = std::max<std::int64_t>(steps(box), 0);
    box.start(process, {"run", "long.toml", "--archive", box.archive()});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(steps(box) > before, 60000);
  }

  static void send(const QProcess& process, int signal) { kill(static_cast<pid_t>(process.processId()), signal); }

 private Q_SLOTS:
  void a_first_interrupt_stops_the_run_cleanly() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      CliSandbox box;
      box.write("long.toml", long_experiment());
      QProcess process;
      start_and_wait_for_steps(box, process);
      send(process, signal);
      QVERIFY(process.waitForFinished(60000));
      QCOMPARE(process.exitStatus(), QProcess::NormalExit);
      QCOMPARE(process.exitCode(), 130);
      const nlohmann::json trials = box.run({"list", "--json"}).json()["trials"];
      QCOMPARE(trials.size(), std::size_t(2));
      for (const nlohmann::json& trial : trials) QCOMPARE(trial["status"].get<std::string>(), std::string("stopped"));
      QCOMPARE(trials[1]["verdict"].get<std::string>(), std::string("undecided"));
      // Every attempted step stands in the archive.
      QCOMPARE(trials[1]["attempted"].get<std::int64_t>(),
               count(box, "SELECT count(*) FROM steps WHERE trial = (SELECT max(trial) FROM steps)"));
    }
  }

  void a_second_interrupt_ends_at_once_and_leaves_a_sound_archive() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    QProcess process;
    start_and_wait_for_steps(box, process);
    // A stopped process handles both only when it goes on, so that the first cannot finish in between.
    send(process, SIGSTOP);
    send(process, SIGINT);
    send(process, SIGTERM);
    send(process, SIGCONT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QCOMPARE(box.run({"list", "--json"}).json()["trials"][0]["status"].get<std::string>(), std::string("interrupted"));
  }

  void a_terminal_that_closes_leaves_a_checkpoint_to_go_on_from() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    QProcess process;
    start_and_wait_for_steps(box, process);
    // Nobody reads any more, and both the shell and the kernel tell the program.
    process.closeReadChannel(QProcess::StandardOutput);
    process.closeReadChannel(QProcess::StandardError);
    send(process, SIGSTOP);
    send(process, SIGHUP);
    send(process, SIGCONT);
    send(process, SIGHUP);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    const nlohmann::json shown = box.run({"show", "bf16", "--json"}).json();
    QCOMPARE(shown["trial"]["status"].get<std::string>(), std::string("stopped"));
    QCOMPARE(shown["checkpoints"].back()["step"].get<std::int64_t>(), shown["trial"]["attempted"].get<std::int64_t>());
  }

  void a_run_under_nohup_outlives_its_terminal() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    box.set_up_children([] { std::signal(SIGHUP, SIG_IGN); });
    QProcess process;
    start_and_wait_for_steps(box, process);
    send(process, SIGHUP);
    const std::int64_t before = steps(box);
    QTRY_VERIFY_WITH_TIMEOUT(steps(box) > before + 1, 60000);
    QCOMPARE(process.state(), QProcess::Running);
    send(process, SIGTERM);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 130);
  }

  void a_killed_run_shows_as_interrupted_and_keeps_its_steps() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    constexpr int kTimes = 12;
    for (int time = 0; time < kTimes; ++time) {
      QProcess process;
      start_and_wait_for_steps(box, process);
      if (time > 0) QTest::qWait(37 * time);  // another place in the cycle of commits each time
      const std::int64_t committed = steps(box);
      send(process, SIGKILL);
      QVERIFY(process.waitForFinished());
      QVERIFY(steps(box) >= committed);
      const Outcome list = box.run({"list", "--json"});
      QCOMPARE(list.exit, 0);
      const nlohmann::json trials = list.json()["trials"];
      QCOMPARE(trials.size(), static_cast<std::size_t>(2 * (time + 1)));
      for (const nlohmann::json& trial : trials) {
        QCOMPARE(trial["status"].get<std::string>(), std::string("interrupted"));
      }
    }
    // Numbers of steps are without a gap: what was kept is a beginning, not a selection.
    QCOMPARE(count(box, "SELECT count(*) FROM (SELECT trial FROM steps GROUP BY trial HAVING count(*) <> max(step))"),
             0);
    QCOMPARE(count(box, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
  }

  void a_run_whose_archive_is_deleted_ends_and_says_so() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    QProcess process;
    start_and_wait_for_steps(box, process);
    QVERIFY(QFile::remove(box.archive()));
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 4);
    const QByteArray said = process.readAllStandardError();
    QVERIFY2(said.contains("the archive's file was deleted while a run was writing it"), said);
    QVERIFY2(said.contains("run the experiment again"), said);
  }

  void an_interrupt_after_the_archive_was_deleted_says_so_too() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    QProcess process;
    start_and_wait_for_steps(box, process);
    send(process, SIGSTOP);
    QVERIFY(QFile::remove(box.archive()));
    send(process, SIGINT);
    send(process, SIGCONT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 4);
    QVERIFY(process.readAllStandardError().contains("the archive's file was deleted"));
  }

  void a_run_that_was_taken_for_dead_and_gone_on_with_ends_without_another_row() {
    CliSandbox box;
    QByteArray experiment = long_experiment();
    experiment.replace("batch = 8", "batch = 8\ncheckpoint = { every = 10 }");
    box.write("long.toml", experiment);
    QProcess process;
    start_and_wait_for_steps(box, process);
    QTRY_VERIFY_WITH_TIMEOUT(count(box, "SELECT count(*) FROM checkpoints") > 1, 60000);
    send(process, SIGSTOP);
    // Where the process cannot be seen (another container), its heartbeat of long ago says that it is dead.
    execute(box, "UPDATE trials SET host = 'another', heartbeat_at = '2020-01-01T00:00:00.000Z'");
    const auto last = count(box, "SELECT max(step) FROM checkpoints");
    const Outcome resumed = box.run({"resume", "last", "--stop-after", QString::number(last + 5)});
    QVERIFY2(resumed.exit == 0, resumed.err);
    QCOMPARE(count(box, "SELECT max(step) FROM steps"), last + 5);
    send(process, SIGCONT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 4);
    const QByteArray said = process.readAllStandardError();
    QVERIFY2(said.contains("another process has gone on with this run"), said);
    QCOMPARE(count(box, "SELECT max(step) FROM steps"), last + 5);
    for (const nlohmann::json& trial : box.run({"list", "--json"}).json()["trials"]) {
      QCOMPARE(trial["status"].get<std::string>(), std::string("stopped"));
      QCOMPARE(trial["attempted"].get<std::int64_t>(), last + 5);
    }
  }

  void two_processes_write_one_archive() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    const QStringList run = {"run", "long.toml", "--set", "training.steps=3000", "--archive", box.archive()};
    QProcess first;
    QProcess second;
    box.start(first, run);
    box.start(second, run);
    for (QProcess* const process : {&first, &second}) {
      QVERIFY(process->waitForFinished(120000));
      QVERIFY2(process->exitCode() == 2, process->readAllStandardError());  // no rules: undecided
    }
    const nlohmann::json trials = box.run({"list", "--json"}).json()["trials"];
    QCOMPARE(trials.size(), std::size_t(4));
    for (const nlohmann::json& trial : trials) {
      QCOMPARE(trial["status"].get<std::string>(), std::string("finished"));
      QCOMPARE(trial["attempted"].get<int>(), 3000);
    }
    QCOMPARE(count(box, "SELECT count(*) FROM steps"), std::int64_t{12000});
    QCOMPARE(count(box, "SELECT count(*) FROM (SELECT trial FROM steps GROUP BY trial HAVING count(*) <> 3000)"), 0);
  }

  void a_running_trial_is_seen_by_another_process() {
    CliSandbox box;
    box.write("long.toml", long_experiment());
    QProcess process;
    start_and_wait_for_steps(box, process);
    const nlohmann::json trials = box.run({"list", "--json"}).json()["trials"];
    QCOMPARE(trials[1]["status"].get<std::string>(), std::string("running"));
    send(process, SIGINT);
    QVERIFY(process.waitForFinished(60000));
  }
};

QTEST_APPLESS_MAIN(CliInterruptionTests)
#include "cli_interruption_tests.moc"
