// SPDX-License-Identifier: Apache-2.0
// Whole steps with LibTorch's own optimizers through the adapter, as a program without Mantissa's engine takes them.
#include <vector>

#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/sgd.h>

#include "core/base/error.h"
#include "core/precision/autocast_scope.h"
#include "core/precision/grad_scaler.h"
#include "core/precision/torch_optimizer.h"
#include "tests/core/precision/small_optimizer.h"

using namespace mantissa;
using namespace mantissa::precision;

namespace {

GradScaler scaler_of(double init_scale) {
  GradScalerOptions options;
  options.init_scale = init_scale;
  return GradScaler(options);
}

/// AdamW as Python's `fused=True` drives it: it is called at every attempt and skips inside the kernel.
class FusedAdamW : public ScaledOptimizer {
 public:
  explicit FusedAdamW(const at::Tensor& weight) : parameters_{weight} {}

  at::ArrayRef<at::Tensor> parameters(std::size_t) override { return parameters_; }
  bool unscales_itself() const override { return true; }
  void step() override { step_scaled({}, {}); }

  void step_scaled(const at::Tensor& grad_scale, const at::Tensor& found_inf) override {
    const at::NoGradGuard no_grad;
    ++calls;
    const auto if_defined = [](const at::Tensor& tensor) {
      return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
    };
    step_counter[0].add_(1);
    at::_fused_adamw_(parameters_, {parameters_[0].grad()}, average_, square_average_, {}, step_counter, /*lr=*/0.1,
                      /*beta1=*/0.9, /*beta2=*/0.999, /*weight_decay=*/0.01, /*eps=*/1e-8, /*amsgrad=*/false,
                      /*maximize=*/false, if_defined(grad_scale), if_defined(found_inf));
    if (found_inf.defined()) step_counter[0].sub_(found_inf);  // torch/optim/adamw.py: a skipped step does not count
  }

  int calls = 0;
  std::vector<at::Tensor> step_counter{at::zeros({})};

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> average_{at::zeros({})}, square_average_{at::zeros({})};
};

/// Case 05: the gradients inf, 1, inf, 1 from scale 4; returns what happened.
struct AdamWRun {
  std::vector<double> scales;
  std::vector<float> weights;
  int applied = 0, skipped = 0;
};

AdamWRun play_adamw_pattern(ScaledOptimizer& optimizer, const at::Tensor& weight) {
  AdamWRun run;
  GradScaler scaler = scaler_of(4.0);
  for (const float gradient : {kInf, 1.0f, kInf, 1.0f}) {
    weight.mutable_grad() = scaler.scale(at::full({}, gradient));
    ++(scaler.step(optimizer) ? run.applied : run.skipped);
    scaler.update();
    run.scales.push_back(scaler.get_scale());
    run.weights.push_back(weight.item<float>());
  }
  return run;
}

// torch 2.11, AdamW(lr=0.1, weight_decay=0.01), plain and fused alike:
// scales 2 2 1 1, weights 1.0, 0.8990000486373901, 0.8990000486373901, 0.798101007938385, state["step"] 2.
const std::vector<double> kScales{2, 2, 1, 1};
const std::vector<float> kWeights{1.0f, 0.8990000486373901f, 0.8990000486373901f, 0.798101007938385f};

}  // namespace

class AmpStepTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // ---- case 05 ----
  void plain_adamw_makes_two_steps_and_two_skips() {
    const at::Tensor weight = parameter(1.0f);
    torch::optim::AdamW adamw({weight}, torch::optim::AdamWOptions(0.1).weight_decay(0.01));
    TorchOptimizer optimizer(adamw);
    const AdamWRun run = play_adamw_pattern(optimizer, weight);
    QCOMPARE(run.applied, 2);
    QCOMPARE(run.skipped, 2);
    QVERIFY(run.scales == kScales);
    QVERIFY(run.weights[0] == kWeights[0] && run.weights[1] == run.weights[2]);
    // LibTorch's C++ AdamW rounds in another order than Python's; the case asks for 1e-6.
    QVERIFY(std::abs(run.weights[1] - 0.8990000f) < 1e-6f);
    QVERIFY(std::abs(run.weights[3] - 0.7981010f) < 1e-6f);
  }

  void fused_adamw_that_skips_inside_reports_the_same_skips() {
    const at::Tensor weight = parameter(1.0f);
    FusedAdamW optimizer(weight);
    const AdamWRun run = play_adamw_pattern(optimizer, weight);
    QCOMPARE(optimizer.calls, 4);
    QCOMPARE(run.applied, 2);
    QCOMPARE(run.skipped, 2);
    COMPARE_EXACT(optimizer.step_counter[0].item<float>(), 2.0f);
    QVERIFY(run.scales == kScales);
    QVERIFY(run.weights == kWeights);
  }

  void self_unscaling_optimizer_gets_no_scale_after_unscale() {
    struct Recorder : SmallOptimizer {
      using SmallOptimizer::SmallOptimizer;
      bool unscales_itself() const override { return true; }
      void step_scaled(const at::Tensor& grad_scale, const at::Tensor& found_inf) override {
        had_scale = grad_scale.defined();
        overflow = found_inf.item<float>();
      }
      bool had_scale = false;
      float overflow = -1.0f;
    };
    GradScaler scaler = scaler_of(4.0);
    scaler.scale(at::ones({}));
    Recorder optimizer({parameter(1.0f)});
    optimizer.set_gradient(8.0f);
    QVERIFY(scaler.step(optimizer));
    QVERIFY(optimizer.had_scale);
    COMPARE_EXACT(optimizer.gradient(), 8.0f);  // checked, not divided: that is the optimizer's part
    COMPARE_EXACT(optimizer.overflow, 0.0f);
    scaler.update();

    optimizer.set_gradient(kInf);
    scaler.unscale(optimizer);
    QVERIFY(!scaler.step(optimizer));
    QVERIFY(!optimizer.had_scale);
    COMPARE_EXACT(optimizer.overflow, 1.0f);
  }

  void self_unscaling_optimizer_may_hold_fp16_gradients_also_sparse_ones() {
    struct Ignoring : SmallOptimizer {
      using SmallOptimizer::SmallOptimizer;
      bool unscales_itself() const override { return true; }
      void step_scaled(const at::Tensor&, const at::Tensor&) override {}
    };
    GradScaler scaler = scaler_of(4.0);
    scaler.scale(at::ones({}));
    const at::Tensor table = at::zeros({4, 1}, at::kHalf).requires_grad_();
    Ignoring optimizer({table});
    // 40000 at one index twice: each fits FP16, their sum 80000 > 65504 does not. Only coalescing shows it.
    table.mutable_grad() =
        at::sparse_coo_tensor(at::tensor({1, 1}, at::kLong).view({1, 2}), at::full({2, 1}, 40000.0, at::kHalf), {4, 1});
    QCOMPARE(scaler.step(optimizer), false);
    QVERIFY(table.grad().is_coalesced());
  }

  // ---- case 13: loss 3a + 4b from weights 0, SGD lr 1, clip 1, scale 1024 ----
  void clipping_after_unscale_sees_the_true_norm() {
    const at::Tensor weight = at::zeros({2}).requires_grad_();
    torch::optim::SGD sgd({weight}, torch::optim::SGDOptions(1.0));
    TorchOptimizer optimizer(sgd);
    GradScaler scaler = scaler_of(1024.0);
    scaler.scale((weight * at::tensor({3.0f, 4.0f})).sum()).backward();
    scaler.unscale(optimizer);
    COMPARE_EXACT(torch::nn::utils::clip_grad_norm_({weight}, 1.0), 5.0);  // sqrt(9 + 16)
    QVERIFY(scaler.step(optimizer));
    // torch 2.11: the clip factor 1/(5 + 1e-6) makes them a little smaller than 0.6 and 0.8.
    COMPARE_EXACT(weight[0].item<float>(), -0.5999999046325684f);
    COMPARE_EXACT(weight[1].item<float>(), -0.7999998331069946f);
  }

  void clipping_before_unscale_shrinks_the_step_by_the_scale() {
    // The mistake itself, so that the two orders are known to differ: 5 · 1024 = 5120.
    const at::Tensor weight = at::zeros({2}).requires_grad_();
    torch::optim::SGD sgd({weight}, torch::optim::SGDOptions(1.0));
    TorchOptimizer optimizer(sgd);
    GradScaler scaler = scaler_of(1024.0);
    scaler.scale((weight * at::tensor({3.0f, 4.0f})).sum()).backward();
    COMPARE_EXACT(torch::nn::utils::clip_grad_norm_({weight}, 1.0), 5120.0);
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(weight[0].item<float>(), -0.0005859375232830644f);
    COMPARE_EXACT(weight[1].item<float>(), -0.0007812500116415322f);
  }

  // ---- case 14: gradients inf and 2 after unscale, clip 1, scale 8 ----
  void clipping_an_infinite_gradient_still_skips_and_the_flag_was_taken_before() {
    const at::Tensor a = parameter(1.0f), b = parameter(1.0f);
    torch::optim::SGD sgd({a, b}, torch::optim::SGDOptions(0.1));
    TorchOptimizer optimizer(sgd);
    GradScaler scaler = scaler_of(8.0);
    scaler.scale(at::ones({}));
    a.mutable_grad() = at::full({}, kInf);
    b.mutable_grad() = at::full({}, 16.0f);
    scaler.unscale(optimizer);
    COMPARE_EXACT(a.grad().item<float>(), kInf);
    COMPARE_EXACT(b.grad().item<float>(), 2.0f);
    QVERIFY(scaler.found_inf(optimizer));
    COMPARE_EXACT(torch::nn::utils::clip_grad_norm_({a, b}, 1.0), static_cast<double>(kInf));
    // 1/inf = 0, so a's gradient is now inf · 0 = NaN and b's 2 · 0 = 0: whoever asks for the cause must ask before.
    QVERIFY(a.grad().isnan().item<bool>());
    COMPARE_EXACT(b.grad().item<float>(), 0.0f);
    QCOMPARE(scaler.step(optimizer), false);
    scaler.update();
    COMPARE_EXACT(a.item<float>(), 1.0f);
    COMPARE_EXACT(b.item<float>(), 1.0f);
    COMPARE_EXACT(scaler.get_scale(), 4.0);
  }

  // ---- the adapter ----
  void adapters_of_one_optimizer_share_its_stage() {
    const at::Tensor weight = parameter(1.0f);
    torch::optim::SGD sgd({weight}, torch::optim::SGDOptions(1.0));
    TorchOptimizer one(sgd), other(sgd);
    GradScaler scaler = scaler_of(4.0);
    scaler.scale(weight * 3.0).backward();
    scaler.unscale(one);
    QVERIFY(scaler.step(other));
    COMPARE_EXACT(weight.item<float>(), -2.0f);  // 1 − 3: unscaled once
  }

  void every_parameter_group_is_unscaled() {
    const at::Tensor a = parameter(1.0f), b = parameter(1.0f);
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<at::Tensor>{a});
    groups.emplace_back(std::vector<at::Tensor>{b});
    torch::optim::SGD sgd(groups, torch::optim::SGDOptions(1.0));
    TorchOptimizer optimizer(sgd);
    GradScaler scaler = scaler_of(4.0);
    scaler.scale(a * 3.0 + b * 5.0).backward();
    QVERIFY(scaler.step(optimizer));
    COMPARE_EXACT(a.item<float>(), -2.0f);
    COMPARE_EXACT(b.item<float>(), -4.0f);
  }

  void lbfgs_is_refused_because_of_its_closure() {
    torch::optim::LBFGS lbfgs({parameter(1.0f)}, torch::optim::LBFGSOptions(1.0));
    try {
      const TorchOptimizer optimizer(lbfgs);
      QFAIL("LBFGS was accepted");
    } catch (const Error& error) {
      QVERIFY(error.kind() == ErrorKind::InvalidSetting);
      QVERIFY(error.facts().found.find("closure") != std::string::npos);
    }
  }

  // ---- one whole mixed-precision step ----
  void default_scale_calibrates_itself_in_five_skips() {
    // Case 17: y = w·x with w = 1, x = 1, target −10. dL/dy = 2·(1 + 10) = 22, times the scale in FP16:
    // 22 · 4096 = 90112 > 65504, 22 · 2048 = 45056 fits. From 65536 = 2^16 down to 2^11 that is 5 skips.
    const at::Tensor weight = at::ones({1, 1}).requires_grad_();
    torch::optim::SGD sgd({weight}, torch::optim::SGDOptions(0.0));
    TorchOptimizer optimizer(sgd);
    GradScaler scaler;
    int skips = 0;
    for (int step = 0; step < 8; ++step) {
      sgd.zero_grad();
      at::Tensor output;
      {
        const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
        output = at::linear(at::ones({1, 1}), weight);
      }
      scaler.scale(at::mse_loss(output.to(at::kFloat), at::full({1, 1}, -10.0))).backward();
      if (!scaler.step(optimizer)) ++skips;
      scaler.update();
    }
    QCOMPARE(skips, 5);
    COMPARE_EXACT(scaler.get_scale(), 2048.0);
  }
};

QTEST_APPLESS_MAIN(AmpStepTests)
#include "amp_step_tests.moc"
