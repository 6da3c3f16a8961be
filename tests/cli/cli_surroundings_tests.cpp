// SPDX-License-Identifier: Apache-2.0
// What surrounds the program: limits of the system, files that are none, models that talk, names with control
// characters. talking.pt is made by tests/core/session/make_odd.py.
#include <sys/resource.h>
#include <sys/stat.h>

#include <QFile>
#include <QTest>

#include "cli_sandbox.h"

namespace {

void limit(CliSandbox& box, __rlimit_resource resource, rlim_t value) {
  box.set_up_children([resource, value] {
    const rlimit both = {value, value};
    setrlimit(resource, &both);
  });
}

QByteArray linear_experiment(const QByteArray& steps) {
  return "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"linear\"\n"
         "[training]\nthreads = 1\nbatch = 8\nsteps = " +
         steps + "\n";
}

}  // namespace

class CliSurroundingsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void files_that_the_system_does_not_open_are_the_machines_fault() {
    CliSandbox box;
    box.write("linear.toml", linear_experiment("2"));
    int refusals = 0;
    for (rlim_t files = 4; files < 12; ++files) {
      limit(box, RLIMIT_NOFILE, files);
      const Outcome outcome = box.run({"run", "linear.toml"});
      if (outcome.err.contains("while loading shared libraries")) continue;  // it did not come to start
      if (outcome.exit == 0) break;
      ++refusals;
      QVERIFY2(outcome.exit == 4, outcome.err);
      QVERIFY2(outcome.err.contains("Too many open files") && outcome.err.contains("ulimit -n"), outcome.err);
    }
    QVERIFY(refusals > 0);
  }

  void a_limit_of_file_sizes_is_a_full_disk_and_leaves_the_archive_sound() {
    CliSandbox box;
    box.write("linear.toml", linear_experiment("2"));
    QCOMPARE(box.run({"run", "linear.toml"}).exit, 0);
    const QByteArray before = box.run({"export", "steps", "1"}).out;
    box.write("long.toml", linear_experiment("5000"));
    limit(box, RLIMIT_FSIZE, rlim_t{400} << 10U);  // 5,000 steps take more than 1 MB
    const Outcome outcome = box.run({"run", "long.toml"});
    QVERIFY2(outcome.exit == 4, outcome.err);  // SIGXFSZ would have killed it
    QVERIFY2(outcome.err.contains("ulimit -f"), outcome.err);
    QCOMPARE(box.run({"export", "steps", "1"}).out, before);
  }

  void an_export_beyond_the_limit_of_file_sizes_leaves_nothing_behind() {
    CliSandbox box;
    box.write("linear.toml", linear_experiment("300"));
    QCOMPARE(box.run({"run", "linear.toml"}).exit, 0);
    limit(box, RLIMIT_FSIZE, 4096);
    const Outcome outcome = box.run({"export", "steps", "1", "-o", "steps.csv"});
    QVERIFY2(outcome.exit == 4, outcome.err);
    QVERIFY2(outcome.err.contains("ulimit -f"), outcome.err);
    QVERIFY(!QFile::exists(box.path("steps.csv")));
  }

  void what_is_no_file_is_refused_and_never_waited_for() {
    CliSandbox box;
    QCOMPARE(mkfifo(box.path("pipe").toUtf8().constData(), 0600), 0);
    box.write("data.toml", "mantissa = 1\n[data]\npath = \"pipe\"\n[model]\nkind = \"linear\"\n");
    box.write("model.toml",
              "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"torchscript\"\npath = "
              "\"pipe\"\n");
    box.write("weights.toml",
              "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"linear\"\nweights = "
              "\"pipe\"\n");
    for (const QStringList& line :
         {QStringList{"inspect", "pipe"}, QStringList{"check", "pipe"}, QStringList{"scaler", "pipe"},
          QStringList{"check", "data.toml"}, QStringList{"check", "model.toml"}, QStringList{"check", "weights.toml"},
          QStringList{"list", "--archive", "pipe"}, QStringList{"inspect", "/dev/zero"}}) {
      QProcess process;
      box.start(process, line);
      const bool ended = process.waitForFinished(20000);
      const QByteArray said = line.join(' ').toUtf8() + ": " + process.readAllStandardError();
      if (!ended) process.kill();
      QVERIFY2(ended, said);
      QVERIFY2(process.exitCode() == 3, said);
      QVERIFY2(said.contains("pipe, a socket or a device") || said.contains("not a regular file"), said);
    }
  }

  void an_empty_zip_is_no_table() {
    CliSandbox box;
    box.write("empty.csv", QByteArray("PK\x05\x06", 4) + QByteArray(18, '\0'));  // the end of a directory of nothing
    const Outcome outcome = box.run_plain({"inspect", "empty.csv"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("zip archive is empty"), outcome.err);
  }

  void what_a_model_prints_stays_out_of_the_result() {
    CliSandbox box;
    box.write("talking.toml",
              "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 2\n[model]\nkind = "
              "\"torchscript\"\npath = \"" MANTISSA_SOURCE_DIR
              "/tests/core/session/talking.pt\"\n[training]\nthreads = 1\nsteps = 2\nbatch = 8\n");
    const Outcome outcome = box.run({"run", "talking.toml", "--json"});
    QCOMPARE(outcome.exit, 0);
    QCOMPARE(outcome.json()["mantissa"].get<int>(), 1);
    QVERIFY(!outcome.out.contains("batch of"));
    QVERIFY2(outcome.err.contains("model: \\x1b]0;title\\x07batch of [8, 2]\n"), outcome.err);
    QVERIFY(!outcome.err.contains('\x1b'));
    const Outcome quiet = box.run({"run", "talking.toml", "--json", "-q"});
    QCOMPARE(quiet.exit, 0);
    QVERIFY2(quiet.err.isEmpty(), quiet.err);
  }

  void control_characters_of_a_file_never_reach_the_terminal() {
    CliSandbox box;
    const QByteArray name = "\x1b]0;x\x07y";
    box.write("named.csv", name + ",b\n1,2\n3,4\n");
    const Outcome page = box.run_plain({"inspect", "named.csv"});
    QCOMPARE(page.exit, 0);
    QVERIFY2(page.out.contains("\\x1b]0;x\\x07y") && !page.out.contains('\x1b'), page.out);
    const nlohmann::json document = box.run_plain({"inspect", "named.csv", "--json"}).json();
    QCOMPARE(QByteArray::fromStdString(document["columns"][0]["name"].get<std::string>()), name);
    for (const QStringList& line : {QStringList{"inspect", QString::fromUtf8("no\x1b[2J\xc2\x9b")},
                                    QStringList{"show", QString::fromUtf8("no\x1b[2J\xc2\x9b")},
                                    QStringList{QString::fromUtf8("no\x1b[2J\xc2\x9b")}}) {
      const Outcome outcome = box.run_plain(line);
      QCOMPARE(outcome.exit, 3);
      QVERIFY2(!outcome.err.contains('\x1b') && !outcome.err.contains('\x9b'), outcome.err);
    }
    const Outcome bad = box.run_plain({"inspect", QString::fromUtf8("no\x1b[2J\xc2\x9b"), "--json"});
    QVERIFY(!bad.out.contains('\x9b'));
    QCOMPARE(bad.json()["exit"].get<int>(), 3);
  }
};

QTEST_GUILESS_MAIN(CliSurroundingsTests)
#include "cli_surroundings_tests.moc"
