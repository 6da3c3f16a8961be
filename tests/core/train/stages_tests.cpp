// SPDX-License-Identifier: Apache-2.0
#include "core/train/stages.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;
using tests::SmallNetwork;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An experiment with one trial; the network and the data come from the test.
spec::Experiment experiment_with(const std::string& training, const std::string& trial) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\n" + training +
          "\n[[trial]]\nname = \"t\"\n" + trial,
      "test.toml");
}

train::Window window_of(const std::vector<std::pair<at::Tensor, at::Tensor>>& microbatches) {
  train::Window window;
  for (const auto& [inputs, targets] : microbatches) {
    window.samples += inputs.size(0);
    window.microbatches.push_back({inputs, targets});
  }
  return window;
}

at::Tensor column(std::initializer_list<double> values) {
  return at::tensor(std::vector<float>(values.begin(), values.end())).reshape({-1, 1});
}

/// One attempted step through all stages in their right order.
train::Attempt step(train::Arm& arm, const train::Window& window) {
  train::Attempt attempt;
  train::run_stages(train::gradient_stages(), arm, window, attempt, {});
  if (!arm.failure) train::run_stages(train::update_stages(), arm, window, attempt, {});
  return attempt;
}

/// loss = 3a + 4b: mean absolute error of 3a + 4b against 0 with both so large that the sign is fixed.
std::unique_ptr<SmallNetwork> three_four() {
  return std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"a", 0.0}, {"b", 0.0}},
                                        [](const std::vector<at::Tensor>& p, const at::Tensor&) {
                                          return (3 * p[0] + 4 * p[1] + 100).reshape({1, 1});
                                        });
}

/// y = w · x
std::unique_ptr<SmallNetwork> product(double weight) {
  return std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"w", weight}},
                                        [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x * p[0]; });
}

const std::string kSgd = "loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1.0\nclip_norm = 1.0";
const std::string kScaled1024 = "autocast = \"float16\"\n[trial.scaler]\ninit_scale = 1024";

}  // namespace

class StagesTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clipping_works_on_true_gradients() {
    const spec::Experiment experiment = experiment_with(kSgd, kScaled1024);
    train::Arm arm("t", three_four(), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, window_of({{column({1}), column({0})}}));
    // Gradients 3 and 4: norm 5, clipped to 1: weights −3/5 and −4/5 (PyTorch's clip divides by 5 + 1e-6).
    QCOMPARE(*attempt.grad_norm(), 5.0);
    QCOMPARE(*attempt.grad_norm_scaled(), 5120.0);
    QVERIFY(attempt.optimizers[0].clipped);
    QVERIFY(std::abs(*attempt.grad_norm_clipped() - 1.0) < 1e-6);
    const auto& network = static_cast<const SmallNetwork&>(*arm.network);
    QVERIFY(std::abs(network.value(0) + 0.6) < 1e-6);
    QVERIFY(std::abs(network.value(1) + 0.8) < 1e-6);
  }

  void clipping_before_unscaling_gives_another_result() {
    const spec::Experiment experiment = experiment_with(kSgd, kScaled1024);
    train::Arm arm("t", three_four(), experiment, &experiment.trials[0]);
    const train::Window window = window_of({{column({1}), column({0})}});
    train::Attempt attempt;
    train::run_stages({train::zero_gradients, train::forward_backward, train::clip, train::unscale, train::check_finite,
                       train::apply_updates, train::update_scale},
                      arm, window, attempt, {});
    // The scaled norm is 5120: clipped to 1 and then divided by 1024, the step is 1024 times too small.
    const auto& network = static_cast<const SmallNetwork&>(*arm.network);
    QVERIFY(std::abs(network.value(0) + 0.6 / 1024) < 1e-9);
    QVERIFY(std::abs(network.value(1) + 0.8 / 1024) < 1e-9);
  }

  void skipped_step_leaves_weights_and_schedule_untouched() {
    // 3e38 is finite in FP32, 3e38 · 2 (the scale) is not.
    const spec::Experiment experiment = experiment_with(
        "loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.25\n[training.schedule]\nkind = \"step\"\nevery "
        "= 1\ngamma = 0.5",
        "autocast = \"off\"\n[trial.scaler]\nenabled = true\ninit_scale = 2");
    train::Arm arm("t", product(1.0), experiment, &experiment.trials[0]);
    const train::Window overflow = window_of({{column({3e38}), column({0})}});
    const train::Attempt attempt = step(arm, overflow);
    QCOMPARE(attempt.cause(), record::SkipCause::Calibration);
    QCOMPARE(attempt.optimizers[0].overflow_parameter, std::string("w"));
    QCOMPARE(*attempt.overflow_optimizer(), std::size_t{0});
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(0), 1.0);
    QCOMPARE(arm.optimizers[0].schedule.learning_rate(), 0.25);
    QCOMPARE(attempt.scale_after, 1.0);
    QCOMPARE(arm.tally.counts.attempted, std::int64_t{1});
    QCOMPARE(arm.tally.counts.applied, std::int64_t{0});

    step(arm, window_of({{column({1}), column({0})}}));
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(0), 0.75);
    QCOMPARE(arm.optimizers[0].schedule.learning_rate(), 0.125);
    QCOMPARE(arm.tally.counts.applied, std::int64_t{1});
  }

  void causes_tell_calibration_growth_probe_and_overflow_apart() {
    const spec::Experiment experiment =
        experiment_with("loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0",
                        "autocast = \"off\"\n[trial.scaler]\nenabled = true\ninit_scale = 4\ngrowth_interval = 2");
    train::Arm arm("t", product(1.0), experiment, &experiment.trials[0]);
    const train::Window large = window_of({{column({1.5e38}), column({0})}});  // finite at scale 2, not at 4
    const train::Window small = window_of({{column({1}), column({0})}});
    const train::Window huge = window_of({{column({3e38}), column({0})}});  // finite at scale 1 only
    QCOMPARE(step(arm, large).cause(), record::SkipCause::Calibration);     // 4 → 2
    QCOMPARE(step(arm, large).cause(), record::SkipCause::None);
    QCOMPARE(step(arm, small).scale_after, 4.0);                         // two clean steps: 2 → 4
    QCOMPARE(step(arm, large).cause(), record::SkipCause::GrowthProbe);  // 4 → 2
    QCOMPARE(step(arm, huge).cause(), record::SkipCause::Overflow);      // 2 → 1
  }

  void a_window_is_divided_by_its_real_number_of_microbatches() {
    // Gradients x: mean of 1, 2 and 6 is 3; a short window of one microbatch is not divided by three.
    const spec::Experiment experiment = experiment_with(
        "accumulate = 3\nloss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1", "autocast = \"off\"");
    train::Arm arm("t", product(100.0), experiment, &experiment.trials[0]);
    const at::Tensor zero = column({0});
    const train::Attempt full = step(arm, window_of({{column({1}), zero}, {column({2}), zero}, {column({6}), zero}}));
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(0), 97.0);
    QCOMPARE(full.loss, 300.0);  // mean of 100, 200, 600
    QCOMPARE(arm.tally.counts.iterations, std::int64_t{3});
    step(arm, window_of({{column({2}), zero}}));
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(0), 95.0);
    QCOMPARE(arm.tally.counts.iterations, std::int64_t{4});
    QCOMPARE(arm.tally.counts.attempted, std::int64_t{2});
  }

  void a_gradient_that_unscaling_makes_infinite_is_never_applied() {
    // The sum of two gradients of 3e38, scaled by 2^-10, is finite; divided by 2^-10 it is 6e38, beyond FP32.
    const spec::Experiment experiment =
        experiment_with("loss = \"l1\"\nreduction = \"sum\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e-3",
                        "autocast = \"off\"\n[trial.scaler]\nenabled = true\ninit_scale = 0.0009765625");
    train::Arm arm("t", product(0.1), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(arm, window_of({{column({3e38, 3e38}), column({0, 0})}}));
    QCOMPARE(attempt.cause(), record::SkipCause::ScaleTooSmall);
    QVERIFY(arm.failure.has_value());
    QCOMPARE(arm.failure->reason, std::string("scale-too-small"));
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(0), static_cast<double>(0.1F));
    QCOMPARE(arm.scaler->get_scale(), 0.0009765625);  // scale and tracker stay
    QCOMPARE(arm.scaler->get_growth_tracker(), std::int64_t{0});
  }

  void an_infinite_norm_of_finite_gradients_is_said_and_no_silent_zero_update() {
    // Norm² = 1e40 > FP32's largest 3.4e38, the gradient itself is finite; PyTorch would multiply it by 1/inf = 0.
    const spec::Experiment experiment = experiment_with(
        "loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nclip_norm = 1.0", "autocast = \"off\"");
    at::Tensor inputs = at::full({1, 1}, 1e20F);
    auto network = std::make_unique<SmallNetwork>(
        std::vector<std::pair<std::string, double>>{{"w", 0.0}, {"v", 0.0}},
        [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x * p[0] + x * p[1] + 1; });
    train::Arm two("t", std::move(network), experiment, &experiment.trials[0]);
    const train::Attempt attempt = step(two, window_of({{inputs, column({0})}}));
    QCOMPARE(*attempt.grad_norm(), kInfinity);
    QVERIFY(!attempt.skipped());
    QCOMPARE(two.notes.size(), std::size_t{1});
    QVERIFY(two.notes[0].find("overflowed FP32 at step 1") != std::string::npos);
    // Two gradients of 1e20 clipped to norm 1: 1/√2 each.
    QVERIFY(std::abs(static_cast<const SmallNetwork&>(*two.network).value(0) + std::sqrt(0.5)) < 1e-6);
  }

  void an_optimizer_without_any_gradient_counts_no_step() {
    const spec::Experiment experiment =
        experiment_with("loss = \"l1\"\n[[training.optimizer]]\nkind = \"adamw\"\nparameters = [\"b\"]", kScaled1024);
    auto network =
        std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b", 1.0}},
                                       [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x * p[0]; });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    QCOMPARE(arm.notes.size(), std::size_t{1});
    QVERIFY(arm.notes[0].find("Parameter a belongs to no optimizer") != std::string::npos);
    const train::Attempt attempt = step(arm, window_of({{column({1}), column({0})}}));
    QCOMPARE(attempt.cause(), record::SkipCause::NoGradient);
    QVERIFY(!arm.failure);
    QCOMPARE(arm.tally.counts.applied, std::int64_t{0});
    QCOMPARE(arm.scaler->get_scale(), 1024.0);
    QCOMPARE(static_cast<const SmallNetwork&>(*arm.network).value(1), 1.0);
  }

  void without_a_scaler_a_non_finite_gradient_stops_before_the_update() {
    for (const std::string choice : {"stop", "skip", "apply"}) {
      const spec::Experiment experiment = experiment_with(
          "on_non_finite = \"" + choice + "\"\nloss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1",
          "autocast = \"off\"");
      train::Arm arm("t", product(1.0), experiment, &experiment.trials[0]);
      const train::Attempt attempt = step(arm, window_of({{column({kInfinity}), column({0})}}));
      const double weight = static_cast<const SmallNetwork&>(*arm.network).value(0);
      QCOMPARE(arm.failure.has_value(), choice == "stop");
      if (choice == "stop") QCOMPARE(arm.failure->reason, std::string("non-finite"));
      QCOMPARE(attempt.skipped(), choice != "apply");
      if (choice != "apply") QCOMPARE(attempt.cause(), record::SkipCause::Input);
      QCOMPARE(weight, choice == "apply" ? -kInfinity : 1.0);
    }
  }

  void a_throwing_model_fails_its_arm_and_leaves_autocast_balanced() {
    const spec::Experiment experiment = experiment_with(kSgd, kScaled1024);
    auto network = std::make_unique<SmallNetwork>(
        std::vector<std::pair<std::string, double>>{{"w", 1.0}},
        [](const std::vector<at::Tensor>&, const at::Tensor&) -> at::Tensor { throw std::runtime_error("no kernel"); });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    const int before = at::autocast::increment_nesting();
    at::autocast::decrement_nesting();
    step(arm, window_of({{column({1}), column({0})}}));
    const int after = at::autocast::increment_nesting();
    at::autocast::decrement_nesting();
    QCOMPARE(after, before);
    QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
    QVERIFY(arm.failure.has_value());
    QCOMPARE(arm.failure->reason, std::string("forward"));
    QCOMPARE(arm.failure->text, std::string("The model failed at step 1: no kernel"));
  }

  void running_out_of_memory_has_a_reason_of_its_own() {
    const spec::Experiment experiment = experiment_with(kSgd, kScaled1024);
    auto network = std::make_unique<SmallNetwork>(
        std::vector<std::pair<std::string, double>>{{"w", 1.0}},
        [](const std::vector<at::Tensor>&, const at::Tensor&) { return at::empty({std::int64_t{1} << 45}); });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    step(arm, window_of({{column({1}), column({0})}}));
    QVERIFY(arm.failure.has_value());
    QCOMPARE(arm.failure->reason, std::string("memory"));
  }

  void a_scale_that_fp32_cannot_hold_does_not_seem_to_grow() {
    // 7.3 is 7.300000190734863 in FP32: the difference is rounding, not growth.
    const spec::Experiment experiment =
        experiment_with("loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 0",
                        "autocast = \"off\"\n[trial.scaler]\nenabled = true\ninit_scale = 7.3");
    train::Arm arm("t", product(1.0), experiment, &experiment.trials[0]);
    const train::Attempt first = step(arm, window_of({{column({1}), column({0})}}));
    QCOMPARE(first.scale_before, static_cast<double>(7.3F));
    QCOMPARE(first.scale_after, first.scale_before);
    QCOMPARE(step(arm, window_of({{column({1e38}), column({0})}})).cause(), record::SkipCause::Overflow);
  }

  void applying_non_finite_gradients_clips_them_as_pytorch_does() {
    // clip_grad_norm_ of (inf, 2): factor 1/inf = 0, so inf · 0 = NaN and 2 · 0 = 0 (case 14).
    const spec::Experiment experiment = experiment_with(
        "on_non_finite = \"apply\"\nloss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nclip_norm = 1.0",
        "autocast = \"off\"");
    auto network = std::make_unique<SmallNetwork>(
        std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b", 1.0}},
        [](const std::vector<at::Tensor>& p, const at::Tensor& x) { return x * p[0] + 2 * p[1]; });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    step(arm, window_of({{column({kInfinity}), column({0})}}));
    const auto& trained = static_cast<const SmallNetwork&>(*arm.network);
    QVERIFY(std::isnan(trained.value(0)));
    QCOMPARE(trained.value(1), 1.0);
    QVERIFY(arm.notes.empty());
  }

  void a_glob_that_matches_nothing_is_refused() {
    const spec::Experiment experiment =
        experiment_with("loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nparameters = [\"head.*\"]",
                        "autocast = \"off\"");
    QVERIFY_EXCEPTION_THROWN(train::Arm("t", product(1.0), experiment, &experiment.trials[0]), Error);
  }

  void momentum_starts_with_a_parameters_first_gradient() {
    // SGD with momentum 0.5, lr 1: buffers 1, then 0.5 + 1 = 1.5 → 10 − 1 − 1.5 = 7.5. b joins at step 2: 10 − 1 = 9.
    const spec::Experiment experiment = experiment_with(
        "loss = \"l1\"\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1\nmomentum = 0.5", "autocast = \"off\"");
    bool with_b = false;
    auto network = std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"a", 10.0}, {"b", 10.0}},
                                                  [&with_b](const std::vector<at::Tensor>& p, const at::Tensor& x) {
                                                    return with_b ? x * p[0] + x * p[1] : x * p[0];
                                                  });
    train::Arm arm("t", std::move(network), experiment, &experiment.trials[0]);
    step(arm, window_of({{column({1}), column({0})}}));
    with_b = true;
    step(arm, window_of({{column({1}), column({0})}}));
    const auto& trained = static_cast<const SmallNetwork&>(*arm.network);
    QCOMPARE(trained.value(0), 7.5);
    QCOMPARE(trained.value(1), 9.0);
  }
};

QTEST_GUILESS_MAIN(StagesTests)
#include "stages_tests.moc"
