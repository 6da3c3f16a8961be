// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "core/train/stages.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;
using record::SkipCause;
using tests::SmallNetwork;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

spec::Experiment experiment_with(const std::string& training, const std::string& trial) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\nloss = "
      "\"l1\"\n" +
          training + "\n[[trial]]\nname = \"t\"\nautocast = \"off\"\n" + trial,
      "test.toml");
}

const std::string kScaled = "[trial.scaler]\nenabled = true\ninit_scale = 2";
const std::string kOneEach =
    "[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.5\nparameters = [\"a\"]\n"
    "[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.25\nparameters = [\"b\"]\n"
    "[training.schedule]\nkind = \"exponential\"\ngamma = 0.5\n";

/// y = x[0] · a + x[1] · b, both 1 at the start: under an L1 loss against 0 the gradients are x.
std::unique_ptr<SmallNetwork> sum_of_two() {
  return std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b", 1.0}},
                                        [](const std::vector<at::Tensor>& p, const at::Tensor& x) {
                                          return x.narrow(1, 0, 1) * p[0] + x.narrow(1, 1, 1) * p[1];
                                        });
}

train::Window gradients(double a, double b) {
  train::Window window;
  window.samples = 1;
  window.microbatches.push_back(
      {at::tensor({static_cast<float>(a), static_cast<float>(b)}).reshape({1, 2}), at::zeros({1, 1})});
  return window;
}

train::Attempt step(train::Arm& arm, const train::Window& window) {
  train::Attempt attempt;
  train::run_stages(train::gradient_stages(), arm, window, attempt, {});
  if (!arm.failure) train::run_stages(train::update_stages(), arm, window, attempt, {});
  return attempt;
}

double weight(const train::Arm& arm, std::size_t index) {
  return static_cast<const SmallNetwork&>(*arm.network).value(index);
}

/// Skips on its own, as fused optimizers on a device do: it is called in every attempt.
class SelfSkipping : public train::Optimizer {
 public:
  explicit SelfSkipping(std::vector<at::Tensor> parameters) : Optimizer(std::move(parameters)) {}
  bool unscales_itself() const override { return true; }
  void step() override { QFAIL("a scaler calls step_scaled"); }
  void step_scaled(const at::Tensor&, const at::Tensor& found_inf) override {
    ++calls;
    if (found_inf.item<float>() == 0.0F) ++updates;
  }
  train::OptimizerState state_dict() const override { return {}; }
  void load_state_dict(const train::OptimizerState&) override {}
  int calls = 0;
  int updates = 0;
};

}  // namespace

class SeveralOptimizersTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void one_overflows_and_the_other_steps() {
    const spec::Experiment experiment = experiment_with(kOneEach, kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    // 3e38 · 2 (the scale) is infinite in FP32.
    const train::Attempt attempt = step(arm, gradients(3e38, 8));
    QCOMPARE(attempt.optimizers[0].cause, SkipCause::Calibration);
    QCOMPARE(attempt.optimizers[0].overflow_parameter, std::string("a"));
    QCOMPARE(attempt.optimizers[1].cause, SkipCause::None);
    QVERIFY(attempt.optimizers[1].applied);
    QCOMPARE(weight(arm, 0), 1.0);
    QCOMPARE(weight(arm, 1), 1.0 - 0.25 * 8);
    QCOMPARE(arm.optimizers[0].schedule.learning_rate(), 0.5);
    QCOMPARE(arm.optimizers[1].schedule.learning_rate(), 0.125);
    QCOMPARE(arm.optimizers[0].applied, std::int64_t{0});
    QCOMPARE(arm.optimizers[1].applied, std::int64_t{1});
    QCOMPARE(arm.tally.counts.applied, std::int64_t{0});  // steps at which all applied
    QCOMPARE(attempt.scale_after, 1.0);                   // one scale for both
    QVERIFY(attempt.skipped());
    QCOMPARE(attempt.cause(), SkipCause::Calibration);
    QCOMPARE(attempt.overflow_optimizer().value(), std::size_t{0});
  }

