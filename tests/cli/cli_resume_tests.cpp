// SPDX-License-Identifier: Apache-2.0
// `run --stop-after`, `resume`, checkpoints in `show` and `export`, and runs that are killed.
#include <csignal>

#include <QDir>
#include <QRandomGenerator>
#include <QTest>

#include "cli_sandbox.h"

class CliResumeTests : public QObject {
  Q_OBJECT

  static QByteArray experiment(int steps) {
    return "mantissa = 1\nname = \"walk\"\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = "
           "\"mlp\"\nhidden = [6]\ndropout = 0.2\n[training]\nthreads = 1\nbatch = 8\nsteps = " +
           QByteArray::number(steps) +
           "\nevaluate_every = 1000\ncheckpoint = { every = 100, keep = 2 }\n[[trial]]\nname = \"bf16\"\nautocast = "
           "\"bfloat16\"\n";
  }

  /// Every column of every step but times.
  static std::vector<QHash<QString, QString>> steps(const CliSandbox& box, const QString& trial) {
    auto rows = box.table({"export", "steps", trial});
    for (auto& row : rows) {
      row.remove("wall_seconds");
      row.remove("step_seconds");
    }
    return rows;
  }

  static QByteArray text_of(const nlohmann::json& value) { return QByteArray::fromStdString(value.dump(1)); }

 private Q_SLOTS:
  void a_planned_stop_exits_with_0_and_can_be_resumed() {
    CliSandbox box;
    box.write("walk.toml", experiment(300));
    const Outcome stopped = box.run({"run", "walk.toml", "--stop-after", "130", "--json"});
    QCOMPARE(stopped.exit, 0);
    const nlohmann::json trial = stopped.json()["trials"][0];
    QCOMPARE(trial["status"].get<std::string>(), std::string("stopped"));
    QCOMPARE(trial["verdict"].get<std::string>(), std::string("undecided"));
    QCOMPARE(trial["attempted"].get<int>(), 130);
    const Outcome resumed = box.run({"resume", "last", "--json"});
    QCOMPARE(resumed.exit, 2);  // no rules: undecided
    QCOMPARE(resumed.json()["trials"][0]["id"].get<int>(), trial["id"].get<int>());
    QCOMPARE(resumed.json()["trials"][0]["attempted"].get<int>(), 300);
    QCOMPARE(steps(box, "bf16").size(), std::size_t(300));
    const nlohmann::json shown = box.run({"show", "bf16", "--json"}).json();
    QCOMPARE(shown["trial"]["status"].get<std::string>(), std::string("finished"));
    QCOMPARE(shown["resumptions"].size(), std::size_t(1));
    QCOMPARE(shown["resumptions"][0]["step"].get<int>(), 130);
    QVERIFY2(shown["checkpoints"].back()["step"] == 300, text_of(shown["checkpoints"]));
    QVERIFY(shown["checkpoints"].size() <= 3);
    QVERIFY(box.run({"show", "bf16"}).out.contains("Checkpoints"));
  }

  void the_verdict_of_a_run_that_goes_on_stays_beside_the_one_it_comes_to() {
    CliSandbox box;
    // A hundredth of the steps are not enough for 90 % of these cases.
    box.write("os.toml",
              "mantissa = 1\nname = \"os\"\n[data]\nsource = \"breast_cancer\"\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
              "[training]\nthreads = 1\nsteps = 1\nbatch = 32\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n"
              "[rules]\nquality = { min = 0.9 }\n");
    QCOMPARE(box.run({"run", "os.toml"}).exit, 1);
    QCOMPARE(box.run({"resume", "bf16", "--set", "training.steps=100"}).exit, 0);
    const nlohmann::json shown = box.run({"show", "bf16", "--json"}).json();
    QCOMPARE(shown["trial"]["verdict"].get<std::string>(), std::string("accepted"));
    const nlohmann::json earlier = shown["judgements"];
    QCOMPARE(earlier.size(), std::size_t(1));
    QCOMPARE(earlier[0]["verdict"].get<std::string>(), std::string("rejected"));
    QCOMPARE(earlier[0]["post_hoc"].get<bool>(), false);
    QVERIFY2(earlier[0]["reasons"][0] == "the verdict of the run after 1 steps, before it went on", text_of(earlier));
    QVERIFY(box.run({"show", "bf16"}).out.contains("rejected"));
  }

