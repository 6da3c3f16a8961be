// SPDX-License-Identifier: Apache-2.0
// The memory of a training step: by category as its shapes say, and foretold as a run then measures it.
#include <QTest>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/memory/accumulated_forecast.h"
#include "core/memory/step_forecast.h"
#include "core/session/planned_memory.h"
#include "core/session/preflight.h"
#include "core/session/step_memory.h"
#include "core/spec/parse.h"
#include "tests/core/train/held_bytes.h"

using namespace mantissa;
using record::MemoryCategory;
using tests::held;
using tests::made;

namespace {

/// 4 features, 8 hidden units, one output.
spec::Experiment experiment_of(std::int64_t batch, const std::string& more = {}) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
      "[training]\nthreads = 1\nsteps = 8\nbatch = " +
          std::to_string(batch) + "\n" + more + "\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n",
      "test.toml");
}

std::vector<session::ArmMemory> trace(const spec::Experiment& experiment, const std::vector<std::int64_t>& microbatches,
                                      std::int64_t accumulation = 1) {
  session::MemoryQuestion question;
  for (const std::int64_t microbatch : microbatches) question.sizes.push_back({microbatch, accumulation});
  return session::trace_memory(experiment, question, session::StopToken()).arms;
}

bool is_same(const record::StepTrace& one, const record::StepTrace& other) {
  return std::equal(one.events.begin(), one.events.end(), other.events.begin(), other.events.end(),
                    [](const record::MemoryEvent& a, const record::MemoryEvent& b) {
                      return a.kind == b.kind && a.block == b.block && a.bytes == b.bytes;
                    });
}

}  // namespace

class StepMemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_a_step_holds_follows_from_the_shapes() {
    const auto arms = trace(experiment_of(8, "[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.1\nmomentum = 0.9"), {16});
    QCOMPARE(arms.size(), std::size_t{2});
    for (const session::ArmMemory& arm : arms) {
      QVERIFY2(arm.failure.empty(), arm.failure.c_str());
      const record::StepTrace& step = arm.traces.at(0);
      QCOMPARE(step.microbatch, std::int64_t{16});
      // 4*8 + 8 + 8 + 1 = 49 parameters in FP32, whatever autocast is: 196 bytes, and as much momentum and gradient.
      QCOMPARE(held(step, MemoryCategory::Parameters), std::int64_t{196});
      QCOMPARE(held(step, MemoryCategory::OptimizerState), std::int64_t{196});
      QCOMPARE(held(step, MemoryCategory::Gradients), std::int64_t{196});
      QCOMPARE(made(step, MemoryCategory::Gradients), std::int64_t{196});
      QCOMPARE(held(step, MemoryCategory::Inputs), std::int64_t{16 * 4 * 4 + 16 * 4});
    }
  }

  void forward_keeps_what_backward_needs() {
    const auto arms = trace(experiment_of(8), {16});
    // Of 16 samples in FP32: 8 hidden activations after ReLU, which both ReLU and the second layer keep, and one
    // output; the loss, a scalar in the storage of its 16 summands (so in Python, too:
    // F.mse_loss(torch.zeros(16, 1), torch.ones(16, 1)).untyped_storage().nbytes() is 64).
    QCOMPARE(made(arms[0].traces[0], MemoryCategory::SavedActivations), std::int64_t{16 * 8 * 4 + 16 * 4 + 16 * 4});
    QCOMPARE(made(arms[0].traces[0], MemoryCategory::CastCopies), std::int64_t{0});
  }

  void autocast_keeps_copies_of_the_parameters_in_its_own_dtype() {
    const auto arms = trace(experiment_of(8), {16});
    QCOMPARE(QString::fromStdString(arms[1].autocast), "bfloat16");
    QCOMPARE(made(arms[1].traces[0], MemoryCategory::CastCopies), std::int64_t{2 * 49});
  }

  void activations_are_told_by_module() {
    const auto arms = trace(experiment_of(8), {16});
    const record::StepTrace& step = arms[0].traces[0];
    std::map<std::string, std::int64_t> by_module;
    for (std::size_t i = step.held; i < step.events.size(); ++i) {
      const record::MemoryEvent& event = step.events[i];
      const record::MemoryBlock& block = step.blocks[static_cast<std::size_t>(event.block)];
      if (block.category != MemoryCategory::SavedActivations) continue;
      by_module[step.modules[static_cast<std::size_t>(block.module)]] += event.bytes;
    }
    // nn.Sequential(Linear, ReLU, Linear): what the first one makes is gone when ReLU is done; the loss lies outside.
    QCOMPARE(by_module.at("1"), std::int64_t{16 * 8 * 4});
    QCOMPARE(by_module.at("2"), std::int64_t{16 * 4});
    QCOMPARE(by_module.at(""), std::int64_t{16 * 4});
    QCOMPARE(by_module.size(), std::size_t{3});
  }

  void a_run_measures_what_was_foretold_data() {
    QTest::addColumn<qint64>("batch");
    for (const qint64 batch : {4, 12, 32, 50}) QTest::newRow(QByteArray::number(batch).constData()) << batch;
  }
  /// Measured as every run does, by what its arms have allocated; the data belongs to none of them.
  void a_run_measures_what_was_foretold() {
    QFETCH(qint64, batch);
    const auto arms = trace(experiment_of(8), {8, 16});
    const session::Preflight measured = session::preflight(experiment_of(batch), {}, {}, {3, 60.0});
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const memory::StepPeak peak = memory::peak_of(memory::StepForecast(arms[i].traces).at(batch));
      const std::int64_t foretold = peak.bytes - peak.by_category[static_cast<std::size_t>(MemoryCategory::Inputs)];
      QCOMPARE(measured.arms[i].peak_bytes.value_or(0), foretold);
    }
  }

  void accumulated_microbatches_are_traced_as_they_are_trained() {
    const auto arms = trace(experiment_of(8), {8}, 3);
    QCOMPARE(arms[0].traces[0].microbatches, std::int64_t{3});
    QCOMPARE(held(arms[0].traces[0], MemoryCategory::Inputs), std::int64_t{3 * (8 * 4 * 4 + 8 * 4)});
  }

  /// Of 51 rows: a fifth window of 12 would be cut short by the end of the epoch.
  void a_run_that_accumulates_measures_what_was_foretold_data() {
    QTest::addColumn<qint64>("accumulate");
    for (const qint64 accumulate : {1, 2, 3, 4})
      QTest::newRow(QByteArray::number(accumulate).constData()) << accumulate;
  }
  void a_run_that_accumulates_measures_what_was_foretold() {
    QFETCH(qint64, accumulate);
    session::MemoryQuestion question;
    question.sizes = {{4, 1}, {8, 1}, {4, 2}, {8, 2}, {4, 3}, {8, 3}};
    const auto arms = session::trace_memory(experiment_of(8), question, {}).arms;
    const std::string setting = "accumulate = " + std::to_string(accumulate);
    const session::Preflight measured = session::preflight(experiment_of(12, setting), {}, {}, {3, 60.0});
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const memory::StepPeak peak = memory::peak_of(memory::AccumulatedForecast(arms[i].traces).at(12, accumulate));
      const std::int64_t foretold = peak.bytes - peak.by_category[static_cast<std::size_t>(MemoryCategory::Inputs)];
      QCOMPARE(measured.arms[i].peak_bytes.value_or(0), foretold);
    }
  }

  // 49 parameters of 4 bytes; a full history of 10 holds two flat tensors each: 2 * 10 * 196 = 3,920 bytes. A run of 30
  // updates has it full.
  void lbfgs_is_counted_with_a_full_history() {
    const std::string lbfgs = "[[training.optimizer]]\nkind = \"lbfgs\"\nlr = 0.1\nmax_iter = 1\nhistory_size = 10\n";
    spec::Experiment experiment = experiment_of(8, lbfgs);
    const auto arms = trace(experiment, {8, 16});
    const memory::StepPeak peak = memory::peak_of(memory::StepForecast(arms[0].traces).at(8));
    const std::int64_t state = held(arms[0].traces[0], MemoryCategory::OptimizerState);
    QVERIFY2(state >= 3920 && state < 3920 + 6 * 196, std::to_string(state).c_str());  // direction, last gradient
    experiment.training.steps = 30;
    const session::Preflight measured = session::preflight(experiment, {}, {}, {30, 60.0});
    const std::int64_t foretold = peak.bytes - peak.by_category[static_cast<std::size_t>(MemoryCategory::Inputs)];
    const std::int64_t found = measured.arms[0].peak_bytes.value_or(0);
    // Scalars of each pair and step are left out: two of 4 bytes.
    QVERIFY2(std::abs(foretold - found) <= 10 * 2 * 4,
             (std::to_string(foretold) + " " + std::to_string(found)).c_str());
  }

  void steps_are_timed_where_that_is_asked_for() {
    session::MemoryQuestion question;
    question.sizes = {{4, 1}, {4, 2}};
    QVERIFY(session::trace_memory(experiment_of(8), question, {}).arms[0].times.empty());
    question.with_times = true;
    for (const session::ArmMemory& arm : session::trace_memory(experiment_of(8), question, {}).arms) {
      QCOMPARE(arm.times.size(), std::size_t{2});
      QCOMPARE(arm.times[1].size.accumulation, std::int64_t{2});
      for (const session::StepSeconds& each : arm.times) QVERIFY(each.seconds > 0.0);
    }
  }

  void sizes_that_are_not_given_are_those_around_the_batch() {
    const session::TracedMemory traced =
        session::trace_memory(experiment_of(8, "accumulate = 2"), {{}, false}, session::StopToken());
    QCOMPARE(traced.planned.microbatch, std::int64_t{8});
    QCOMPARE(traced.planned.accumulation, std::int64_t{2});
    QCOMPARE(traced.updates, std::int64_t{8});
    QCOMPARE(traced.sizes.size(), std::size_t{9});
    QCOMPARE(traced.arms[1].traces.size(), std::size_t{9});
    QCOMPARE(traced.arms[1].traces[2].microbatch, std::int64_t{16});
    QCOMPARE(traced.arms[1].traces[8].microbatches, std::int64_t{3});
  }

  void both_ways_are_traced_from_one_preparation_as_each_alone() {
    session::MemoryQuestion question;
    question.sizes = {{8, 1}, {16, 1}};
    const spec::Experiment experiment = experiment_of(8);
    std::vector<bool> told;
    const session::BothTraces both =
        session::trace_memory_both_ways(experiment, question, {}, [&told](bool is_other) { told.push_back(is_other); });
    QCOMPARE(told, (std::vector<bool>{false, true}));
    QVERIFY(both.other.has_value());
    const std::optional<spec::Experiment> other = session::with_other_checkpointing(experiment);
    QVERIFY(other.has_value());
    const session::TracedMemory lone = session::trace_memory(experiment, question, {});
    const session::TracedMemory lone_other = session::trace_memory(*other, question, {});
    std::size_t differing = 0;
    for (std::size_t i = 0; i < lone.arms.size(); ++i) {
      for (std::size_t j = 0; j < question.sizes.size(); ++j) {
        QVERIFY(is_same(both.asked.arms[i].traces[j], lone.arms[i].traces[j]));
        QVERIFY(is_same(both.other->arms[i].traces[j], lone_other.arms[i].traces[j]));
        if (!is_same(both.asked.arms[i].traces[j], both.other->arms[i].traces[j])) ++differing;
      }
    }
    QVERIFY(differing > 0);  // blocks are computed again in one of them
  }

  void a_microbatch_below_one_is_refused() {
    try {
      trace(experiment_of(8), {8, 0});
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QCOMPARE(QString::fromStdString(error.facts().found), "0");
    }
  }

  void a_request_to_stop_ends_it_with_what_it_has() {
    session::StopToken stop;
    stop.request();
    session::MemoryQuestion question;
    question.sizes = {{8, 1}, {16, 1}};
    const auto arms = session::trace_memory(experiment_of(8), question, stop).arms;
    for (const session::ArmMemory& arm : arms) QVERIFY(arm.traces.empty());
  }
};

QTEST_APPLESS_MAIN(StepMemoryTests)
#include "step_memory_tests.moc"