  void what_is_reported_belongs_to_the_lowest_that_failed() {
    const spec::Experiment experiment = experiment_with(kOneEach, kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    const train::Attempt second = step(arm, gradients(8, 3e38));  // 2 → 1
    QCOMPARE(second.overflow_optimizer().value(), std::size_t{1});
    QCOMPARE(second.optimizers[1].overflow_parameter, std::string("b"));
    // Now the first has applied an update and the second never: the same overflow has two causes.
    const train::Attempt both = step(arm, gradients(kInfinity, kInfinity));
    QCOMPARE(both.overflow_optimizer().value(), std::size_t{0});
    QCOMPARE(both.cause(), SkipCause::Input);
    step(arm, gradients(1, 1));
    const train::Attempt none = step(arm, gradients(8, 8));
    QVERIFY(!none.overflow_optimizer());
    QVERIFY(!none.skipped());
  }

  void the_first_update_of_each_ends_its_own_calibration() {
    const spec::Experiment experiment = experiment_with(kOneEach, "[trial.scaler]\nenabled = true\ninit_scale = 4");
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    step(arm, gradients(1, 3e38));                                  // 4 → 2, a has applied
    const train::Attempt both = step(arm, gradients(3e38, -3e38));  // the loss, 1.5e38 - 3e38, is finite
    QCOMPARE(both.optimizers[0].cause, SkipCause::Overflow);
    QCOMPARE(both.optimizers[1].cause, SkipCause::Calibration);
    QCOMPARE(both.cause(), SkipCause::Overflow);
  }

  void the_largest_finite_gradient_of_the_failed_optimizer_is_kept_scaled() {
    const spec::Experiment experiment = experiment_with("[[training.optimizer]]\nkind = \"sgd\"\nlr = 1",
                                                        "[trial.scaler]\nenabled = true\ninit_scale = 1024");
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, gradients(3e38, -7));
    QCOMPARE(attempt.optimizers[0].largest_finite_gradient.value(), 7.0 * 1024);
    QVERIFY(!step(arm, gradients(1, 1)).optimizers[0].largest_finite_gradient);
    const train::Attempt nothing_finite = step(arm, gradients(kInfinity, kInfinity));
    QVERIFY(!nothing_finite.optimizers[0].largest_finite_gradient);
  }

