// SPDX-License-Identifier: Apache-2.0
#include "core/train/arm.h"

#include <algorithm>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>

#include "core/base/error.h"

#include <fnmatch.h>

namespace mantissa::train {
namespace {

/// A glob over parameter paths; a module path means all parameters below it.
bool matches(const std::string& pattern, const std::string& name) {
  if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return name.size() > pattern.size() && name.compare(0, pattern.size(), pattern) == 0 && name[pattern.size()] == '.';
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
  for (const std::string& pattern : patterns) {
    if (matches(pattern, name)) return true;
  }
  return false;
}

std::string joined_names(const std::vector<model::NamedTensor>& parameters) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < parameters.size() && i < kShown; ++i) text += (i ? ", " : "") + parameters[i].name;
  return parameters.size() > kShown ? text + ", …" : text;
}

OptimizerUnit make_unit(const spec::Optimizer& settings, const spec::Experiment& experiment, std::size_t index,
                        const model::Network& network) {
  std::vector<std::size_t> indexes;
  std::vector<at::Tensor> tensors;
  const std::vector<model::NamedTensor>& parameters = network.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].tensor.requires_grad() || !matches_any(settings.parameters, parameters[i].name)) continue;
    indexes.push_back(i);
    tensors.push_back(parameters[i].tensor);
  }
  if (tensors.empty()) {
    const std::string key = "training.optimizer[" + std::to_string(index) + "]";
    throw Error(ErrorKind::InvalidSetting,
                {"no trainable parameter matches", experiment.file, experiment.position(key + ".parameters").line, 0,
                 key + ".parameters", settings.parameters.empty() ? "" : settings.parameters.front(),
                 "globs over " + joined_names(parameters), ""});
  }
  return {make_optimizer(settings, std::move(tensors)), Schedule(experiment.training.schedule, settings.lr),
          settings.clip_norm ? settings.clip_norm : experiment.training.clip_norm, std::move(indexes)};
}

std::optional<precision::GradScaler> make_scaler(const precision::Policy& policy) {
  if (!policy.scaler.enabled) return std::nullopt;
  return precision::GradScaler(policy.scaler);
}

}  // namespace

Arm::Arm(std::string arm_name, std::unique_ptr<model::Network> arm_network, const spec::Experiment& experiment,
         const spec::Trial* trial)
    : name(std::move(arm_name)),
      network(std::move(arm_network)),
      policy(trial != nullptr ? precision::policy_of(*trial) : precision::reference_policy()),
      scaler(make_scaler(policy)),
      loss(experiment.training),
      on_non_finite(experiment.training.on_non_finite),
      shadow_every(trial != nullptr ? trial->shadow_every : 0) {
  const std::vector<model::NamedTensor>& parameters = network->parameters();
  const auto is_trainable = [](const model::NamedTensor& parameter) { return parameter.tensor.requires_grad(); };
  const bool trainable = std::any_of(parameters.begin(), parameters.end(), is_trainable);
  for (std::size_t i = 0; trainable && i < experiment.training.optimizers.size(); ++i) {
    optimizers.push_back(make_unit(experiment.training.optimizers[i], experiment, i, *network));
  }
  std::vector<bool> owned(network->parameters().size(), false);
  for (const OptimizerUnit& unit : optimizers) {
    for (const std::size_t index : unit.parameters) owned[index] = true;
  }
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const model::NamedTensor& parameter = network->parameters()[i];
    if (!owned[i] && parameter.tensor.requires_grad()) {
      notes.push_back("Parameter " + parameter.name + " belongs to no optimizer and stays as it is.");
    }
  }
  network->set_training(true);
  if (network->may_use_randomness()) {
    at::Generator generator = at::detail::createCPUGenerator(experiment.training.seed);
    generator_state = generator.get_state();
  }
}

}  // namespace mantissa::train
