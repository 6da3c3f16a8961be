// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <algorithm>
#include <csignal>

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
