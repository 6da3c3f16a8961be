// SPDX-License-Identifier: Apache-2.0
// The memory of a step whose blocks are computed again in backward: what is kept, what that saves, and that it can be
// foretold as well as without.
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <QTest>

#include "core/memory/step_forecast.h"
#include "core/session/preflight.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"
#include "core/train/step_trace.h"
#include "tests/core/train/held_bytes.h"

using namespace mantissa;
using record::MemoryCategory;

namespace {

/// 4 features, hidden layers as given, one output; a trial in FP32 or BF16.
spec::Experiment experiment_of(const std::string& hidden, std::int64_t batch, const std::string& checkpointing,
                               const std::string& more = {}) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = " +
          hidden + '\n' + more + "\n[training]\nthreads = 1\nsteps = 8\nbatch = " + std::to_string(batch) +
          "\nactivation_checkpointing = \"" + checkpointing +
          "\"\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\nshadow_every = 0\n",
      "test.toml");
}

/// A step of the reference, or of the trial.
record::StepTrace trace(const spec::Experiment& experiment, bool trial, std::int64_t microbatch) {
  const session::Prepared prepared = session::prepare(experiment);
  const spec::Trial* const policy = trial ? &prepared.experiment.trials.front() : nullptr;
  return train::trace_step(
             [&] {
               return std::make_unique<train::Arm>("arm", prepared.network->clone(), prepared.experiment, policy);
             },
             [&] {
               const at::Tensor rows = at::arange(microbatch);
               train::Window window;
               window.microbatches.push_back({prepared.dataset.train.inputs.index_select(0, rows),
                                              prepared.dataset.train.targets.index_select(0, rows)});
               window.samples = microbatch;
               return window;
             })
      .value();
}

}  // namespace

class RecomputedMemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void only_what_stands_between_blocks_is_kept() {
    // 4 hidden layers of 8, so blocks of 2 (the square root of 4); 16 samples in FP32, ReLU.
    constexpr std::int64_t kLayer = 16 * 8 * 4;
    constexpr std::int64_t kOutput = 16 * 4;
    constexpr std::int64_t kLoss = 16 * 4;  // a scalar in the storage of its 16 summands
    const std::string hidden = "[8, 8, 8, 8]";
    QCOMPARE(tests::made(trace(experiment_of(hidden, 8, "off"), false, 16), MemoryCategory::SavedActivations),
             4 * kLayer + kOutput + kLoss);
    // Forward keeps what the two blocks return; backward makes all four layers anew, two at a time.
    QCOMPARE(tests::made(trace(experiment_of(hidden, 8, "blocks"), false, 16), MemoryCategory::SavedActivations),
             2 * kLayer + kOutput + kLoss + 4 * kLayer);
  }

  void weights_are_cast_in_both_runs_of_a_block() {
    // 4*8 + 8 + 8*8 + 8 = 112 parameters in the two hidden layers, each a block; 8 + 1 in the output, in no block.
    const record::StepTrace step = trace(experiment_of("[8, 8]", 8, "blocks"), true, 16);
    QCOMPARE(tests::made(step, MemoryCategory::CastCopies), std::int64_t{2 * (2 * 112 + 9)});
  }

  void the_peak_is_lower_and_all_else_is_as_before_data() {
    QTest::addColumn<bool>("trial");
    QTest::newRow("FP32") << false;
    QTest::newRow("BF16") << true;
  }
  void the_peak_is_lower_and_all_else_is_as_before() {
    QFETCH(bool, trial);
    // 16 layers of 16 in blocks of 4. GELU keeps its input, too: 2 tensors a layer, 32 in all, where 4 between blocks
    // and 8 of the block at work are left. With 48 samples they outweigh the 16 layers of 16*16 weights by far.
    const std::string hidden = "[16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16]";
    const std::string gelu = "activation = \"gelu\"";
    const record::StepTrace kept = trace(experiment_of(hidden, 8, "off", gelu), trial, 48);
    const record::StepTrace again = trace(experiment_of(hidden, 8, "blocks", gelu), trial, 48);
    for (const MemoryCategory category : {MemoryCategory::Parameters, MemoryCategory::OptimizerState,
                                          MemoryCategory::Gradients, MemoryCategory::Inputs}) {
      QCOMPARE(tests::held(again, category), tests::held(kept, category));
    }
    QCOMPARE(tests::made(again, MemoryCategory::Gradients), tests::made(kept, MemoryCategory::Gradients));
    const memory::StepPeak with = memory::peak_of(again);
    const memory::StepPeak without = memory::peak_of(kept);
    constexpr auto kSaved = static_cast<std::size_t>(MemoryCategory::SavedActivations);
    QVERIFY(with.bytes < without.bytes);
    QVERIFY(2 * with.by_category[kSaved] < without.by_category[kSaved]);
  }

  void a_run_measures_what_was_foretold_data() {
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<QString>("more");
    for (const qint64 batch : {4, 12, 32, 50}) {
      QTest::addRow("%d", static_cast<int>(batch)) << batch << QString();
      QTest::addRow("%d, dropout", static_cast<int>(batch)) << batch << "activation = \"gelu\"\ndropout = 0.25";
    }
  }
  /// Measured as every run does, by what its arms have allocated; the data belongs to none of them.
  void a_run_measures_what_was_foretold() {
    QFETCH(qint64, batch);
    QFETCH(QString, more);
    const std::string hidden = "[8, 8, 8, 8]";
    const spec::Experiment experiment = experiment_of(hidden, batch, "blocks", more.toStdString());
    const session::Preflight measured = session::preflight(experiment, {}, {}, {3, 60.0});
    for (const bool trial : {false, true}) {
      const memory::StepForecast forecast({trace(experiment, trial, 8), trace(experiment, trial, 16)});
      QVERIFY(forecast.is_joined());
      const memory::StepPeak peak = memory::peak_of(forecast.at(batch));
      const std::int64_t foretold = peak.bytes - peak.by_category[static_cast<std::size_t>(MemoryCategory::Inputs)];
      QCOMPARE(measured.arms[trial ? 1 : 0].peak_bytes.value_or(0), foretold);
    }
  }
};

QTEST_APPLESS_MAIN(RecomputedMemoryTests)
#include "recomputed_memory_tests.moc"
