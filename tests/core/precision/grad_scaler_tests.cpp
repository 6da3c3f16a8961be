// SPDX-License-Identifier: Apache-2.0
#include "core/precision/grad_scaler.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "core/base/error.h"
#include "tests/core/precision/small_optimizer.h"

using namespace mantissa;
using namespace mantissa::precision;

namespace {

GradScalerOptions options_of(double init_scale, std::int64_t growth_interval = 2000) {
  GradScalerOptions options;
  options.init_scale = init_scale;
  options.growth_interval = growth_interval;
  return options;
}

void initialise(GradScaler& scaler) { scaler.scale(at::ones({})); }

/// What was thrown, as its kind and text; nothing thrown fails the comparison with any kind.
std::string refusal(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == kind ? error.what() : std::string("another kind: ") + error.what();
  }
  return "nothing was thrown";
}

#define EXPECT_REFUSAL(kind, call, words)                                      \
  do {                                                                         \
    const std::string text = refusal(ErrorKind::kind, [&] { call; });          \
    QVERIFY2(text.find(words) != std::string::npos, ("got: " + text).c_str()); \
    QVERIFY2(text.rfind("another kind", 0) != 0, text.c_str());                \
  } while (false)

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

class GradScalerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // ---- settings ----
  void growth_factor_of_one_is_refused() {
    GradScalerOptions options;
    options.growth_factor = 1.0;
    EXPECT_REFUSAL(InvalidSetting, GradScaler{options}, "growth_factor: found 1, expected a number above 1");
  }

  void backoff_factor_of_one_is_refused() {
    GradScalerOptions options;
    options.backoff_factor = 1.0;
    EXPECT_REFUSAL(InvalidSetting, GradScaler{options}, "backoff_factor: found 1, expected a number below 1");
  }

  void factors_of_a_disabled_scaler_are_not_looked_at() {
    GradScalerOptions options;
    options.growth_factor = 0.5;
    options.enabled = false;
    QCOMPARE(GradScaler(options).is_enabled(), false);
  }

  void odd_initial_scales_pass_as_in_pytorch() {
    // torch.amp.GradScaler("cpu", init_scale=v) accepts all of these without a word (case 03).
    for (const double odd : {0.0, -1.0, static_cast<double>(kInf)}) {
      GradScaler scaler(options_of(odd));
      initialise(scaler);
      COMPARE_EXACT(scaler.get_scale(), odd);
    }
    GradScaler scaler(options_of(static_cast<double>(kNaN)));
    initialise(scaler);
    QVERIFY(std::isnan(scaler.get_scale()));
  }

  void initial_scale_outside_fp32_is_refused_at_the_first_scale() {
    // torch.full((), 1e39, dtype=torch.float32): "value cannot be converted to type float without overflow"
    GradScaler scaler(options_of(1e39));
    EXPECT_REFUSAL(InvalidSetting, scaler.scale(at::ones({})), "found 1e+39");
    QVERIFY(!scaler.scale_tensor().defined());
  }

  void cuda_scaler_without_cuda_is_disabled() {
    if (at::hasCUDA()) QSKIP("there is a CUDA device");
    GradScalerOptions options;
    options.device = c10::DeviceType::CUDA;
    QCOMPARE(GradScaler(options).is_enabled(), false);
  }

  // ---- scale ----
  void scale_is_created_by_the_first_scaled_tensor() {
    GradScaler scaler(options_of(0.1));
    QVERIFY(!scaler.scale_tensor().defined());
    COMPARE_EXACT(scaler.get_scale(), 0.1);  // the setting itself
    initialise(scaler);
    QVERIFY(scaler.scale_tensor().scalar_type() == at::kFloat);
    QCOMPARE(scaler.scale_tensor().dim(), 0);
    COMPARE_EXACT(scaler.get_scale(), 0.10000000149011612);  // the FP32 number nearest to 0.1
  }

  void scaled_loss_carries_the_scale_into_the_gradient() {
    GradScaler scaler(options_of(1024.0));
    const at::Tensor w = parameter(2.0f);
    scaler.scale(3.0 * w).backward();
    COMPARE_EXACT(w.grad().item<float>(), 3072.0f);  // 3 · 1024
  }

  void dtype_of_a_scaled_tensor_follows_type_promotion() {
    // PyTorch: (half, no dimension) · (float, no dimension) is float; (half, one dimension) · (float, none) is half.
    GradScaler scaler;
    QVERIFY(scaler.scale(at::ones({}, at::kHalf)).scalar_type() == at::kFloat);
    QVERIFY(scaler.scale(at::ones({2}, at::kHalf)).scalar_type() == at::kHalf);
    QVERIFY(scaler.scale(at::ones({2}, at::kBFloat16)).scalar_type() == at::kBFloat16);
    QVERIFY(scaler.scale(at::ones({}, at::kDouble)).scalar_type() == at::kDouble);
  }

  void several_outputs_are_scaled_alike() {
    GradScaler scaler(options_of(4.0));
    const auto scaled = scaler.scale(std::vector<at::Tensor>{at::full({}, 3.0), at::full({2}, 5.0)});
    QCOMPARE(scaled.size(), std::size_t{2});
    COMPARE_EXACT(scaled[0].item<float>(), 12.0f);
    QVERIFY(scaled[1].equal(at::full({2}, 20.0)));
  }

  void empty_list_of_outputs_creates_no_scale() {
    GradScaler scaler;
    QVERIFY(scaler.scale(std::vector<at::Tensor>{}).empty());
    QVERIFY(!scaler.scale_tensor().defined());
  }

  void undefined_output_is_refused() {
    GradScaler scaler;
    EXPECT_REFUSAL(InvalidSetting, scaler.scale(at::Tensor()), "found an undefined tensor");
  }

  // ---- order of calls ----
  void everything_before_the_first_scale_is_refused() {
    GradScaler scaler;
    SmallOptimizer optimizer({parameter(1.0f)});
    EXPECT_REFUSAL(CallOrder, scaler.unscale(optimizer), "GradScaler::unscale: there is no loss scale yet");
    EXPECT_REFUSAL(CallOrder, scaler.step(optimizer), "GradScaler::step: there is no loss scale yet");
    EXPECT_REFUSAL(CallOrder, scaler.update(), "GradScaler::update: there is no loss scale yet");
    EXPECT_REFUSAL(CallOrder, scaler.update(2.0), "GradScaler::update: there is no loss scale yet");
    EXPECT_REFUSAL(CallOrder, scaler.update(at::ones({})), "GradScaler::update: there is no loss scale yet");
    QCOMPARE(optimizer.steps, 0);
  }

  void second_unscale_is_refused_and_divides_once() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(8.0f);
    scaler.unscale(optimizer);
    EXPECT_REFUSAL(CallOrder, scaler.unscale(optimizer), "called twice for one optimizer since the last update()");
    COMPARE_EXACT(optimizer.gradient(), 2.0f);  // 8 / 4, once
  }

  void unscale_after_step_is_refused() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.step(optimizer);
    EXPECT_REFUSAL(CallOrder, scaler.unscale(optimizer), "called after step() of the same optimizer");
  }

  void second_step_is_refused_and_moves_nothing() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.step(optimizer);
    EXPECT_REFUSAL(CallOrder, scaler.step(optimizer), "called twice for one optimizer since the last update()");
    QCOMPARE(optimizer.steps, 1);
  }

  void update_without_a_check_is_refused() {
    GradScaler scaler;
    initialise(scaler);
    EXPECT_REFUSAL(CallOrder, scaler.update(), "no optimizer was checked since the last update()");
  }

  void second_update_is_refused() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.step(optimizer);
    scaler.update();
    EXPECT_REFUSAL(CallOrder, scaler.update(), "no optimizer was checked since the last update()");
  }

  void step_without_any_gradient_is_refused_in_plain_words() {  // case 11
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    EXPECT_REFUSAL(CallOrder, scaler.step(optimizer), "no parameter of this optimizer has a gradient");
    QCOMPARE(optimizer.steps, 0);
    // PyTorch has recorded the unscaling by then: another one is "already called", another step the same assertion.
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Unscaled);
    EXPECT_REFUSAL(CallOrder, scaler.unscale(optimizer), "called twice");
    EXPECT_REFUSAL(CallOrder, scaler.step(optimizer), "no parameter of this optimizer has a gradient");
    EXPECT_REFUSAL(CallOrder, scaler.update(), "no optimizer was checked");
  }

  void stages_follow_the_calls() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Ready);
    scaler.unscale(optimizer);
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Unscaled);
    scaler.step(optimizer);
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Stepped);
    scaler.update();
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Ready);
  }

  void parameter_without_gradient_is_passed_over() {
    GradScaler scaler(options_of(2.0));
    initialise(scaler);
    const at::Tensor used = parameter(1.0f);
    SmallOptimizer optimizer({parameter(5.0f), used});
    used.mutable_grad() = at::full({}, 1.0f);
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(optimizer.value(0), 5.0f);
    COMPARE_EXACT(optimizer.value(1), 0.5f);  // 1 − 1/2
  }

  void undefined_parameter_is_refused() {
    GradScaler scaler;
    initialise(scaler);
    SmallOptimizer optimizer({at::Tensor()});
    EXPECT_REFUSAL(InvalidSetting, scaler.unscale(optimizer), "parameters: found an undefined tensor");
  }

  void optimizer_that_throws_may_step_again() {
    class Throwing : public SmallOptimizer {
     public:
      using SmallOptimizer::SmallOptimizer;
      void step() override {
        if (fail) throw Error(ErrorKind::DeviceProblem, {});
        SmallOptimizer::step();
      }
      bool fail = true;
    };
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    Throwing optimizer({parameter(1.0f)});
    optimizer.set_gradient(2.0f);
    QVERIFY_EXCEPTION_THROWN(scaler.step(optimizer), Error);
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Unscaled);
    optimizer.fail = false;
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(optimizer.value(), 0.5f);  // 1 − 2/4: not divided twice
  }

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

  // ---- update by hand ----
  void scale_set_by_hand_ends_the_iteration_and_keeps_the_tracker() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.step(optimizer);
    scaler.update();
    optimizer.set_gradient(kInf);
    scaler.step(optimizer);
    scaler.update(32.0);
    COMPARE_EXACT(scaler.get_scale(), 32.0);
    QCOMPARE(scaler.get_growth_tracker(), std::int64_t{1});
    QVERIFY(scaler.stage(optimizer) == OptimizerStage::Ready);
    scaler.update(at::full({}, 7.0, at::kDouble));
    COMPARE_EXACT(scaler.get_scale(), 7.0);
  }

  void tensor_given_as_scale_is_copied() {
    GradScaler scaler;
    initialise(scaler);
    at::Tensor value = at::full({}, 8.0);
    scaler.update(value);
    value.fill_(1.0);
    COMPARE_EXACT(scaler.get_scale(), 8.0);
  }

  void unfit_new_scales_are_refused_and_change_nothing() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    EXPECT_REFUSAL(InvalidSetting, scaler.update(1e39), "found 1e+39");
    EXPECT_REFUSAL(InvalidSetting, scaler.update(at::Tensor()), "an undefined tensor");
    EXPECT_REFUSAL(InvalidSetting, scaler.update(at::ones({2})), "a tensor of 2 elements");
    // PyTorch refuses one dimension too, while copying: "output with shape [] doesn't match the broadcast shape [1]"
    EXPECT_REFUSAL(InvalidSetting, scaler.update(at::ones({1})), "a tensor of 1 elements in 1 dimensions");
    EXPECT_REFUSAL(InvalidSetting, scaler.update(parameter(2.0f)), "a tensor that requires gradients");
    EXPECT_REFUSAL(InvalidSetting, scaler.update(at::ones({}, at::TensorOptions().device(at::kMeta))),
                   "a tensor on meta");
    COMPARE_EXACT(scaler.get_scale(), 4.0);
  }

  void changed_factors_and_interval_take_effect() {
    GradScaler scaler(options_of(4.0));
    initialise(scaler);
    scaler.set_growth_factor(3.0);
    scaler.set_backoff_factor(0.25);
    scaler.set_growth_interval(1);
    COMPARE_EXACT(scaler.get_growth_factor(), 3.0);
    COMPARE_EXACT(scaler.get_backoff_factor(), 0.25);
    QCOMPARE(scaler.get_growth_interval(), std::int64_t{1});
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(1.0f);
    scaler.step(optimizer);
    scaler.update();
    COMPARE_EXACT(scaler.get_scale(), 12.0);  // 4 · 3
    optimizer.set_gradient(kInf);
    scaler.step(optimizer);
    scaler.update();
    COMPARE_EXACT(scaler.get_scale(), 3.0);  // 12 / 4
  }

  // ---- disabled ----
  void disabled_scaler_stays_out_of_the_way() {
    GradScalerOptions options;
    options.enabled = false;
    GradScaler scaler(options);
    const at::Tensor loss = at::full({}, 3.0);
    QVERIFY(scaler.scale(loss).is_same(loss));
    SmallOptimizer optimizer({parameter(1.0f)});
    optimizer.set_gradient(kInf);
    scaler.unscale(optimizer);
    scaler.unscale(optimizer);
    QCOMPARE(scaler.step(optimizer), true);  // PyTorch: step simply invokes optimizer.step()
    QCOMPARE(scaler.step(optimizer), true);
    QCOMPARE(optimizer.steps, 2);
    scaler.update();
    scaler.update(3.0);
    COMPARE_EXACT(scaler.get_scale(), 1.0);
    QCOMPARE(scaler.get_growth_tracker(), std::int64_t{0});
    QVERIFY(!scaler.state_dict().has_value());
    scaler.load_state_dict(std::nullopt);
  }

  // ---- state ----
  void state_of_python_goes_on_like_python() {
    // torch 2.11, CPU: s = GradScaler("cpu", init_scale=1000., growth_factor=1.5, backoff_factor=0.3,
    // growth_interval=3); steps clean, clean, inf, clean, clean; s.state_dict() is the state below; after one more
    // clean step scale 450.0, _growth_tracker 0.
    GradScalerState python;
    python.scale = 300.0;
    python.growth_factor = 1.5;
    python.backoff_factor = 0.3;
    python.growth_interval = 3;
    python.growth_tracker = 2;
    for (const bool before_first_scale : {true, false}) {
      GradScaler scaler;
      if (!before_first_scale) initialise(scaler);
      scaler.load_state_dict(python);
      if (before_first_scale) initialise(scaler);
      const GradScalerState back = *scaler.state_dict();
      COMPARE_EXACT(back.scale, python.scale);
      COMPARE_EXACT(back.growth_factor, python.growth_factor);
      COMPARE_EXACT(back.backoff_factor, python.backoff_factor);
      QCOMPARE(back.growth_interval, python.growth_interval);
      QCOMPARE(back.growth_tracker, python.growth_tracker);
      SmallOptimizer optimizer({parameter(1.0f)});
      optimizer.set_gradient(1.0f);
      scaler.step(optimizer);
      scaler.update();
      COMPARE_EXACT(scaler.get_scale(), 450.0);
      QCOMPARE(scaler.get_growth_tracker(), std::int64_t{0});
    }
  }

  void empty_state_is_refused_with_its_cause() {  // case 07
    GradScaler scaler;
    EXPECT_REFUSAL(InvalidSetting, scaler.load_state_dict(std::nullopt), "as a disabled scaler saves");
  }

  void unfit_state_changes_nothing() {
    GradScaler scaler(options_of(4.0));
    GradScalerState state;
    state.growth_factor = 9.0;
    state.scale = 1e39;
    EXPECT_REFUSAL(InvalidSetting, scaler.load_state_dict(state), "found 1e+39");
    state.scale = 2.0;
    state.growth_tracker = std::int64_t{1} << 31;
    EXPECT_REFUSAL(InvalidSetting, scaler.load_state_dict(state), "found 2147483648");
    COMPARE_EXACT(scaler.get_scale(), 4.0);
    COMPARE_EXACT(scaler.get_growth_factor(), 2.0);
  }
};

QTEST_APPLESS_MAIN(GradScalerTests)
#include "grad_scaler_tests.moc"
