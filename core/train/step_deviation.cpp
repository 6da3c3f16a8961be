// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_deviation.h"

#include <cstddef>

namespace mantissa::train {

StepDeviation deviation_of(const Attempt& reference_attempt, const model::Network& reference,
                           const std::vector<at::Tensor>& outputs, double loss, const model::Network& network,
                           const std::vector<OptimizerUnit>& units) {
  StepDeviation deviation;
  for (std::size_t m = 0; m < outputs.size(); ++m) {
    deviation.outputs.add(reference_attempt.outputs[m], outputs[m], observe::Ulp::Measure);
  }
  deviation.loss = loss - reference_attempt.loss;
  for (const OptimizerUnit& unit : units) {
    for (const std::size_t p : unit.parameters) {
      const at::Tensor& expected = reference.parameters()[p].tensor.grad();
      const at::Tensor& found = network.parameters()[p].tensor.grad();
      if (expected.defined() && found.defined()) deviation.gradients.add(expected, found, observe::Ulp::Skip);
    }
  }
  return deviation;
}

void fill_trajectory(const StepDeviation& deviation, record::StepRecord& step) {
  step.deviation_output_max = deviation.outputs.max();
  step.deviation_output_rmse = deviation.outputs.rmse();
  step.deviation_output_relative = deviation.outputs.relative();
  step.deviation_output_cosine = deviation.outputs.cosine();
  step.deviation_output_ulp = deviation.outputs.ulp();
  step.deviation_loss = deviation.loss;
  if (deviation.gradients.count() == 0) return;
  step.deviation_gradient_relative = deviation.gradients.relative();
  step.deviation_gradient_cosine = deviation.gradients.cosine();
}

void fill_shadow(const StepDeviation& deviation, record::StepRecord& step) {
  step.shadow_output_max = deviation.outputs.max();
  step.shadow_output_rmse = deviation.outputs.rmse();
  step.shadow_output_relative = deviation.outputs.relative();
  step.shadow_output_cosine = deviation.outputs.cosine();
  step.shadow_output_ulp = deviation.outputs.ulp();
  step.shadow_loss = deviation.loss;
  if (deviation.gradients.count() == 0) return;
  step.shadow_gradient_relative = deviation.gradients.relative();
  step.shadow_gradient_cosine = deviation.gradients.cosine();
}

}  // namespace mantissa::train
