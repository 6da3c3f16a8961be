// SPDX-License-Identifier: Apache-2.0
// Runs that meet a real limit of memory (RLIMIT_AS). hungry.pt (tests/core/session/make_greedy.py) asks for 1 GiB as
// soon as its product is in BF16, so that of all arms a BF16 trial alone does not fit.
#include <algorithm>

#include <QFile>
#include <QTest>

#include "cli_sandbox.h"

#include <sys/resource.h>

namespace {

constexpr rlim_t kMiB = rlim_t{1} << 20U;

/// What every child may have of address space from now on.
void limit_memory(CliSandbox& box, rlim_t bytes) {
  box.set_up_children([bytes] {
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  });
}

/// The most address space that a command had, as the kernel counts it; 0 where it does not tell.
rlim_t peak_of(const CliSandbox& box, const QStringList& arguments) {
  QProcess process;
  box.start(process, arguments);
  rlim_t peak = 0;
  while (process.state() != QProcess::NotRunning) {
    QFile status(QStringLiteral("/proc/%1/status").arg(process.processId()));
    if (status.open(QIODevice::ReadOnly)) {
      for (const QByteArray& line : status.readAll().split('\n')) {
        if (!line.startsWith("VmPeak:")) continue;
        peak = std::max(peak, rlim_t{line.mid(7).trimmed().split(' ').first().toULongLong()} * 1024);
      }
    }
    process.waitForFinished(2);
  }
  return peak;
}

QByteArray hungry_experiment() {
  return "mantissa = 1\nname = \"hungry\"\n[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 1\n[model]\nkind = "
         "\"torchscript\"\npath = \"" MANTISSA_SOURCE_DIR
         "/tests/core/session/hungry.pt\"\n[training]\nthreads = 1\nsteps = 200\nbatch = 8\n[[trial]]\nname = "
         "\"bf16\"\nautocast = \"bfloat16\"\nshadow_every = 0\n[[trial]]\nname = \"fp32\"\nautocast = "
         "\"off\"\nshadow_every = 0\n[rules]\noutput = { max = 1 }\n";
}

/// One hidden layer: at 16,000 samples of 2,048 units in FP32 a block of activations is 131 MB, and three live at once
/// where backward is through ReLU. 80 % of the rows are trained on: all of them in one step.
QByteArray wide_experiment() {
  return "mantissa = 1\nname = \"wide\"\n[data]\nsource = \"gaussian\"\nrows = 20000\nfeatures = 16\n[model]\nkind = "
         "\"mlp\"\nhidden = [2048]\n[training]\nthreads = 1\nsteps = 4000\nbatch = 16000\n";
}

}  // namespace

class CliMemoryLimitTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_trial_that_meets_the_limit_fails_alone() {
    CliSandbox box;
    box.write("hungry.toml", hungry_experiment());
    QCOMPARE(box.run({"run", "hungry.toml", "--json"}).exit, 0);  // without a limit, 1 GiB is there
    const rlim_t peak = peak_of(box, {"run", "hungry.toml", "--trial", "fp32", "--archive", box.archive()});
    if (peak == 0) QSKIP("this system does not tell how much address space a process had");
    limit_memory(box, peak + 512 * kMiB);
    const Outcome outcome = box.run({"run", "hungry.toml", "--json"});
    QCOMPARE(outcome.exit, 1);  // a failed trial
    const nlohmann::json trials = outcome.json()["trials"];
    QCOMPARE(trials[0]["status"].get<std::string>(), std::string("failed"));
    QCOMPARE(trials[0]["failure"].get<std::string>(), std::string("memory"));
    const QByteArray text = QByteArray::fromStdString(trials[0]["failure_text"].get<std::string>());
    // 2^29 elements of 2 bytes.
    QVERIFY2(text.startsWith("Out of memory at step 1, in the forward pass: 1 GiB (1073741824 bytes) in one piece"),
             text);
    QVERIFY2(text.contains("training.accumulate") && !text.contains("enforce fail"), text);
    QCOMPARE(trials[0]["attempted"].get<int>(), 0);
    QCOMPARE(trials[1]["status"].get<std::string>(), std::string("finished"));
    QCOMPARE(trials[1]["verdict"].get<std::string>(), std::string("accepted"));
    for (const char* const arm : {"reference", "fp32"}) {
      QCOMPARE(box.table({"export", "steps", arm}).size(), std::size_t(200));
      QVERIFY(!box.weights(arm).empty());
    }
    QVERIFY(!box.weights("bf16").empty());  // its weights stay
  }

  void a_run_that_does_not_fit_is_told_what_does_and_that_fits() {
    CliSandbox box;
    box.write("wide.toml", wide_experiment());
    const rlim_t whole = peak_of(box, {"run", "wide.toml", "--stop-after", "2", "--archive", box.archive()});
    if (whole == 0) QSKIP("this system does not tell how much address space a process had");
    limit_memory(box, whole - 40 * kMiB);
    const Outcome outcome = box.run({"run", "wide.toml", "--stop-after", "2", "--json"});
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["reference"]["failure"].get<std::string>(), std::string("memory"));
    const nlohmann::json& answer = document["memory_answer"];
    const QByteArray text = QByteArray::fromStdString(answer["text"].get<std::string>());
    QVERIFY2(!answer["plans"].empty(), text);
    QVERIFY2(answer["largest_microbatch"].get<int>() < 16000, text);
    for (const nlohmann::json& plan : answer["plans"]) {
      QCOMPARE(plan["microbatch"].get<int>() * plan["accumulation"].get<int>(), 16000);
    }
    // As the arm's own page says it.
    QVERIFY2(box.run({"show", "reference"}).out.contains(text), text);

    const nlohmann::json& best = answer["plans"][0];
    const QString batch = QString::number(best["microbatch"].get<int>());
    const QString accumulate = QString::number(best["accumulation"].get<int>());
    QVERIFY2(text.contains("--set training.batch=" + batch.toUtf8()), text);
    const Outcome again = box.run({"run", "wide.toml", "--stop-after", "2", "--set", "training.batch=" + batch, "--set",
                                   "training.accumulate=" + accumulate});
    QVERIFY2(again.exit == 0, again.err);
    QVERIFY2(again.err.contains("stopped as planned"), again.err);
  }

  void where_nothing_could_be_traced_the_command_is_told_that_answers() {
    CliSandbox box;
    box.write("hungry.toml", hungry_experiment());
    const rlim_t peak = peak_of(box, {"run", "hungry.toml", "--trial", "fp32", "--archive", box.archive()});
    if (peak == 0) QSKIP("this system does not tell how much address space a process had");
    limit_memory(box, peak + 512 * kMiB);
    const Outcome outcome = box.run({"run", "hungry.toml", "--set", "training.accumulate=2"});
    QVERIFY2(outcome.out.contains("bf16: ✕ rejected"), outcome.out);
    // 8 x 2 = 16 samples: 2 x 8 is a quarter of the microbatch.
    const QByteArray command =
        "mantissa-cli ledger hungry.toml --set training.batch=2 --set training.accumulate=8 --outside '0 B' --device ";
    QVERIFY2(outcome.out.contains(command), outcome.out);
    QVERIFY2(outcome.err.contains("out of memory; what fits: " + command), outcome.err);
  }

  void data_that_memory_does_not_hold_are_named() {
    CliSandbox box;
    // 60 MB of text are 240 MB as characters.
    box.write("big.txt", QByteArray("to be or not to be\n").repeated(3200000));
    box.write("big.toml",
              "mantissa = 1\n[data]\npath = \"big.txt\"\ntask = \"language-model\"\n[model]\nkind = "
              "\"transformer\"\n");
    const rlim_t least = peak_of(box, {"list", "--archive", box.archive()});
    if (least == 0) QSKIP("this system does not tell how much address space a process had");
    limit_memory(box, least + 150 * kMiB);
    for (const QStringList& line : {QStringList{"inspect", "big.txt"}, QStringList{"check", "big.toml"}}) {
      const Outcome outcome = box.run_plain(line);
      QVERIFY2(outcome.exit == 4, outcome.err);
      QVERIFY2(outcome.err.contains("big.txt") && outcome.err.contains("Out of memory while"), outcome.err);
    }
  }

  void wherever_the_limit_strikes_it_is_said_and_the_archive_stays_sound() {
    CliSandbox box;
    box.write("hungry.toml", hungry_experiment());
    // A first run, whose records no later one may harm.
    QCOMPARE(box.run({"run", "hungry.toml", "--trial", "fp32"}).exit, 0);
    const rlim_t least = peak_of(box, {"list", "--archive", box.archive()});
    const rlim_t whole = peak_of(box, {"run", "hungry.toml", "--archive", box.archive()});
    if (least == 0) QSKIP("this system does not tell how much address space a process had");
    QVERIFY(whole > least);
    for (const int part : {1, 2, 4, 8}) {
      limit_memory(box, least + (whole - least) / 16 * static_cast<rlim_t>(part));
      const Outcome outcome = box.run({"run", "hungry.toml"});
      const QByteArray where = "limit " + QByteArray::number(part) + "/16: " + outcome.err;
      QVERIFY2(outcome.exit == 0 || outcome.exit == 1 || outcome.exit == 4, where);
      if (outcome.exit == 4) {
        QVERIFY2(outcome.err.contains("memory") || outcome.err.contains("thread"), where);
        QVERIFY2(!outcome.err.contains("not foreseen"), where);
      }
      for (const char* const word : {"enforce fail", "terminate called", "std::bad_alloc", "frame #"}) {
        QVERIFY2(!outcome.err.contains(word), where);
      }
      box.set_up_children({});
      QCOMPARE(box.table({"export", "steps", "1"}).size(), std::size_t(200));
      QVERIFY(!box.weights("2").empty());
    }
  }
};

QTEST_GUILESS_MAIN(CliMemoryLimitTests)
#include "cli_memory_limit_tests.moc"
