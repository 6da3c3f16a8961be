// SPDX-License-Identifier: Apache-2.0
#include "core/precision/autocast_scope.h"

#include <stdexcept>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/precision/policy.h"
#include "tests/core/precision/small_optimizer.h"

using namespace mantissa;
using namespace mantissa::precision;

namespace {

constexpr c10::DeviceType kCpu = c10::DeviceType::CPU;

bool enabled() { return at::autocast::is_autocast_enabled(kCpu); }
at::ScalarType dtype() { return at::autocast::get_autocast_dtype(kCpu); }

/// y = w·x as an operator that autocast casts.
at::Tensor forward(const at::Tensor& weight, const at::Tensor& input) { return at::linear(input, weight); }

}  // namespace

class AutocastScopeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { QCOMPARE(AutocastScope::depth(), 0); }

  void eligible_operators_run_in_the_dtype_of_the_scope() {
    const at::Tensor a = at::ones({2, 2});
    for (const at::ScalarType wanted : {at::kHalf, at::kBFloat16}) {
      const AutocastScope scope(kCpu, wanted);
      QVERIFY(at::mm(a, a).scalar_type() == wanted);
    }
    QVERIFY(at::mm(a, a).scalar_type() == at::kFloat);
  }

  void scope_restores_what_it_found() {
    const at::ScalarType before = dtype();
    {
      const AutocastScope scope(kCpu, at::kHalf, /*cache_enabled=*/false);
      QVERIFY(enabled());
      QVERIFY(dtype() == at::kHalf);
      QVERIFY(!at::autocast::is_autocast_cache_enabled());
      QCOMPARE(AutocastScope::depth(), 1);
    }
    QVERIFY(!enabled());
    QVERIFY(dtype() == before);
    QVERIFY(at::autocast::is_autocast_cache_enabled());
  }

  void inner_scope_switches_off_and_the_outer_one_goes_on() {
    const at::Tensor a = at::ones({2, 2});
    const AutocastScope outer(kCpu, at::kHalf);
    {
      const AutocastScope inner(kCpu, std::nullopt);
      QCOMPARE(AutocastScope::depth(), 2);
      QVERIFY(!enabled());
      QVERIFY(dtype() == at::kHalf);  // torch.autocast("cpu", enabled=False) leaves the dtype as well
      QVERIFY(at::mm(a, a).scalar_type() == at::kFloat);
      const AutocastScope innermost(kCpu, at::kBFloat16);
      QVERIFY(at::mm(a, a).scalar_type() == at::kBFloat16);
    }
    QVERIFY(enabled());
    QVERIFY(at::mm(a, a).scalar_type() == at::kHalf);
  }

  void inner_scope_inherits_a_cache_that_is_off() {
    const AutocastScope outer(kCpu, at::kHalf, /*cache_enabled=*/false);
    const AutocastScope inner(kCpu, at::kHalf);
    QVERIFY(!at::autocast::is_autocast_cache_enabled());
  }

  void exception_leaves_nesting_and_state_as_before() {
    const at::ScalarType before = dtype();
    try {
      const AutocastScope outer(kCpu, at::kHalf);
      const AutocastScope inner(kCpu, at::kBFloat16);
      at::mm(at::ones({2, 3}), at::ones({2, 3}));  // shapes do not fit
      QFAIL("mm of unfit shapes did not throw");
    } catch (const c10::Error&) {
    }
    QCOMPARE(AutocastScope::depth(), 0);
    QVERIFY(!enabled());
    QVERIFY(dtype() == before);
  }

  void dtype_that_autocast_does_not_have_is_refused_without_a_trace() {
    QVERIFY_EXCEPTION_THROWN(AutocastScope(kCpu, at::kFloat), Error);
    QCOMPARE(AutocastScope::depth(), 0);
    QVERIFY(!enabled());
  }

  void other_threads_are_not_concerned() {
    const AutocastScope scope(kCpu, at::kHalf);
    bool enabled_there = true;
    int depth_there = -1;
    std::thread other([&] {
      enabled_there = enabled();
      depth_there = AutocastScope::depth();
    });
    other.join();
    QVERIFY(!enabled_there);
    QCOMPARE(depth_there, 0);
  }

  // ---- case 29: w = 1, x = 1, loss = y, SGD lr 0.5 ----
  void second_forward_uses_the_new_weight_data() {
    QTest::addColumn<int>("dtype");
    QTest::newRow("float16") << static_cast<int>(at::kHalf);
    QTest::newRow("bfloat16") << static_cast<int>(at::kBFloat16);
  }

  void second_forward_uses_the_new_weight() {
    QFETCH(const int, dtype);
    const auto wanted = static_cast<at::ScalarType>(dtype);
    const at::Tensor weight = at::ones({1, 1}).requires_grad_();
    const at::Tensor input = at::ones({1, 1});
    SmallOptimizer sgd({weight}, 0.5);
    std::vector<float> outputs;
    const auto pass = [&] {
      const AutocastScope scope(kCpu, wanted);
      const at::Tensor output = forward(weight, input);
      outputs.push_back(output.item<float>());
      return output;
    };
    const auto evaluate = [&] {
      const at::NoGradGuard no_grad;
      pass();
    };
    const auto train = [&] {
      weight.mutable_grad().reset();
      pass().sum().backward();
      QVERIFY2(weight.grad().defined(), "the evaluation pass cut the graph");
      sgd.step();
    };
    evaluate();
    train();  // w: 1 -> 0.5
    evaluate();
    train();  // w: 0.5 -> 0
    {
      const at::NoGradGuard no_grad;
      weight.fill_(7.0);  // a checkpoint is loaded
    }
    evaluate();
    QCOMPARE(outputs, (std::vector<float>{1.0f, 1.0f, 0.5f, 0.5f, 7.0f}));
  }

  void one_scope_around_the_loop_keeps_stale_weights() {
    // The trap itself, as in PyTorch: outputs stay 1 and 1 inside one region. It shows that the test above can fail.
    const at::Tensor weight = at::ones({1, 1}).requires_grad_();
    const at::Tensor input = at::ones({1, 1});
    SmallOptimizer sgd({weight}, 0.5);
    std::vector<float> outputs;
    const AutocastScope scope(kCpu, at::kHalf);
    for (int step = 0; step < 2; ++step) {
      weight.mutable_grad().reset();
      const at::Tensor output = forward(weight, input);
      outputs.push_back(output.item<float>());
      output.sum().backward();
      sgd.step();
    }
    QCOMPARE(outputs, (std::vector<float>{1.0f, 1.0f}));
    QCOMPARE(weight.item<float>(), 0.0f);  // although both updates were applied
  }

  void loss_outside_the_scope_is_computed_in_float32() {
    // 300² = 90000 > 65504: the FP16 mean square overflows, the FP32 one does not (CPU autocast leaves mse_loss alone).
    const at::Tensor weight = at::full({1, 1}, 300.0);
    at::Tensor output, inside;
    {
      const AutocastScope scope(kCpu, at::kHalf);
      output = forward(weight, at::ones({1, 1}));
      QVERIFY(output.scalar_type() == at::kHalf);
      inside = (output * output).mean();
      const AutocastScope loss_region(kCpu, std::nullopt);
      const at::Tensor in_region = at::mse_loss(output.to(at::kFloat), at::zeros({1, 1}));
      QVERIFY(in_region.scalar_type() == at::kFloat);
      QCOMPARE(in_region.item<float>(), 90000.0f);
    }
    QCOMPARE(inside.item<float>(), kInf);
  }

  // ---- policy ----
  void policy_of_a_trial_carries_its_words_over() {
    spec::Trial trial;
    trial.autocast = spec::Autocast::BFloat16;
    trial.loss_in_float32 = true;
    trial.scaler.init_scale = 128.0;
    trial.scaler.growth_factor = 4.0;
    trial.scaler.backoff_factor = 0.25;
    trial.scaler.growth_interval = 7;
    trial.scaler.enabled = true;
    const Policy policy = policy_of(trial);
    QVERIFY(policy.autocast == at::kBFloat16);
    QVERIFY(policy.loss_in_float32);
    QCOMPARE(policy.cast_policy, std::string("device"));
    QCOMPARE(policy.scaler.init_scale, 128.0);
    QCOMPARE(policy.scaler.growth_factor, 4.0);
    QCOMPARE(policy.scaler.backoff_factor, 0.25);
    QCOMPARE(policy.scaler.growth_interval, std::int64_t{7});
    QVERIFY(policy.scaler.enabled);
    QVERIFY(policy.scaler.device == kCpu);
    QCOMPARE(word(trial.autocast), std::string_view("bfloat16"));
  }

  void reference_runs_without_autocast_and_scaler() {
    const Policy policy = reference_policy();
    QVERIFY(!policy.autocast.has_value());
    QVERIFY(!policy.scaler.enabled);
  }
};

QTEST_APPLESS_MAIN(AutocastScopeTests)
#include "autocast_scope_tests.moc"
