// SPDX-License-Identifier: Apache-2.0
#include "core/train/paired_run.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QTest>

#include "core/data/dataset.h"
#include "core/spec/parse.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;
using tests::SmallNetwork;

namespace {

constexpr char kExperiment[] = R"(
mantissa = 1
[data]
source = "gaussian"
rows = 40
features = 6
[model]
kind = "mlp"
hidden = [8]
dropout = 0.25
[training]
steps = 25
batch = 8
loss = "mse"
clip_norm = 0.5
[[trial]]
name = "bf16"
autocast = "bfloat16"
[[trial]]
name = "fp32"
autocast = "off"
)";

struct Setup {
  spec::Experiment experiment;
  data::Dataset dataset;
  std::unique_ptr<train::BatchPlan> plan;
  std::unique_ptr<train::PairedRun> run;
};

std::unique_ptr<Setup> set_up(bool measure, std::function<bool()> stop = {}) {
  at::set_num_threads(1);
  auto setup = std::make_unique<Setup>();
  setup->experiment = spec::parse_experiment(kExperiment, "test.toml");
  setup->dataset = data::load(setup->experiment);
  setup->plan = std::make_unique<train::BatchPlan>(setup->experiment, setup->dataset.train);
  const auto network = model::build(setup->experiment.model, 6, 1, setup->experiment.training.seed);
  std::vector<std::unique_ptr<train::Arm>> arms;
  arms.push_back(std::make_unique<train::Arm>("reference", network->clone(), setup->experiment, nullptr));
  for (const spec::Trial& trial : setup->experiment.trials) {
    arms.push_back(std::make_unique<train::Arm>(trial.name, network->clone(), setup->experiment, &trial));
  }
  setup->run = std::make_unique<train::PairedRun>(*setup->plan, std::move(arms), measure, std::move(stop));
  return setup;
}

std::vector<at::Tensor> weights_of(const train::Arm& arm) {
  std::vector<at::Tensor> weights;
  for (const model::NamedTensor& parameter : arm.network->parameters())
    weights.push_back(parameter.tensor.detach().clone());
  return weights;
}

bool bit_equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!at::equal(a[i].view(at::kInt), b[i].view(at::kInt))) return false;
  }
  return a.size() == b.size();
}

}  // namespace

class PairedRunTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void probes_change_no_bit_of_the_weights() {
    const auto with = set_up(true);
    const auto without = set_up(false);
    const auto ignore = [](std::size_t, record::StepRecord&&) {};
    while (with->run->step(ignore)) {
    }
    while (without->run->step(ignore)) {
    }
    QCOMPARE(with->run->steps_done(), std::int64_t{25});
    for (std::size_t arm = 0; arm < 3; ++arm) {
      QVERIFY(bit_equal(weights_of(with->run->arm(arm)), weights_of(without->run->arm(arm))));
    }
  }

  void a_trial_in_fp32_deviates_by_nothing() {
    // Same weights, batches, dropout masks: the deviation of an FP32 trial from the FP32 reference is exactly zero.
    const auto setup = set_up(true);
    std::int64_t records = 0;
    const auto check = [&](std::size_t arm, record::StepRecord&& step) {
      if (arm != 2) return;
      ++records;
      QCOMPARE(*step.deviation_output_max, 0.0);
      QCOMPARE(*step.deviation_gradient_relative, 0.0);
      QCOMPARE(step.deviation_weight_relative.value_or(0.0), 0.0);
      QCOMPARE(*step.deviation_loss, 0.0);
      QCOMPARE(*step.loss, *step.loss_reference);
    };
    while (setup->run->step(check)) {
    }
    QCOMPARE(records, std::int64_t{25});
  }

  void a_trial_in_bf16_deviates_and_the_reference_has_no_deviation() {
    const auto setup = set_up(true);
    const auto check = [&](std::size_t arm, record::StepRecord&& step) {
      if (arm == 0) QVERIFY(!step.deviation_output_max && !step.loss_reference);
      if (arm == 1) QVERIFY(*step.deviation_output_max > 0.0);
      QVERIFY(!step.scale_before);  // no scaler, no scale
      // 25 steps: every tenth, and the last.
      QCOMPARE(step.weight_change.has_value(), step.step % 10 == 0 || step.step == 25);
      QCOMPARE(step.deviation_weight_relative.has_value(), arm > 0 && step.weight_change.has_value());
      if (step.weight_change) QVERIFY(*step.weight_change > 0.0);
      QVERIFY(*step.peak_bytes > 0);
    };
    while (setup->run->step(check)) {
    }
  }

  void gradients_that_no_optimizer_owns_are_not_compared() {
    // A scaler of a power of two changes no bit, so nothing deviates; the frozen weight's gradient stays scaled.
    spec::Experiment experiment = spec::parse_experiment(
        R"(
mantissa = 1
[data]
source = "gaussian"
rows = 40
features = 6
[model]
kind = "linear"
[training]
steps = 5
loss = "mse"
[[training.optimizer]]
kind = "sgd"
lr = 0.01
parameters = ["bias"]
[[trial]]
name = "scaled"
autocast = "off"
scaler = { enabled = true, init_scale = 1024 }
)",
        "test.toml");
    const data::Dataset dataset = data::load(experiment);
    train::BatchPlan plan(experiment, dataset.train);
    const auto network = model::build(experiment.model, 6, 1, 1);
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", network->clone(), experiment, nullptr));
    arms.push_back(std::make_unique<train::Arm>("scaled", network->clone(), experiment, &experiment.trials[0]));
    train::PairedRun run(plan, std::move(arms), true);
    const auto check = [](std::size_t arm, record::StepRecord&& step) {
      if (arm == 1) QCOMPARE(*step.deviation_gradient_relative, 0.0);
    };
    while (run.step(check)) {
    }
    QCOMPARE(run.steps_done(), std::int64_t{5});
  }

  void counters_are_three_and_count_from_one() {
    const auto setup = set_up(true);
    std::int64_t expected = 0;
    const auto check = [&](std::size_t arm, record::StepRecord&& step) {
      if (arm != 0) return;
      ++expected;
      QCOMPARE(step.step, expected);
      QCOMPARE(step.iteration, expected);
      QCOMPARE(step.applied_updates, expected);
      QCOMPARE(step.epoch, (expected - 1) / 4 + 1);  // 32 training rows (40 less 20 %), 4 batches of 8
      QCOMPARE(step.samples, 8 * expected);
    };
    while (setup->run->step(check)) {
    }
  }

  void memory_that_steps_hold_does_not_grow() {
    // Every step has a full batch of 8, and AdamW allocates its moments in the first: from the second on all are alike.
    const auto setup = set_up(true);
    std::vector<std::int64_t> live(3, 0);
    const auto check = [&](std::size_t arm, record::StepRecord&& step) {
      if (step.step == 2) live[arm] = *step.live_bytes;
      if (step.step > 2) QCOMPARE(*step.live_bytes, live[arm]);
    };
    while (setup->run->step(check)) {
    }
    QCOMPARE(setup->run->steps_done(), std::int64_t{25});
  }

  void a_stop_within_a_step_leaves_no_half_step() {
    int asked = 0;
    const auto setup = set_up(true, [&asked] { return ++asked > 10; });
    std::int64_t records = 0;
    const auto count = [&](std::size_t, record::StepRecord&&) { ++records; };
    while (setup->run->step(count)) {
    }
    QVERIFY(setup->run->stopped());
    for (std::size_t arm = 0; arm < 3; ++arm) {
      QCOMPARE(setup->run->arm(arm).tally.counts.attempted, records / 3);
      QCOMPARE(setup->run->arm(arm).tally.counts.iterations, records / 3);
    }
    QVERIFY(!setup->run->step(count));
  }

  void a_failing_trial_is_left_behind_and_the_others_go_on() {
    at::set_num_threads(1);
    const spec::Experiment experiment = spec::parse_experiment(kExperiment, "test.toml");
    const data::Dataset dataset = data::load(experiment);
    train::BatchPlan plan(experiment, dataset.train);
    int calls = 0;
    const auto linear = [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x.narrow(1, 0, 1) * p[0]; };
    const auto failing = [&calls](const std::vector<at::Tensor>& p, const at::Tensor& x) {
      if (++calls == 3) throw std::runtime_error("broken");
      return x.narrow(1, 0, 1) * p[0];
    };
    const std::vector<std::pair<std::string, double>> weights = {{"w", 1.0}};
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", std::make_unique<SmallNetwork>(weights, linear),
                                                experiment, nullptr));
    arms.push_back(std::make_unique<train::Arm>("bf16", std::make_unique<SmallNetwork>(weights, failing), experiment,
                                                &experiment.trials[0]));
    arms.push_back(std::make_unique<train::Arm>("fp32", std::make_unique<SmallNetwork>(weights, linear), experiment,
                                                &experiment.trials[1]));
    train::PairedRun run(plan, std::move(arms), true);
    std::vector<std::int64_t> records(3, 0);
    while (run.step([&](std::size_t arm, record::StepRecord&&) { ++records[arm]; })) {
    }
    QCOMPARE(records, (std::vector<std::int64_t>{25, 2, 25}));  // the third step threw: it was not attempted
    QCOMPARE(run.arm(1).tally.counts.attempted, std::int64_t{2});
    QVERIFY(run.arm(1).failure->text.find("at step 3") != std::string::npos);
    QCOMPARE(run.arm(1).failure->reason, std::string("forward"));
    QVERIFY(!run.arm(2).failure);
  }
};

QTEST_GUILESS_MAIN(PairedRunTests)
#include "paired_run_tests.moc"
