// SPDX-License-Identifier: Apache-2.0
#include "core/session/scaler_simulation.h"

#include <limits>
#include <memory>
#include <string>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/precision/loss_scaler.h"
#include "core/precision/policy.h"

namespace mantissa::session {
namespace {

/// An optimizer of one number that only counts its updates.
class CountingOptimizer final : public precision::ScaledOptimizer {
 public:
  CountingOptimizer() : parameter_(at::zeros({}).requires_grad_()), gradient_(at::zeros({})) {
    parameter_.mutable_grad() = gradient_;
  }

  at::ArrayRef<at::Tensor> parameters(std::size_t) override { return parameter_; }
  void step() override { ++applied_; }

  void set_gradient(bool overflow) {
    *gradient_.mutable_data_ptr<float>() = overflow ? std::numeric_limits<float>::infinity() : 0.0f;
  }
  std::int64_t applied() const { return applied_; }

 private:
  at::Tensor parameter_, gradient_;
  std::int64_t applied_ = 0;
};

[[noreturn]] void refuse_width(std::size_t step, std::size_t found, std::size_t expected) {
  ErrorFacts facts;
  facts.subject = "step " + std::to_string(step + 1) + " of the overflow pattern";
  facts.found = std::to_string(found) + " optimizers";
  facts.expected = expected == 0 ? "at least one" : std::to_string(expected) + " as in the first step";
  facts.remedy = "Give every step one entry per optimizer";
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

}  // namespace

std::vector<SimulatedStep> simulate_scaler(const spec::Scaler& settings,
                                           const std::vector<std::vector<bool>>& found_inf) {
  spec::Trial trial;
  trial.scaler = settings;
  trial.scaler.enabled = true;
  const precision::Policy policy = precision::policy_of(trial);
  precision::LossScaler scaler(policy.scaler, policy.scaler_rules);

  std::vector<SimulatedStep> steps;
  if (found_inf.empty()) return steps;
  std::vector<CountingOptimizer> optimizers(found_inf.front().size());
  scaler.scale(at::ones({}));
  steps.reserve(found_inf.size());
  std::int64_t applied_by_all = 0;
  for (std::size_t index = 0; index < found_inf.size(); ++index) {
    const std::vector<bool>& overflows = found_inf[index];
    if (overflows.empty() || overflows.size() != optimizers.size()) {
      refuse_width(index, overflows.size(), optimizers.size());
    }
    SimulatedStep row;
    row.step = static_cast<std::int64_t>(index) + 1;
    row.scale_before = scaler.get_scale();
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
      optimizers[i].set_gradient(overflows[i]);
      const bool applied = scaler.step(optimizers[i]);
      row.skipped_of.push_back(!applied);
      row.skipped |= !applied;
      row.applied_updates_of.push_back(optimizers[i].applied());
    }
    const precision::ScaleUpdate update = scaler.update();
    row.tolerated = update == precision::ScaleUpdate::Tolerated;
    row.at_floor = update == precision::ScaleUpdate::AtFloor;
    if (!row.skipped) ++applied_by_all;
    row.applied_updates = applied_by_all;
    row.scale_after = scaler.get_scale();
    row.growth_tracker = scaler.get_growth_tracker();
    const bool ends = row.at_floor && policy.at_floor != spec::AtFloor::Continue;
    steps.push_back(std::move(row));
    if (ends) break;
  }
  return steps;
}

}  // namespace mantissa::session
