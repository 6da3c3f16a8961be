// SPDX-License-Identifier: Apache-2.0
// What a run's steps were expected to hold beside what they held: kept for every arm, and no bit of the weights
// changed.
#include "core/session/run.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "core/archive/reader.h"
#include "core/session/resume.h"
#include "core/spec/parse.h"

using namespace mantissa;
using record::MemoryCategory;
using record::MemoryComparison;

namespace {

class Listener : public session::Observer {
 public:
  void on_note(const std::string& note) override { notes.push_back(note); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string& phase) override { phases.push_back(phase); }

  std::vector<std::string> notes;
  std::vector<std::string> phases;
};

const std::string kMlp =
    "[data]\nsource = \"gaussian\"\nrows = 80\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = [8]\n";

/// 64 of the 80 rows are trained on.
std::string text_of(const std::string& model, const std::string& training, const std::string& trials) {
  return "mantissa = 1\n" + model + "[training]\nthreads = 1\n" + training + trials;
}

const std::string kBf16 = "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n";
const std::string kFp16 = "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n";

struct Box {
  QTemporaryDir folder;
  std::string path = folder.filePath("a.db").toStdString();
  Listener listener;

  record::RunSummary run(const std::string& text, session::CompareMemory memory = session::CompareMemory::On,
                         session::Probes probes = session::Probes::Standard, std::int64_t stop_after = 0) {
    session::RunOptions options;
    options.archive = path;
    options.memory = memory;
    options.probes = probes;
    options.stop_after = stop_after;
    return session::run(spec::parse_experiment(text, "test.toml"), options, listener, {});
  }

  record::RunSummary resume(std::int64_t trial, const std::vector<std::string>& overrides = {}) {
    session::ResumeOptions options;
    options.archive = path;
    options.trial = trial;
    options.overrides = overrides;
    return session::resume(options, listener, {});
  }

  std::optional<MemoryComparison> memory(std::int64_t trial) const {
    return archive::Reader(path).trial(trial).end.memory;
  }
};

std::int64_t of(const std::optional<record::MemoryPeak>& peak, MemoryCategory category) {
  return peak->by_category[static_cast<std::size_t>(category)];
}

/// Everything is there, and close.
void verify_close(const std::optional<MemoryComparison>& memory, double most) {
  QVERIFY(memory.has_value());
  QVERIFY2(memory->missing.empty(), memory->missing.c_str());
  QVERIFY(memory->predicted && memory->measured && memory->peak_bytes);
  QVERIFY(memory->measured_step > 1);
  const std::string figures = std::to_string(memory->predicted->bytes) + " predicted, " +
                              std::to_string(*memory->peak_bytes) + " measured, " +
                              std::to_string(memory->measured->bytes) + " traced";
  QVERIFY2(std::abs(*memory->error()) <= most, figures.c_str());
  QVERIFY2(memory->measured->bytes <= *memory->peak_bytes, figures.c_str());
}

}  // namespace

class RunMemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void an_mlp_holds_what_was_predicted_to_the_byte_in_every_category() {
    Box box;
    const record::RunSummary summary = box.run(text_of(
        kMlp, "steps = 6\nbatch = 16\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.1\nmomentum = 0.9\n", kBf16));
    for (const record::TrialRow* const row : {&summary.reference, &summary.trials[0]}) {
      const std::optional<MemoryComparison> memory = box.memory(row->id);
      verify_close(memory, 0.0);
      QCOMPARE(memory->microbatch, std::int64_t{16});
      QCOMPARE(memory->accumulation, std::int64_t{1});
      QCOMPARE(memory->predicted_from, std::string("8, 12"));
      QCOMPARE(memory->measured_step, std::int64_t{2});
      QCOMPARE(memory->measured->bytes, *memory->peak_bytes);
      QVERIFY(memory->predicted->by_category == memory->measured->by_category);
      // 4*8 + 8 + 8 + 1 = 49 parameters in FP32, and as much momentum.
      QCOMPARE(of(memory->measured, MemoryCategory::Parameters), std::int64_t{196});
      QCOMPARE(of(memory->measured, MemoryCategory::OptimizerState), std::int64_t{196});
      QCOMPARE(of(memory->measured, MemoryCategory::Inputs), std::int64_t{0});
      QVERIFY(row->end.memory.has_value());
      QCOMPARE(row->end.memory->peak_bytes, memory->peak_bytes);
    }
    QVERIFY(std::find(box.listener.phases.begin(), box.listener.phases.end(), "tracing memory") !=
            box.listener.phases.end());
  }

  void weights_are_bit_equal_with_and_without_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("training");
    const QString adamw = "steps = 12\nbatch = 8\naccumulate = 2\n";
    QTest::newRow("mlp with dropout")
        << "[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [16]\ndropout = 0.3\n"
        << adamw;
    QTest::newRow("convolutions with running statistics")
        << "[data]\nsource = \"digits\"\nshape = [1, 8, 8]\n[model]\nkind = \"resnet\"\ndepth = 8\nwidth = 4\n"
        << adamw;
    QTest::newRow("what keeps a state")
        << QString::fromStdString(
               "[data]\nsource = \"gaussian\"\nrows = 80\nfeatures = 6\n[model]\nkind = \"torchscript\"\npath = "
               "\"" MANTISSA_SOURCE_DIR "/tests/core/session/stateful.pt\"\n")
        << adamw;
    QTest::newRow("recomputed blocks")
        << "[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [16, 16, 16]\ndropout = 0.3\n"
        << adamw + "activation_checkpointing = \"blocks\"\n";
  }
  void weights_are_bit_equal_with_and_without() {
    QFETCH(QString, model);
    QFETCH(QString, training);
    const std::string text = text_of(model.toStdString(), training.toStdString(), kBf16 + kFp16);
    Box with;
    Box without;
    const record::RunSummary traced = with.run(text);
    const record::RunSummary plain = without.run(text, session::CompareMemory::Off);
    const archive::Reader one(with.path);
    const archive::Reader other(without.path);
    for (const std::int64_t id : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}) {
      const std::vector<record::TensorBytes> found = one.weights(id, "final");
      const std::vector<record::TensorBytes> expected = other.weights(id, "final");
      QCOMPARE(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY2(found[i].bytes == expected[i].bytes, found[i].name.c_str());
      QVERIFY(one.trial(id).end.memory.has_value());
      QVERIFY(!other.trial(id).end.memory.has_value());
    }
    QCOMPARE(traced.trials[0].end.final_loss, plain.trials[0].end.final_loss);
  }

  void other_models_and_optimizers_are_close_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("training");
    QTest::addColumn<QString>("trials");
    QTest::newRow("resnet") << "[data]\nsource = \"digits\"\nshape = [1, 8, 8]\n[model]\nkind = \"resnet\"\ndepth = "
                               "8\nwidth = 4\n"
                            << "steps = 6\nbatch = 24\n"
                            << QString::fromStdString(kBf16);
    QTest::newRow("transformer") << "[data]\nsource = \"shakespeare8\"\ncontext = 16\n[model]\nkind = "
                                    "\"transformer\"\nwidth = 16\nlayers = 2\nheads = 2\ndropout = 0.1\n"
                                 << "steps = 6\nbatch = 12\n"
                                 << QString::fromStdString(kBf16 + kFp16);
    QTest::newRow("accumulated four times") << QString::fromStdString(kMlp) << "steps = 6\nbatch = 8\naccumulate = 4\n"
                                            << QString::fromStdString(kBf16);
    QTest::newRow("two optimizers")
        << QString::fromStdString(kMlp)
        << "steps = 6\nbatch = 8\n[[training.optimizer]]\nkind = \"sgd\"\nparameters = [\"0.*\"]\nlr = "
           "0.1\n[[training.optimizer]]\nkind = \"adam\"\nparameters = [\"2.*\"]\n"
        << QString::fromStdString(kBf16);
    QTest::newRow("a torchscript model")
        << QString::fromStdString(
               "[data]\nsource = \"gaussian\"\nrows = 80\nfeatures = 6\n[model]\nkind = \"torchscript\"\npath = "
               "\"" MANTISSA_SOURCE_DIR "/tests/core/session/norm.pt\"\n")
        << "steps = 6\nbatch = 16\n"
        << QString::fromStdString(kBf16);
    QTest::newRow("lbfgs whose history is full") << QString::fromStdString(kMlp)
                                                 << "steps = 12\nbatch = 16\n[[training.optimizer]]\nkind = "
                                                    "\"lbfgs\"\nlr = 0.1\nmax_iter = 2\nhistory_size = 4\n"
                                                 << QString::fromStdString(kBf16);
    // BF16 is left out: at this size its kernels take scratch memory that is linear in nothing.
    QTest::newRow("recomputed blocks")
        << "[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [16, 16, 16]\n"
        << "steps = 6\nbatch = 32\nactivation_checkpointing = \"blocks\"\n"
        << QString();
  }
  /// Within what the ledger promises at its worst.
  void other_models_and_optimizers_are_close() {
    QFETCH(QString, model);
    QFETCH(QString, training);
    QFETCH(QString, trials);
    Box box;
    const record::RunSummary summary =
        box.run(text_of(model.toStdString(), training.toStdString(), trials.toStdString()));
    verify_close(box.memory(summary.reference.id), 0.02);
    for (const record::TrialRow& trial : summary.trials) verify_close(box.memory(trial.id), 0.02);
    QCOMPARE(archive::Reader(box.path).memory_pairs().size(), 1 + summary.trials.size());
  }

  void a_history_that_is_not_full_is_said_to_be_what_is_missing() {
    Box box;
    const record::RunSummary summary = box.run(
        text_of(kMlp,
                "steps = 4\nbatch = 16\n[[training.optimizer]]\nkind = \"lbfgs\"\nlr = 0.1\nmax_iter = 1\nhistory_size "
                "= 50\n",
                ""));
    const MemoryComparison memory = box.memory(summary.reference.id).value();
    QVERIFY(memory.predicted && !memory.measured && !memory.peak_bytes);
    QVERIFY2(memory.missing.find("was not full") != std::string::npos, memory.missing.c_str());
    QVERIFY(archive::Reader(box.path).memory_pairs().empty());
  }

  void one_step_is_predicted_and_not_measured() {
    Box box;
    const MemoryComparison memory =
        box.memory(box.run(text_of(kMlp, "steps = 1\nbatch = 16\n", "")).reference.id).value();
    QVERIFY(memory.predicted && !memory.measured && !memory.peak_bytes);
    QVERIFY(!memory.missing.empty());
  }

  void where_it_is_switched_off_or_nothing_is_measured_there_is_nothing() {
    Box box;
    const std::string text = text_of(kMlp, "steps = 4\nbatch = 16\n", kBf16);
    QVERIFY(!box.memory(box.run(text, session::CompareMemory::Off).reference.id));
    QVERIFY(!box.memory(box.run(text, session::CompareMemory::On, session::Probes::Off).reference.id));
    QCOMPARE(box.listener.phases.end(),
             std::find(box.listener.phases.begin(), box.listener.phases.end(), "tracing memory"));
  }

  void a_resumed_run_goes_on_with_what_it_had() {
    Box box;
    const std::string text = text_of(kMlp, "steps = 9\nbatch = 16\n", kBf16);
    const record::RunSummary begun = box.run(text, session::CompareMemory::On, session::Probes::Standard, 5);
    const MemoryComparison before = box.memory(begun.trials[0].id).value();
    QCOMPARE(before.measured_step, std::int64_t{2});
    const record::RunSummary ended = box.resume(begun.reference.id);
    const MemoryComparison after = box.memory(ended.trials[0].id).value();
    QCOMPARE(after.measured_step, std::int64_t{7});  // the second of those that were made in one go
    verify_close(after, 0.0);
    QCOMPARE(after.peak_bytes, before.peak_bytes);
    QVERIFY(after.measured->by_category == before.measured->by_category);
  }

  void a_last_step_alone_leaves_what_was_measured_before() {
    Box box;
    const std::string text = text_of(kMlp, "steps = 6\nbatch = 16\n", kBf16);
    const record::RunSummary begun = box.run(text, session::CompareMemory::On, session::Probes::Standard, 5);
    const record::RunSummary ended = box.resume(begun.reference.id);
    const MemoryComparison after = box.memory(ended.reference.id).value();
    QCOMPARE(after.measured_step, std::int64_t{2});
    verify_close(after, 0.0);
  }

  void a_child_has_a_comparison_of_its_own() {
    Box box;
    const std::string text =
        text_of(kMlp, "steps = 9\nbatch = 16\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.1\n", kBf16);
    const record::RunSummary begun = box.run(text, session::CompareMemory::On, session::Probes::Standard, 5);
    const record::RunSummary child = box.resume(begun.trials[0].id, {"trial[bf16].autocast=\"off\""});
    QVERIFY(child.trials[0].id != begun.trials[0].id);
    const MemoryComparison memory = box.memory(child.trials[0].id).value();
    verify_close(memory, 0.0);
    // In FP32, like the reference beside it, and unlike its parent.
    QVERIFY(memory.measured->by_category == box.memory(child.reference.id)->measured->by_category);
    QVERIFY(memory.measured->by_category != box.memory(begun.trials[0].id)->measured->by_category);
  }

  /// greedy.pt asks for 2 PiB in BF16, in every call.
  void an_arm_that_fails_says_why_it_has_none() {
    Box box;
    const record::RunSummary summary = box.run(
        text_of("[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 1\n[model]\nkind = \"torchscript\"\npath = "
                "\"" MANTISSA_SOURCE_DIR "/tests/core/session/greedy.pt\"\n",
                "steps = 4\nbatch = 8\n", "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\nshadow_every = 0\n"));
    QCOMPARE(summary.trials[0].end.failure, std::string("memory"));
    const MemoryComparison memory = box.memory(summary.trials[0].id).value();
    QVERIFY(!memory.predicted && !memory.measured && !memory.peak_bytes);
    QVERIFY2(memory.missing.find("a traced step failed: Out of memory") != std::string::npos, memory.missing.c_str());
    QVERIFY2(memory.missing.find(". No step was measured") != std::string::npos, memory.missing.c_str());
    verify_close(box.memory(summary.reference.id), 0.02);
  }
};

QTEST_GUILESS_MAIN(RunMemoryTests)
#include "run_memory_tests.moc"
