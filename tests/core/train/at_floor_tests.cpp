// SPDX-License-Identifier: Apache-2.0
#include "core/train/at_floor.h"

#include <ATen/ATen.h>

#include <QTest>

#include "core/spec/parse.h"
#include "core/train/stages.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;
using tests::SmallNetwork;

namespace {

/// Trial `a` in FP16 with a floor of 4 where its scale begins, and the trials that it may switch to.
spec::Experiment experiment_with(const std::string& at_floor, const std::string& others = {}) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\nloss = \"mse\"\n"
      "[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.1\n[[trial]]\nname = \"a\"\nautocast = \"float16\"\n"
      "[trial.scaler]\ninit_scale = 4\nfloor = 4\nat_floor = \"" +
          at_floor + "\"\n" + others,
      "test.toml");
}

const std::string kBf16 = "[[trial]]\nname = \"b\"\nautocast = \"bfloat16\"\n";

/// y = w·x with w = 1: an input of infinity makes the gradient non-finite.
train::Arm arm_of(const spec::Experiment& experiment) {
  auto network = std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"w", 1.0}},
                                                [](const std::vector<at::Tensor>& p, const at::Tensor& x) {
                                                  return at::matmul(x, p[0].reshape({1, 1}));
                                                });
  return {"a", std::move(network), experiment, &experiment.trials[0]};
}

train::Attempt step(train::Arm& arm, float input) {
  train::Window window;
  window.samples = 1;
  window.microbatches.push_back({at::full({1, 1}, input), at::zeros({1, 1})});
  train::Attempt attempt;
  train::run_stages(train::gradient_stages(), arm, window, attempt, {});
  if (!arm.failure) train::run_stages(train::update_stages(), arm, window, attempt, {});
  return attempt;
}

constexpr float kOverflow = 60000.0F;  // 2 · 60000² · 4 is far beyond FP16
constexpr float kClean = 1.0F;

double weight_of(const train::Arm& arm) { return arm.network->parameters()[0].tensor.item<double>(); }

}  // namespace

class AtFloorTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void continue_skips_and_stays_at_the_floor() {
    const spec::Experiment experiment = experiment_with("continue");
    train::Arm arm = arm_of(experiment);
    for (int i = 0; i < 3; ++i) {
      const train::Attempt attempt = step(arm, kOverflow);
      QVERIFY(attempt.skipped());
      QCOMPARE(attempt.scale_after, 4.0);
    }
    QVERIFY(!arm.failure);
    QCOMPARE(weight_of(arm), 1.0);
  }

  void stop_fails_the_trial_with_the_reason_scale_floor() {
    const spec::Experiment experiment = experiment_with("stop");
    train::Arm arm = arm_of(experiment);
    step(arm, kClean);
    QVERIFY(!arm.failure);
    const train::Attempt attempt = step(arm, kOverflow);
    QVERIFY(attempt.skipped());
    QVERIFY(arm.failure.has_value());
    QCOMPARE(arm.failure->reason, std::string("scale-floor"));
    QCOMPARE(arm.failure->text, std::string("The trial stops: an overflow at step 2 found the loss scale at its floor "
                                            "of 4. The update was not applied."));
  }

  void switch_goes_on_under_the_other_policy_from_the_next_step_on() {
    const spec::Experiment experiment = experiment_with("switch:b", kBf16);
    train::Arm arm = arm_of(experiment);
    step(arm, kOverflow);
    QVERIFY(arm.policy_changes.empty());  // the step that overflowed is the old policy's
    QVERIFY(arm.scaler.has_value());
    const double before = weight_of(arm);
    const train::Attempt attempt = step(arm, kClean);
    QVERIFY(!arm.scaler);
    QVERIFY(arm.policy.autocast == c10::ScalarType::BFloat16);
    QCOMPARE(attempt.outputs[0].scalar_type(), at::kBFloat16);
    QVERIFY(attempt.optimizers[0].applied);
    QVERIFY(weight_of(arm) != before);
    QCOMPARE(arm.policy_changes.size(), std::size_t{1});
    QCOMPARE(arm.policy_changes[0].step, std::int64_t{2});
    QCOMPARE(arm.policy_changes[0].trial, std::string("b"));
    QCOMPARE(arm.policy_changes[0].autocast, std::string("bfloat16"));
    QCOMPARE(arm.policy_changes[0].reason, std::string("scale-floor"));
    QCOMPARE(arm.policy_changes[0].policy, spec::canonical_json(experiment.trials[1]));
    QCOMPARE(arm.notes.back(),
             std::string("From step 2 on under the policy of trial b: an overflow at step 1 found the "
                         "loss scale at its floor of 4."));
  }

  void a_switch_may_lead_on_to_a_third_policy() {
    const spec::Experiment experiment = experiment_with(
        "switch:b",
        "[[trial]]\nname = \"b\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = 2\nfloor = 2\nat_floor = "
        "\"switch:c\"\n[[trial]]\nname = \"c\"\nautocast = \"off\"\n");
    train::Arm arm = arm_of(experiment);
    step(arm, kOverflow);
    QCOMPARE(step(arm, kOverflow).scale_before, 2.0);  // a fresh scaler of b's settings
    step(arm, kClean);
    QCOMPARE(arm.policy_changes.size(), std::size_t{2});
    QCOMPARE(arm.policy_changes[1].step, std::int64_t{3});
    QCOMPARE(arm.policy_changes[1].trial, std::string("c"));
    QVERIFY(!arm.policy.autocast);
  }

  void an_overflow_in_the_last_step_changes_nothing_any_more() {
    const spec::Experiment experiment = experiment_with("switch:b", kBf16);
    train::Arm arm = arm_of(experiment);
    step(arm, kOverflow);
    QVERIFY(arm.policy_changes.empty());
    QVERIFY(arm.policy.autocast == c10::ScalarType::Half);
  }
};

QTEST_APPLESS_MAIN(AtFloorTests)
#include "at_floor_tests.moc"
