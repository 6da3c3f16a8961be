// SPDX-License-Identifier: Apache-2.0
// Skips, unscaling and the course of the scale, number by number.
#include "core/precision/grad_scaler.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "tests/core/precision/scaler_test_help.h"

using namespace mantissa;
using namespace mantissa::precision;

namespace {

/// The scaler in a few lines of double arithmetic that is rounded to FP32: what the kernels should do.
struct HandWrittenScaler {
  float scale;
  double growth, backoff;
  std::int64_t interval;
  std::int64_t tracker = 0;

  void update(bool any_overflow) {
    if (any_overflow) {
      scale = static_cast<float>(static_cast<double>(scale) * backoff);
      tracker = 0;
      return;
    }
    if (++tracker < interval) return;
    const float grown = static_cast<float>(static_cast<double>(scale) * growth);
    if (std::isfinite(grown)) scale = grown;
    tracker = 0;
  }
};

}  // namespace

class ScalerArithmeticTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // ---- skipping ----
  void skipped_step_leaves_weights_untouched_and_says_so() {
    for (const float bad : {kInf, -kInf, kNaN}) {
      GradScaler scaler(options_of(8.0));
      initialise(scaler);
      SmallOptimizer optimizer({parameter(1.0f), parameter(2.0f)});
      optimizer.set_gradient(1.0f);
      optimizer.parameters(0)[1].mutable_grad().fill_(bad);
      QCOMPARE(scaler.step(optimizer), false);
      QCOMPARE(scaler.found_inf(optimizer), true);
      QCOMPARE(optimizer.steps, 0);
      COMPARE_EXACT(optimizer.value(0), 1.0f);
      COMPARE_EXACT(optimizer.value(1), 2.0f);
      scaler.update();
      COMPARE_EXACT(scaler.get_scale(), 4.0);
    }
  }

  void found_inf_is_known_after_unscale_and_gone_after_update() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    EXPECT_REFUSAL(CallOrder, scaler.found_inf(optimizer), "no finite check was recorded");
    optimizer.set_gradient(1.0f);
    scaler.unscale(optimizer);
    QCOMPARE(scaler.found_inf(optimizer), false);
    scaler.step(optimizer);
    scaler.update();
    EXPECT_REFUSAL(CallOrder, scaler.found_inf(optimizer), "no finite check was recorded");
  }

  void overflow_of_one_step_is_forgotten_by_the_next() {
    GradScaler scaler(options_of(8.0));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(kInf);
    QVERIFY(!scaler.step(optimizer));
    scaler.update();
    optimizer.set_gradient(4.0f);
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(optimizer.value(), 0.0f);  // 1 − 4/4
  }

  void gradient_made_infinite_after_unscale_is_not_seen() {
    // PyTorch checks once, at unscale: what happens to the gradient later is the caller's business.
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.unscale(optimizer);
    optimizer.set_gradient(kInf);
    QVERIFY(scaler.step(optimizer));
  }

  void one_overflowing_optimizer_halves_the_scale_of_both() {
    GradScaler scaler(options_of(16.0));
    initialise(scaler);
    SmallOptimizer sound({parameter(1.0f)}), overflowing({parameter(1.0f)});
    sound.set_gradient(8.0f);
    overflowing.set_gradient(kInf);
    QCOMPARE(scaler.step(sound), true);
    QCOMPARE(scaler.step(overflowing), false);
    QCOMPARE(scaler.found_inf(sound), false);
    QCOMPARE(scaler.found_inf(overflowing), true);
    scaler.update();
    COMPARE_EXACT(sound.value(), 0.5f);  // 1 − 8/16: it did step
    COMPARE_EXACT(overflowing.value(), 1.0f);
    COMPARE_EXACT(scaler.get_scale(), 8.0);
    QCOMPARE(scaler.get_growth_tracker(), std::int64_t{0});
  }

  void two_overflowing_optimizers_back_off_once() {
    GradScaler scaler(options_of(16.0));
    initialise(scaler);
    SmallOptimizer first({parameter(1.0f)}), second({parameter(1.0f)});
    first.set_gradient(kInf);
    second.set_gradient(kNaN);
    scaler.step(first);
    scaler.step(second);
    scaler.update();
    COMPARE_EXACT(scaler.get_scale(), 8.0);
  }

  // ---- arithmetic ----
  void growth_stops_where_fp32_ends() {  // case 01
    // 2^126 · 2 = 2^127; 2^127 · 2 = 2^128 is not an FP32 number, so the scale stays. No step is lost.
    GradScaler scaler(options_of(std::ldexp(1.0, 126), 1));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)}, /*lr=*/0.0);
    std::vector<double> seen{std::log2(scaler.get_scale())};
    for (int step = 0; step < 5; ++step) {
      optimizer.set_gradient(1e-30f);
      QVERIFY(scaler.step(optimizer));
      scaler.update();
      seen.push_back(std::log2(scaler.get_scale()));
      QCOMPARE(scaler.get_growth_tracker(), std::int64_t{0});
    }
    QCOMPARE(seen, (std::vector<double>{126, 127, 127, 127, 127, 127}));
  }

  void reciprocal_is_taken_in_double_and_rounded() {
    // 1/2^-127 = 2^127 is finite in FP32, 1/2^-128 = 2^128 is not (case 03).
    const auto unscaled_one = [](double scale) {
      GradScaler scaler(options_of(scale));
      initialise(scaler);
      SmallOptimizer optimizer({parameter(1.0f)});
      optimizer.set_gradient(1.0f);
      scaler.unscale(optimizer);
      return scaler.found_inf(optimizer) ? kNaN : optimizer.gradient();
    };
    COMPARE_EXACT(unscaled_one(std::ldexp(1.0, -127)), std::ldexp(1.0f, 127));
    COMPARE_EXACT(unscaled_one(std::ldexp(1.0, -128)), kInf);
    COMPARE_EXACT(unscaled_one(3.0), 0.3333333432674408f);  // 1/3 rounded once to FP32, 0x3eaaaaab
  }

  void tiny_scale_passes_the_check_and_corrupts_as_in_pytorch() {
    // Case 03 A: the scaler itself behaves like PyTorch's; the training step guards against this, not the class.
    GradScaler scaler(options_of(1e-39));
    initialise(scaler);
    SmallOptimizer vanished({parameter(1.0f)}, 0.1), kept({parameter(1.0f)}, 0.1);
    vanished.set_gradient(0.0f);  // FP16: 2 · 1e-39 is 0, and 0 · inf is NaN
    kept.set_gradient(2e-39f);    // BF16 holds it, and 2e-39 · inf is inf
    QVERIFY(scaler.step(vanished));
    QVERIFY(scaler.step(kept));
    QVERIFY(std::isnan(vanished.value()));
    COMPARE_EXACT(kept.value(), -kInf);
    scaler.update();
    QCOMPARE(scaler.get_growth_tracker(), std::int64_t{1});
  }

  void scale_falls_to_exactly_zero_after_166_overflows_from_the_default() {
    // 2^16 / 2^165 = 2^-149, the smallest FP32 number; half of it rounds to 0 (ties to even).
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    for (int step = 1; step <= 166; ++step) {
      optimizer.set_gradient(kInf);
      scaler.step(optimizer);
      scaler.update();
      if (step == 165) COMPARE_EXACT(scaler.get_scale(), std::ldexp(1.0, -149));
    }
    COMPARE_EXACT(scaler.get_scale(), 0.0);
  }

  void bfloat16_gradients_are_unscaled() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f, at::kBFloat16), parameter(1.0f)});
    optimizer.set_gradient(2.0f);
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(optimizer.value(0), 0.5f);
    COMPARE_EXACT(optimizer.value(1), 0.5f);
    optimizer.set_gradient(2.0f);
    scaler.update();
    optimizer.parameters(0)[0].mutable_grad().fill_(kInf);  // one dtype overflows, the whole optimizer is skipped
    QVERIFY(!scaler.step(optimizer));
  }

  void fp16_gradients_are_refused_before_any_is_divided() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f), parameter(1.0f, at::kHalf)});
    optimizer.set_gradient(2.0f);
    EXPECT_REFUSAL(InvalidSetting, scaler.unscale(optimizer), "found an FP16 gradient");
    COMPARE_EXACT(optimizer.gradient(0), 2.0f);
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Ready);
    EXPECT_REFUSAL(InvalidSetting, scaler.step(optimizer), "found an FP16 gradient");
    QCOMPARE(optimizer.steps, 0);
  }

  void sparse_gradients_are_unscaled_by_value() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    const at::Tensor table = at::zeros({4, 1}).requires_grad_();
    SmallOptimizer optimizer({table});
    // Index 1 twice, uncoalesced: 2/4 + 6/4 = 2.
    table.mutable_grad() = at::sparse_coo_tensor(at::tensor({1, 1, 3}, at::kLong).view({1, 3}),
                                                 at::tensor({2.0f, 6.0f, 8.0f}).view({3, 1}), {4, 1});
    QVERIFY(scaler.step(optimizer));
    QVERIFY(table.detach().equal(at::tensor({0.0f, -2.0f, 0.0f, -2.0f}).view({4, 1})));
    scaler.update();
    table.mutable_grad() =
        at::sparse_coo_tensor(at::tensor({2}, at::kLong).view({1, 1}), at::tensor({kInf}).view({1, 1}), {4, 1});
    QVERIFY(!scaler.step(optimizer));
  }

  void random_overflow_patterns_follow_a_hand_written_scaler() {
    std::mt19937_64 random(20240611);
    const auto uniform = [&random](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int round = 0; round < 200; ++round) {
      GradScalerOptions options = options_of(std::ldexp(uniform(1.0, 2.0), static_cast<int>(uniform(-140, 127))),
                                             static_cast<std::int64_t>(uniform(1, 6)));
      options.growth_factor = uniform(1.01, 40.0);
      options.backoff_factor = uniform(0.01, 0.99);
      const double overflow_rate = uniform(0.0, 0.6);
      GradScaler scaler(options);
      initialise(scaler);
      HandWrittenScaler expected{static_cast<float>(options.init_scale), options.growth_factor, options.backoff_factor,
                                 options.growth_interval};
      std::vector<SmallOptimizer> optimizers;
      for (int i = 0; i < 1 + round % 3; ++i) optimizers.emplace_back(std::vector<at::Tensor>{parameter(1.0f)}, 0.0);
      for (int step = 0; step < 60; ++step) {
        bool any = false;
        for (SmallOptimizer& optimizer : optimizers) {
          const bool overflow = uniform(0.0, 1.0) < overflow_rate;
          any |= overflow;
          optimizer.set_gradient(overflow ? kInf : 0.25f);
          if (uniform(0.0, 1.0) < 0.5) {
            scaler.unscale(optimizer);
            const float inverse = static_cast<float>(1.0 / static_cast<double>(expected.scale));
            COMPARE_EXACT(optimizer.gradient(), overflow && inverse != 0.0f ? kInf : 0.25f * inverse);
          }
          const int before = optimizer.steps;
          QCOMPARE(scaler.step(optimizer), !overflow);
          QCOMPARE(optimizer.steps - before, overflow ? 0 : 1);
        }
        scaler.update();
        expected.update(any);
        COMPARE_EXACT(scaler.get_scale(), static_cast<double>(expected.scale));
        QCOMPARE(scaler.get_growth_tracker(), expected.tracker);
      }
    }
  }
};

QTEST_APPLESS_MAIN(ScalerArithmeticTests)
#include "scaler_arithmetic_tests.moc"
