// SPDX-License-Identifier: Apache-2.0
#include "core/train/shadow.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/train/failure_text.h"
#include "core/train/forward.h"
#include "core/train/random_stream.h"
#include "core/train/step_deviation.h"

namespace mantissa::train {
namespace {

/// Leaves the default generator as it was found.
class UntouchedGenerator {
 public:
  explicit UntouchedGenerator(c10::Device device) : device_(device), state_(RandomStream::current(device)) {}
  ~UntouchedGenerator() { RandomStream::set(state_, device_); }
  UntouchedGenerator(const UntouchedGenerator&) = delete;
  UntouchedGenerator& operator=(const UntouchedGenerator&) = delete;

 private:
  c10::Device device_;
  at::Tensor state_;
};

void end_shadow(Arm& trial, const std::string& why) {
  trial.shadow_every = 0;
  trial.notes.push_back("The shadow comparison ended, because the model failed from the reference's weights: " + why);
}

}  // namespace

Shadow::Shadow(const Arm& reference) : network_(reference.network->clone()) { network_->set_training(true); }

void Shadow::take(const Arm& reference) {
  const at::NoGradGuard no_grad;
  const std::vector<model::NamedTensor>& state = reference.network->state();
  for (std::size_t i = 0; i < state.size(); ++i) network_->state()[i].tensor.copy_(state[i].tensor);
  // A copy: the arm's own tensor is freed within its step, where its memory is counted.
  if (reference.generator_state.defined()) generator_state_ = reference.generator_state.clone();
}

void Shadow::compare(const Arm& reference, const Attempt& reference_attempt, const Window& window, Arm& trial,
                     record::StepRecord& step) {
  const UntouchedGenerator untouched(network_->device());
  try {
    run(reference, reference_attempt, window, trial, step);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::CallOrder) throw;  // a mistake of ours, not of the model
    end_shadow(trial, sentence(error.facts()));
  } catch (const std::exception& error) {
    end_shadow(trial, failure_of(error, "at step " + std::to_string(trial.tally.counts.attempted)).text);
  }
  drop_gradients();
}

void Shadow::run(const Arm& reference, const Attempt& reference_attempt, const Window& window, Arm& trial,
                 record::StepRecord& step) {
  const auto count = static_cast<double>(window.microbatches.size());
  std::vector<at::Tensor> outputs;
  double loss_sum = 0.0;
  {
    at::Tensor generator_state = generator_state_;
    const RandomStream stream(generator_state, network_->device());
    for (const Microbatch& microbatch : window.microbatches) {
      auto [output, loss] = forward_and_loss(*network_, trial.policy, trial.loss, microbatch);
      outputs.push_back(output.detach());
      loss_sum += loss.item<double>();
      if (window.microbatches.size() > 1) loss = loss / count;
      if (trial.scaler) loss = trial.scaler->scale(loss);
      loss.backward();
    }
  }
  if (trial.scaler) {
    const at::NoGradGuard no_grad;
    // As the scaler does: the reciprocal in FP64, rounded to FP32.
    const double inverse = static_cast<float>(1.0 / trial.scaler->get_scale());
    for (const model::NamedTensor& parameter : network_->parameters()) {
      if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().mul_(inverse);
    }
  }
  fill_shadow(
      deviation_of(reference_attempt, *reference.network, outputs, loss_sum / count, *network_, trial.optimizers),
      step);
}

void Shadow::drop_gradients() {
  for (const model::NamedTensor& parameter : network_->parameters()) parameter.tensor.mutable_grad().reset();
}

}  // namespace mantissa::train