  void a_planned_stop_after_which_nothing_can_go_on_says_so() {
    CliSandbox box;
    box.write("nan.toml",
              "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 2\n[model]\nkind = \"mlp\"\n"
              "[training]\nthreads = 1\nsteps = 9\nbatch = 8\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e30\n");
    // Its first step makes weights of 1e30, with which the second one has no finite gradient.
    const Outcome stopped = box.run({"run", "nan.toml", "--stop-after", "2"});
    QCOMPARE(stopped.exit, 1);
    QVERIFY2(stopped.err.contains("stopped as planned; it cannot go on, because its reference failed"), stopped.err);
    QVERIFY2(!stopped.err.contains("mantissa-cli resume"), stopped.err);
    const Outcome whole = box.run({"run", "nan.toml", "--stop-after", "1"});
    QCOMPARE(whole.exit, 0);
    QVERIFY2(whole.err.contains("stopped as planned; mantissa-cli resume 2 goes on"), whole.err);
  }

  void a_run_that_is_killed_again_and_again_ends_as_if_nothing_had_happened() {
    constexpr int kSteps = 3000;
    CliSandbox whole;
    whole.write("walk.toml", experiment(kSteps));
    QCOMPARE(whole.run({"run", "walk.toml"}).exit, 2);
    CliSandbox box;
    box.write("walk.toml", experiment(kSteps));
    QStringList arguments = {"run", "walk.toml", "--archive", box.archive()};
    for (int time = 0; time < 3; ++time) {
      QProcess process;
      box.start(process, arguments);
      QVERIFY(process.waitForStarted());
      // Until there is a checkpoint to go on from; then at a random moment.
      QTRY_VERIFY_WITH_TIMEOUT(
          box.run({"show", "bf16", "--json"}).json().value("checkpoints", nlohmann::json::array()).size() > 0, 60000);
      QTest::qWait(QRandomGenerator::global()->bounded(150));
      process.kill();  // SIGKILL, unless it has come to its end
      QTRY_COMPARE(process.state(), QProcess::NotRunning);
      arguments = {"resume", "bf16", "--archive", box.archive()};
    }
    const Outcome last = box.run({"resume", "bf16"});
    QVERIFY2(last.exit == 2 || last.err.contains("nothing is left to train"), last.err);
    for (const char* const arm : {"reference", "bf16"}) {
      QVERIFY(steps(box, arm) == steps(whole, arm));
      QVERIFY(box.weights(arm) == whole.weights(arm));
    }
    QCOMPARE(box.run({"list", "--json"}).json()["trials"].size(), std::size_t(2));
  }

