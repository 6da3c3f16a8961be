// SPDX-License-Identifier: Apache-2.0
#include "core/train/shadow.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <QTest>

#include "core/data/dataset.h"
#include "core/spec/parse.h"
#include "core/train/paired_run.h"

using namespace mantissa;

namespace {

/// Dropout, then BatchNorm with its running statistics, then a linear layer: everything that a forward may change.
class Restless : public model::Network {
 public:
  explicit Restless(std::int64_t features) : features_(features) {
    at::manual_seed(5);
    add(parameters_, "bn.weight", at::ones({features}).requires_grad_());
    add(parameters_, "bn.bias", at::zeros({features}).requires_grad_());
    add(parameters_, "fc.weight", (at::randn({1, features}) / 4).requires_grad_());
    add(buffers_, "bn.running_mean", at::zeros({features}));
    add(buffers_, "bn.running_var", at::ones({features}));
  }

  at::Tensor forward(const at::Tensor& inputs) override {
    if (throws_when_called && ++*calls == *throws_when_called) throw std::runtime_error("broken");
    const at::Tensor dropped = at::dropout(inputs, 0.3, training_);
    const at::Tensor normal = at::batch_norm(dropped, parameters_[0].tensor, parameters_[1].tensor, buffers_[0].tensor,
                                             buffers_[1].tensor, training_, 0.1, 1e-5, /*cudnn_enabled=*/false);
    return at::linear(normal, parameters_[2].tensor);
  }
  void set_training(bool training) override { training_ = training; }
  std::unique_ptr<Network> clone() const override {
    auto copy = std::make_unique<Restless>(features_);
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < state_.size(); ++i) copy->state_[i].tensor.copy_(state_[i].tensor);
    copy->throws_when_called = throws_when_called;
    return copy;
  }
  bool may_use_randomness() const override { return true; }

  std::optional<int> throws_when_called;  ///< of the clones, too; each counts its own calls
  std::shared_ptr<int> calls = std::make_shared<int>(0);

 private:
  void add(std::vector<model::NamedTensor>& list, const char* name, const at::Tensor& tensor) {
    list.push_back({name, tensor});
    state_.push_back({name, tensor});
  }
  std::int64_t features_;
  bool training_ = true;
};

/// FP16 starts at 2^40, so that its first steps are skipped; the trial in FP32 has a scaler, too.
std::string text(int shadow_every) {
  const std::string every = "shadow_every = " + std::to_string(shadow_every) + "\n";
  return R"(
mantissa = 1
[data]
source = "gaussian"
rows = 60
features = 6
[model]
kind = "linear"
[training]
steps = 40
batch = 8
accumulate = 2
loss = "mse"
clip_norm = 0.5
[[trial]]
name = "fp16"
autocast = "float16"
)" + every +
         "scaler = { init_scale = 1.1e12, growth_interval = 4 }\n[[trial]]\nname = \"fp32\"\nautocast = \"off\"\n" +
         every + "scaler = { enabled = true, init_scale = 1024 }\n";
}

struct Finished {
  std::vector<at::Tensor> state;  ///< parameters, buffers, optimizer state, random streams of all arms
  std::vector<precision::LossScalerState> scalers;
  std::vector<std::vector<record::StepRecord>> records;
  std::vector<std::string> notes;
  at::Tensor default_generator;
};

Finished train_to_the_end(int shadow_every, const Restless& network = Restless(6)) {
  at::set_num_threads(1);
  const spec::Experiment experiment = spec::parse_experiment(text(shadow_every), "test.toml");
  const data::Dataset dataset = data::load(experiment);
  train::BatchPlan plan(experiment, dataset.train);
  std::vector<std::unique_ptr<train::Arm>> arms;
  arms.push_back(std::make_unique<train::Arm>("reference", network.clone(), experiment, nullptr));
  for (const spec::Trial& trial : experiment.trials) {
    arms.push_back(std::make_unique<train::Arm>(trial.name, network.clone(), experiment, &trial));
  }
  train::PairedRun run(plan, std::move(arms), true);
  Finished finished;
  finished.records.resize(3);
  while (run.step([&](std::size_t arm, record::StepRecord&& step) { finished.records[arm].push_back(step); })) {
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const train::Arm& arm = run.arm(i);
    for (const model::NamedTensor& named : arm.network->state()) finished.state.push_back(named.tensor);
    for (const at::Tensor& moment : arm.optimizers[0].optimizer->state()) finished.state.push_back(moment);
    finished.state.push_back(arm.generator_state);
    if (arm.scaler) finished.scalers.push_back(arm.scaler->state_dict());
    finished.notes.insert(finished.notes.end(), arm.notes.begin(), arm.notes.end());
  }
  finished.default_generator = at::detail::getDefaultCPUGenerator().get_state();
  return finished;
}

}  // namespace

class ShadowTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_shadow_changes_no_bit_of_any_arm() {
    const Finished with = train_to_the_end(1);
    const Finished without = train_to_the_end(0);
    QVERIFY(with.records[1].front().skipped);  // 2^40 overflows FP16
    QVERIFY(!with.records[1].back().skipped);
    QCOMPARE(with.state.size(), without.state.size());
    for (std::size_t i = 0; i < with.state.size(); ++i) {
      QVERIFY2(at::equal(with.state[i].reshape({-1}).view(at::kByte), without.state[i].reshape({-1}).view(at::kByte)),
               std::to_string(i).c_str());
    }
    QVERIFY(!with.scalers.empty() && !with.scalers.front().empty());
    QVERIFY(with.scalers == without.scalers);
    QVERIFY(at::equal(with.default_generator, without.default_generator));
    QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      for (std::size_t i = 0; i < 40; ++i) {
        QCOMPARE(with.records[arm][i].loss, without.records[arm][i].loss);
        QCOMPARE(with.records[arm][i].grad_norm.value_or(-1) == without.records[arm][i].grad_norm.value_or(-1) ||
                     std::isnan(*with.records[arm][i].grad_norm),
                 true);
      }
    }
  }

  void the_shadow_of_a_trial_in_fp32_is_the_reference() {
    // A power of two as the scale changes no bit: dropout masks, batch statistics and gradients are the reference's.
    std::int64_t compared = 0;
    const Finished finished = train_to_the_end(1);
    for (const record::StepRecord& step : finished.records[2]) {
      QCOMPARE(*step.shadow_output_max, 0.0);
      QCOMPARE(*step.shadow_output_ulp, 0.0);
      QCOMPARE(*step.shadow_loss, 0.0);
      QCOMPARE(*step.shadow_gradient_relative, 0.0);
      ++compared;
    }
    QCOMPARE(compared, std::int64_t{40});
  }

  void the_first_step_of_trajectory_and_shadow_is_the_same() {
    // Before the first update all arms hold the same weights; the scale overflows in both.
    const record::StepRecord step = train_to_the_end(1).records[1].front();
    QVERIFY(*step.shadow_output_max > 0.0);
    QCOMPARE(*step.shadow_output_max, *step.deviation_output_max);
    QCOMPARE(*step.shadow_output_ulp, *step.deviation_output_ulp);
    QCOMPARE(*step.shadow_loss, *step.deviation_loss);
    QVERIFY(!std::isfinite(*step.shadow_gradient_relative));
  }

  void only_multiples_of_shadow_every_are_compared() {
    const Finished finished = train_to_the_end(7);
    for (std::size_t arm = 0; arm < 3; ++arm) {
      for (const record::StepRecord& step : finished.records[arm]) {
        QCOMPARE(step.shadow_output_max.has_value(), arm > 0 && step.step % 7 == 0);
        QVERIFY(!step.shadow_weight_relative);  // the weights are the reference's
      }
    }
  }

  void a_model_that_fails_only_in_the_shadow_ends_the_shadow_alone() {
    // Two microbatches a step: an arm calls its network 80 times, the shadow of two trials 160 times.
    Restless network(6);
    network.throws_when_called = 81;
    const Finished finished = train_to_the_end(1, network);
    QCOMPARE(finished.records[1].size(), std::size_t{40});
    QVERIFY(finished.records[1][19].shadow_output_max && !finished.records[1][20].shadow_output_max);
    QCOMPARE(finished.notes.size(), std::size_t{1});
    QVERIFY(finished.notes[0].find("The shadow comparison ended") == 0);
    QVERIFY(finished.notes[0].find("at step 21") != std::string::npos);
    QVERIFY(finished.records[2][39].shadow_output_max);  // the other trial's goes on
  }
};

QTEST_GUILESS_MAIN(ShadowTests)
#include "shadow_tests.moc"
