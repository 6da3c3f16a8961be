// SPDX-License-Identifier: Apache-2.0
#include "core/train/shadow.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/model/random_stream.h"
#include "core/train/forward.h"

namespace mantissa::train {

Shadow::Shadow(const Arm& reference) : network_(reference.network->clone()), buffers_(*network_) {
  network_->set_training(true);
}

void Shadow::take(const Arm& reference) {
  take_weights(reference);
  // A copy: the arm's own tensor is freed within its step, where its memory is counted.
  if (reference.generator_state.defined()) generator_state_ = reference.generator_state.clone();
}

void Shadow::take_weights(const Arm& arm) {
  const at::NoGradGuard no_grad;
  network_->take_attributes(*arm.network);  // first: it may set buffers to other tensors
  const std::vector<model::NamedTensor>& state = arm.network->state();
  for (std::size_t i = 0; i < state.size(); ++i) network_->state()[i].tensor.copy_(state[i].tensor);
  buffers_.keep();
  attributes_ = network_->copy_attributes();
}

StepDeviation Shadow::compare(const Arm& reference, const Attempt& reference_attempt, const Window& window,
                              const precision::Policy& policy, precision::LossScaler* scaler) {
  const model::UntouchedGenerator untouched(network_->device());
  drop_gradients();  // of a comparison that threw
  put_back();
  const auto count = static_cast<double>(window.microbatches.size());
  std::vector<at::Tensor> outputs;
  double loss_sum = 0.0;
  {
    at::Tensor generator_state = generator_state_;
    const model::RandomStream stream(generator_state, network_->device());
    for (const Microbatch& microbatch : window.microbatches) {
      auto [output, loss] = forward_and_loss(*network_, policy, reference.loss, microbatch);
      outputs.push_back(output.detach());
      loss_sum += loss.item<double>();
      if (window.microbatches.size() > 1) loss = loss / count;
      if (scaler != nullptr) loss = scaler->scale(loss);
      loss.backward();
    }
  }
  if (scaler != nullptr) {
    const at::NoGradGuard no_grad;
    // As the scaler does: the reciprocal in FP64, rounded to FP32.
    const double inverse = static_cast<float>(1.0 / scaler->get_scale());
    for (const model::NamedTensor& parameter : network_->parameters()) {
      if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().mul_(inverse);
    }
  }
  const StepDeviation deviation =
      deviation_of(reference_attempt, *reference.network, outputs, loss_sum / count, *network_, reference.optimizers);
  drop_gradients();
  return deviation;
}

void Shadow::drop_gradients() {
  for (const model::NamedTensor& parameter : network_->parameters()) parameter.tensor.mutable_grad().reset();
}

void Shadow::put_back() {
  if (attributes_) network_->put_back(*attributes_);
  buffers_.restore_all();
}

}  // namespace mantissa::train
