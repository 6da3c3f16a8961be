// SPDX-License-Identifier: Apache-2.0
// Settings, order of calls, states: what the scaler accepts and refuses.
#include "core/precision/grad_scaler.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "tests/core/precision/scaler_test_help.h"

using namespace mantissa;
using namespace mantissa::precision;

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