  void repeats_go_on_with_the_memory_that_they_would_have_had() {
    const QByteArray repeated = experiment(60) + "[reference]\nrepeats = 2\nrounding_repeats = 1\n";
    CliSandbox whole;
    whole.write("walk.toml", repeated);
    QCOMPARE(whole.run({"run", "walk.toml"}).exit, 2);
    CliSandbox box;
    box.write("walk.toml", repeated);
    QCOMPARE(box.run({"run", "walk.toml", "--stop-after", "33"}).exit, 0);
    QCOMPARE(box.run({"resume", "last"}).exit, 2);
    for (const char* const arm : {"reference", "bf16", "repeat-1", "repeat-2"}) {
      const auto expected = steps(whole, arm);
      const auto found = steps(box, arm);
      QCOMPARE(found.size(), std::size_t(60));
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (const QString& column : expected[i].keys()) {
          QVERIFY2(found[i][column] == expected[i][column],
                   qPrintable(QString("%1, step %2, %3: %4, not %5")
                                  .arg(arm, found[i]["step"], column, found[i][column], expected[i][column])));
        }
      }
    }
  }

  void a_run_goes_on_from_wherever_it_is_asked_to() {
    CliSandbox box;
    QVERIFY(QDir(box.path("")).mkdir("project"));
    box.write("project/line.csv", "x,y\n1,2\n2,4\n3,6\n4,8\n");
    box.write(
        "project/line.toml",
        "mantissa = 1\n[data]\npath = \"line.csv\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind "
        "= \"linear\"\n[training]\nthreads = 1\nsteps = 30\nbatch = 2\n");
    box.stand_in(box.path("project"));
    QCOMPARE(box.run({"run", "line.toml", "--stop-after", "5"}).exit, 0);
    box.stand_in(QDir::rootPath());
    const Outcome elsewhere = box.run({"resume", "last", "--stop-after", "10"});
    QVERIFY2(elsewhere.exit == 0, elsewhere.err);

    // A project that has moved is looked for in the working folder, and that is said.
    QVERIFY(QDir(box.path("")).rename("project", "moved"));
    const Outcome lost = box.run({"resume", "last"});
    QCOMPARE(lost.exit, 3);
    QVERIFY2(lost.err.contains("line.csv") && lost.err.contains(box.path("project").toUtf8()), lost.err);
    box.stand_in(box.path("moved"));
    const Outcome moved = box.run({"resume", "last"});
    QVERIFY2(moved.exit == 0, moved.err);
    QVERIFY2(moved.err.contains("is gone (" + box.path("project").toUtf8()), moved.err);
    QCOMPARE(steps(box, "last").size(), std::size_t(30));
  }

  void a_project_that_left_its_folder_behind_goes_on_where_it_is_now() {
    CliSandbox box;
    for (const char* const folder : {"project", "moved"}) QVERIFY(QDir(box.path("")).mkdir(folder));
    box.write("project/line.csv", "x,y\n1,2\n2,4\n3,6\n4,8\n");
    box.write(
        "project/line.toml",
        "mantissa = 1\n[data]\npath = \"line.csv\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind "
        "= \"linear\"\n[training]\nthreads = 1\nsteps = 30\nbatch = 2\n");
    box.stand_in(box.path("project"));
    QCOMPARE(box.run({"run", "line.toml", "--stop-after", "5"}).exit, 0);
    QVERIFY(QFile::rename(box.path("project/line.csv"), box.path("moved/line.csv")));
    box.stand_in(box.path("moved"));
    const Outcome without_experiment = box.run({"resume", "last"});
    QCOMPARE(without_experiment.exit, 3);
    QVERIFY2(without_experiment.err.contains("the folder that has them and the experiment's file now"),
             without_experiment.err);
    QVERIFY(QFile::rename(box.path("project/line.toml"), box.path("moved/line.toml")));
    const Outcome moved = box.run({"resume", "last"});
    QVERIFY2(moved.exit == 0, moved.err);
    QVERIFY2(moved.err.contains("no longer in the folder in which the run was begun (" + box.path("project").toUtf8()),
             moved.err);
  }

  void an_interrupt_keeps_a_checkpoint() {
    CliSandbox box;
    box.write("walk.toml", experiment(100000000));
    QProcess process;
    box.start(process, {"run", "walk.toml", "--archive", box.archive()});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(
        box.run({"show", "bf16", "--json"}).json().value("checkpoints", nlohmann::json::array()).size() > 0, 60000);
    QCOMPARE(process.state(), QProcess::Running);  // an id of 0 would mean this test's own processes
    kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 130);
    const nlohmann::json shown = box.run({"show", "bf16", "--json"}).json();
    QCOMPARE(shown["checkpoints"].back()["step"].get<int>(), shown["trial"]["attempted"].get<int>());
    const int more = shown["trial"]["attempted"].get<int>() + 10;
    const Outcome resumed = box.run({"resume", "bf16", "--set", "training.steps=" + QString::number(more), "--json"});
    QCOMPARE(resumed.json()["trials"][0]["attempted"].get<int>(), more);
  }

  void checkpoints_and_weights_of_a_step_are_exported() {
    CliSandbox box;
    box.write("walk.toml", experiment(300));
    box.run({"run", "walk.toml"});
    QCOMPARE(box.run({"export", "checkpoint", "bf16", "-o", "state.safetensors"}).exit, 0);
    QFile file(box.path("state.safetensors"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    for (const char* const name :
         {"model.0.weight", "optimizer.0.0.exp_avg", "optimizer.0.0.step", "generator", "tally.attempted"}) {
      QVERIFY2(bytes.contains(name), name);
    }
    QVERIFY(box.weights("bf16", "300") == box.weights("bf16", "final"));
    QVERIFY(box.weights("bf16", "200") != box.weights("bf16", "final"));
    QVERIFY(!box.weights("bf16", "best").empty());
    for (const char* const at : {"150", "7x", ""}) {
      const Outcome outcome = box.run({"export", "checkpoint", "bf16", "--at", at, "-o", "x.safetensors"});
      QCOMPARE(outcome.exit, 3);
    }
    QVERIFY(box.run({"export", "checkpoint", "bf16", "--at", "150", "-o", "x"}).err.contains("200, 300"));
  }

  void wrong_wishes_are_refused_and_leave_the_trial_as_it_was() {
    CliSandbox box;
    box.write("walk.toml", experiment(300));
    box.run({"run", "walk.toml", "--stop-after", "120"});
    const QList<std::pair<QStringList, QByteArray>> lines = {
        {{"resume", "last", "--set", "training.batch=4"}, "training.batch"},
        {{"resume", "last", "--set", "data.seed=9"}, "data.seed"},
        {{"resume", "last", "--set", "training.stepps=9"}, "stepps"},
        {{"resume", "nobody"}, "nobody"},
        {{"resume", "last", "--stop-after", "0"}, "--stop-after"},
        {{"resume", "last", "--set", "training.steps=100"}, "nothing is left to train"},
    };
    for (const auto& [line, named] : lines) {
      const Outcome outcome = box.run(line);
      QCOMPARE(outcome.exit, 3);
      QVERIFY2(outcome.err.contains(named), outcome.err);
    }
    QCOMPARE(box.run({"list", "--json"}).json()["trials"][1]["status"].get<std::string>(), std::string("stopped"));
  }

  void the_shipped_experiment_stops_goes_on_and_switches() {
    CliSandbox box;
    const QString file = QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/resume-and-switch.toml");
    QCOMPARE(box.run({"run", file, "--stop-after", "150"}).exit, 0);
    const Outcome whole = box.run({"resume", "last", "--json"});
    QVERIFY2(whole.exit == 0, whole.err + whole.out);
    const Outcome child = box.run(
        {"resume", "bf16", "--set", "trial[bf16].autocast=\"float16\"", "--set", "training.steps=400", "--json"});
    const nlohmann::json trial = child.json()["trials"][0];
    QVERIFY2(trial["parent"] == whole.json()["trials"][0]["id"], text_of(trial));
    QCOMPARE(trial["parent_step"].get<int>(), 300);
    QVERIFY2(text_of(trial["notes"]).contains("the loss scale starts at 65536"), text_of(trial));
    QCOMPARE(trial["attempted"].get<int>(), 400);
    const auto rows = steps(box, "last");
    QCOMPARE(rows.size(), std::size_t(100));
    QCOMPARE(rows[0]["step"], QStringLiteral("301"));
    QCOMPARE(rows[0]["scale_before"], QStringLiteral("65536"));
  }
};

QTEST_GUILESS_MAIN(CliResumeTests)
#include "cli_resume_tests.moc"