  void without_a_scaler_only_the_optimizer_with_the_non_finite_gradient_is_refused() {
    const spec::Experiment experiment = experiment_with("on_non_finite = \"skip\"\n" + kOneEach, "");
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, gradients(kInfinity, 2));
    QCOMPARE(attempt.optimizers[0].cause, SkipCause::Input);
    QCOMPARE(weight(arm, 0), 1.0);
    QCOMPARE(weight(arm, 1), 0.5);
    QVERIFY(!arm.failure);
  }

  void one_without_a_gradient_does_not_keep_the_other_from_its_step() {
    const spec::Experiment experiment = experiment_with(kOneEach, kScaled);
    auto network = std::make_unique<SmallNetwork>(
        std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b", 1.0}},
        [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x.narrow(1, 1, 1) * p[1]; });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, gradients(1, 2));
    QCOMPARE(attempt.optimizers[0].cause, SkipCause::NoGradient);
    QCOMPARE(attempt.cause(), SkipCause::NoGradient);
    QVERIFY(!attempt.overflow_optimizer());
    QCOMPARE(weight(arm, 1), 0.5);
    QCOMPARE(arm.scaler->get_growth_tracker(), std::int64_t{1});
  }

  void each_clips_by_its_own_norm() {
    const spec::Experiment experiment = experiment_with(
        "clip_norm = 100\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nparameters = [\"a\"]\nclip_norm = 1\n"
        "[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nparameters = [\"b\"]\n",
        kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    train::Attempt attempt;
    const train::Window window = gradients(3, 4);
    train::StageOptions options;
    options.measure_norms = true;
    train::run_stages(train::gradient_stages(), arm, window, attempt, options);
    train::run_stages(train::update_stages(), arm, window, attempt, options);
    QVERIFY(attempt.optimizers[0].clipped);
    QVERIFY(!attempt.optimizers[1].clipped);
    QVERIFY(std::abs(weight(arm, 0)) < 1e-6);  // 1 − 3 / (3 + 1e-6)
    QCOMPARE(weight(arm, 1), -3.0);
    QCOMPARE(attempt.optimizers[0].grad_norm.value(), 3.0);
    QCOMPARE(attempt.grad_norm().value(), 5.0);
    QCOMPARE(attempt.grad_norm_scaled().value(), 10.0);
  }

  void every_glob_that_holds_no_parameter_is_named_beside_those_that_do() {
    const spec::Experiment experiment =
        experiment_with("[[training.optimizer]]\nkind = \"sgd\"\nparameters = [\"a\", \"A\", \"b\", \"bb*\"]\n", "");
    try {
      const train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
      QFAIL("was not refused");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QCOMPARE(error.facts().subject, std::string("training.optimizer[0].parameters"));
      QCOMPARE(error.facts().found, std::string("'A', 'bb*'"));
      QCOMPARE(error.facts().line, 11);
      QVERIFY(error.facts().expected.find("a, b") != std::string::npos);
    }
  }

  void a_parameter_in_two_blocks_is_refused_with_both_named() {
    const spec::Experiment experiment = experiment_with(
        "[[training.optimizer]]\nkind = \"sgd\"\n[[training.optimizer]]\nkind = \"adam\"\nparameters = [\"b\"]", "");
    try {
      const train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
      QFAIL("was not refused");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QCOMPARE(error.facts().subject, std::string("training.optimizer[1]"));
      QCOMPARE(error.facts().found, std::string("b, which training.optimizer[0] has already"));
      QCOMPARE(error.facts().line, 11);
    }
  }

  void an_update_above_skip_norm_is_refused_and_the_scaler_counts_a_clean_step() {
    for (const double limit : {4.99, 5.0}) {
      const spec::Experiment experiment =
          experiment_with("skip_norm = " + std::to_string(limit) + "\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1",
                          "[trial.scaler]\nenabled = true\ninit_scale = 8\ngrowth_interval = 1");
      train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
      const train::Attempt attempt = step(arm, gradients(3, 4));  // norm 5
      QCOMPARE(attempt.cause(), limit < 5.0 ? SkipCause::Rule : SkipCause::None);
      QVERIFY(!attempt.overflow_optimizer());
      QVERIFY(!attempt.optimizers[0].largest_finite_gradient);
      QCOMPARE(weight(arm, 0), limit < 5.0 ? 1.0 : -2.0);
      QCOMPARE(attempt.scale_after, 16.0);
    }
  }

  void an_overflow_above_skip_norm_stays_an_overflow() {
    const spec::Experiment experiment =
        experiment_with("skip_norm = 1\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1", kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, gradients(3e38, 4));
    QCOMPARE(attempt.cause(), SkipCause::Calibration);
    QCOMPARE(attempt.scale_after, 1.0);
  }

  void stop_on_ends_the_training_before_the_update_although_the_scaler_would_skip() {
    const auto failed = [](const std::string& words, double a, double b) {
      const spec::Experiment experiment =
          experiment_with("stop_on = [" + words + "]\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1", kScaled);
      train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
      const train::Attempt attempt = step(arm, gradients(a, b));
      if (!arm.failure) return std::string();
      if (arm.failure->reason != "non-finite" || attempt.scale_after != 2.0 || weight(arm, 0) != 1.0 ||
          !attempt.skipped()) {
        return std::string("not stopped before the update");
      }
      return arm.failure->text;
    };
    QCOMPARE(failed("\"gradient\"", 3e38, 1),
             std::string("The gradient of a was non-finite at step 1, where stop_on ends the training. The update was "
                         "not applied."));
    QCOMPARE(failed("\"loss\"", 3e38, 3e38),  // 6e38
             std::string("The loss was non-finite at step 1, where stop_on ends the training. The update was not "
                         "applied."));
    // Both gradients are finite, their norm √2 · 1e20 is, too, but its square overflows FP32.
    QCOMPARE(failed("\"norm\"", 1e20, 1e20),
             std::string("The gradient norm of optimizer 0 was non-finite at step 1, where stop_on ends the training. "
                         "The update was not applied."));
    QCOMPARE(failed("\"loss\"", 3e38, 1), std::string());  // a non-finite gradient alone
    QCOMPARE(failed("\"gradient\", \"loss\"", 1e20, 1e20), std::string());
    QCOMPARE(failed("", kInfinity, 1), std::string());
  }

  void a_schedule_that_counts_iterations_moves_in_a_skipped_step() {
    const spec::Experiment experiment = experiment_with(
        "accumulate = 2\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.5\n[training.schedule]\nkind = "
        "\"exponential\"\ngamma = 0.5\nper = \"iteration\"",
        kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    QCOMPARE(arm.notes.size(), std::size_t{1});
    QVERIFY(arm.notes[0].find("The learning rate follows iterations (microbatches), not applied updates") == 0);
    train::Window window = gradients(3e38, 3e38);
    window.microbatches.push_back(window.microbatches.front());
    QVERIFY(step(arm, window).skipped());
    QCOMPARE(arm.optimizers[0].schedule.learning_rate(), 0.125);  // two microbatches
  }

  void an_optimizer_that_skips_by_itself_is_recorded_as_the_scaler_found_it() {
    const spec::Experiment experiment = experiment_with("[[training.optimizer]]\nkind = \"sgd\"\nlr = 1", kScaled);
    train::Arm arm("t", sum_of_two(), experiment, &experiment.trials[0]);
    std::vector<at::Tensor> parameters;
    for (const model::NamedTensor& parameter : arm.network->parameters()) parameters.push_back(parameter.tensor);
    auto planted = std::make_unique<SelfSkipping>(parameters);
    const SelfSkipping& optimizer = *planted;
    arm.optimizers[0].optimizer = std::move(planted);
    const train::Attempt skipped = step(arm, gradients(3e38, 1));
    QCOMPARE(optimizer.calls, 1);
    QCOMPARE(optimizer.updates, 0);
    QVERIFY(!skipped.optimizers[0].applied);
    QCOMPARE(skipped.cause(), SkipCause::Calibration);
    QCOMPARE(skipped.optimizers[0].overflow_parameter, std::string("a"));
    QCOMPARE(skipped.optimizers[0].largest_finite_gradient.value(), 2.0);
    QCOMPARE(skipped.scale_after, 1.0);
    QCOMPARE(arm.tally.counts.applied, std::int64_t{0});
    QVERIFY(step(arm, gradients(1, 1)).optimizers[0].applied);
    QCOMPARE(optimizer.updates, 1);
    QCOMPARE(arm.tally.counts.applied, std::int64_t{1});
  }

  void lbfgs_counts_its_evaluations_as_iterations_and_undoes_a_non_finite_one() {
    for (const bool breaks : {false, true}) {
      const spec::Experiment experiment = experiment_with(
          "on_non_finite = \"skip\"\n[[training.optimizer]]\nkind = \"lbfgs\"\nlr = 0.1\nmax_iter = 3", "");
      int calls = 0;
      auto network = std::make_unique<SmallNetwork>(
          std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b", 1.0}},
          [&calls, breaks](const std::vector<at::Tensor>& p, const at::Tensor& x) {
            const double factor = ++calls == 3 && breaks ? kInfinity : 1.0;
            return x.narrow(1, 0, 1) * p[0].pow(2) * factor + x.narrow(1, 1, 1) * p[1].pow(2);
          });
      train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
      const train::Attempt attempt = step(arm, gradients(1, 2));
      QCOMPARE(arm.tally.counts.attempted, std::int64_t{1});
      QCOMPARE(arm.tally.counts.iterations, std::int64_t{3});  // max_iter evaluations, the last direction's without one
      QCOMPARE(arm.tally.counts.samples, std::int64_t{1});
      QCOMPARE(attempt.skipped(), breaks);
      QCOMPARE(attempt.optimizers[0].applied, !breaks);
      QCOMPARE(arm.tally.counts.applied, std::int64_t{breaks ? 0 : 1});
      QCOMPARE(weight(arm, 0) == 1.0, breaks);
      QVERIFY(!arm.failure);
    }
  }
};

QTEST_APPLESS_MAIN(SeveralOptimizersTests)
#include "several_optimizers_tests.moc"
