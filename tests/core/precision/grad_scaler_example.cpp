// SPDX-License-Identifier: Apache-2.0
// Mixed-precision training in plain LibTorch with Mantissa's scaler: the example of core/precision/grad_scaler.h as a
// whole program. It learns y = 2·x₀ − x₁ + 1 and fails unless it gets there, skips included.
#include <cstdio>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/grad_scaler.h"
#include "core/precision/torch_optimizer.h"

using namespace mantissa::precision;

int main() {
  at::manual_seed(1);
  const at::Tensor input = at::randn({64, 2});
  const at::Tensor target = input.matmul(at::tensor({2.0f, -1.0f}).view({2, 1})) + 1.0;

  torch::nn::Linear model(2, 1);
  torch::optim::AdamW adamw(model->parameters(), torch::optim::AdamWOptions(0.05).weight_decay(0.0));
  TorchOptimizer optimizer(adamw);
  GradScalerOptions options;
  options.init_scale = 16777216.0;  // 2^24, far too high: the first steps calibrate it
  GradScaler scaler(options);

  int applied = 0, skipped = 0;
  double loss_value = 0.0;
  for (int step = 0; step < 400; ++step) {
    adamw.zero_grad();
    at::Tensor loss;
    {
      const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
      loss = at::mse_loss(model->forward(input).to(at::kFloat), target);
    }
    scaler.scale(loss).backward();
    scaler.unscale(optimizer);
    torch::nn::utils::clip_grad_norm_(model->parameters(), 10.0);
    ++(scaler.step(optimizer) ? applied : skipped);
    scaler.update();
    loss_value = loss.item<double>();
  }
  std::printf("loss %g, scale %g, applied %d, skipped %d\n", loss_value, scaler.get_scale(), applied, skipped);
  return loss_value < 1e-3 && skipped > 0 && applied + skipped == 400 ? 0 : 1;
}
