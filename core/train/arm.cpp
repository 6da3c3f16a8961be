// SPDX-License-Identifier: Apache-2.0
#include "core/train/arm.h"

#include <algorithm>
#include <utility>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/model/random_stream.h"
#include "core/spec/parse.h"

#include <fnmatch.h>

namespace mantissa::train {
namespace {

bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

/// Every glob must hold a trainable parameter: a mistyped one beside a right one would leave out, unsaid, what it was
/// meant for.
void refuse_idle_patterns(const spec::Optimizer& settings, const spec::Experiment& experiment, std::size_t index,
                          const std::vector<model::NamedTensor>& parameters) {
  std::vector<std::string> names;
  std::vector<std::string> idle;
  bool frozen = false;
  for (const model::NamedTensor& parameter : parameters) names.push_back(parameter.name);
  for (const std::string& pattern : settings.parameters) {
    bool any = false;
    bool any_trainable = false;
    for (const model::NamedTensor& parameter : parameters) {
      if (!matches(pattern, parameter.name)) continue;
      any = true;
      any_trainable = any_trainable || parameter.tensor.requires_grad();
    }
    if (any_trainable) continue;
    frozen = frozen || any;
    idle.push_back(pattern);
  }
  if (idle.empty()) return;
  std::string found;
  for (const std::string& pattern : idle) found += (found.empty() ? "'" : ", '") + pattern + '\'';
  const std::string key = "training.optimizer[" + std::to_string(index) + "].parameters";
  throw Error(
      ErrorKind::InvalidSetting,
      {frozen ? "matches no parameter that is trained (requires_grad)" : "matches no parameter of the model",
       experiment.file, experiment.position(key).line, 0, key, found,
       "globs over parameters such as " + nearest_names(idle.front(), names), "Correct the glob or leave it out"});
}

OptimizerUnit make_unit(const spec::Optimizer& settings, const spec::Experiment& experiment, std::size_t index,
                        const model::Network& network) {
  std::vector<std::size_t> indexes;
  std::vector<at::Tensor> tensors;
  const std::vector<model::NamedTensor>& parameters = network.parameters();
  refuse_idle_patterns(settings, experiment, index, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].tensor.requires_grad() || !matches_any(settings.parameters, parameters[i].name)) continue;
    indexes.push_back(i);
    tensors.push_back(parameters[i].tensor);
  }
  OptimizerUnit unit{make_optimizer(settings, std::move(tensors)),
                     Schedule(settings.schedule ? *settings.schedule : experiment.training.schedule, settings.lr),
                     settings.clip_norm ? settings.clip_norm : experiment.training.clip_norm,
                     std::move(indexes),
                     spec::to_text(settings.kind),
                     0,
                     0,
                     std::nullopt};
  return unit;
}

/// Two optimizers on one parameter would both move it, each with momentum of its own.
void refuse_second_owner(const spec::Experiment& experiment, const std::string& parameter, std::size_t first,
                         std::size_t second) {
  const auto key = [](std::size_t index) { return "training.optimizer[" + std::to_string(index) + "]"; };
  throw Error(ErrorKind::InvalidSetting,
              {"a parameter in two optimizers", experiment.file, experiment.position(key(second)).line, 0, key(second),
               parameter + ", which " + key(first) + " has already", "every parameter in one optimizer at most",
               "Narrow the globs in parameters of one of the two"});
}

/// Which optimizer owns each parameter; nothing: none does.
std::vector<std::optional<std::size_t>> owners_of(const std::vector<OptimizerUnit>& optimizers,
                                                  const spec::Experiment& experiment, const model::Network& network) {
  std::vector<std::optional<std::size_t>> owners(network.parameters().size());
  for (std::size_t i = 0; i < optimizers.size(); ++i) {
    for (const std::size_t index : optimizers[i].parameters) {
      if (owners[index]) refuse_second_owner(experiment, network.parameters()[index].name, *owners[index], i);
      owners[index] = i;
    }
  }
  return owners;
}

/// Said wherever a rate is shown: such a rate moves in skipped steps, too.
std::string note_on_iterations(const std::vector<OptimizerUnit>& optimizers) {
  std::string indexes;
  for (std::size_t i = 0; i < optimizers.size(); ++i) {
    if (optimizers[i].schedule.per() == spec::SchedulePer::Iteration) {
      indexes += (indexes.empty() ? "" : ", ") + std::to_string(i);
    }
  }
  if (indexes.empty()) return {};
  return (optimizers.size() == 1 ? std::string("The learning rate") : "The learning rate of optimizer " + indexes) +
         " follows iterations (microbatches), not applied updates: it also moves in skipped steps.";
}

}  // namespace

record::Counts own_counts(const Tally& tally) {
  record::Counts own = tally.counts;
  own.attempted -= tally.inherited.attempted;
  own.applied -= tally.inherited.applied;
  own.skipped -= tally.inherited.skipped;
  own.iterations -= tally.inherited.iterations;
  own.samples -= tally.inherited.samples;
  return own;
}

void begin_own_tally(Arm& arm) {
  Tally own;
  own.counts = arm.tally.counts;
  own.inherited = arm.tally.counts;
  own.last_loss = arm.tally.last_loss;
  arm.tally = own;
  arm.consecutive_skips = 0;
  arm.max_consecutive_skips = 0;
}

bool matches(const std::string& pattern, const std::string& name) {
  if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return name.size() > pattern.size() && name.compare(0, pattern.size(), pattern) == 0 && name[pattern.size()] == '.';
}

Arm::Arm(std::string arm_name, std::unique_ptr<model::Network> arm_network, const spec::Experiment& experiment,
         const spec::Trial* trial)
    : name(std::move(arm_name)),
      network(std::move(arm_network)),
      policy(trial != nullptr ? precision::policy_of(*trial, network->device().type()) : precision::reference_policy()),
      scaler(precision::make_scaler(policy)),
      loss(experiment.training),
      on_non_finite(experiment.training.on_non_finite),
      stop_on(experiment.training.stop_on),
      skip_norm(experiment.training.skip_norm),
      buffers(*network),
      shadow_every(trial != nullptr ? trial->shadow_every : 0),
      growth_limit_bytes(experiment.budget.growth_limit_bytes) {
  network->recompute_blocks(experiment.training.activation_checkpointing == spec::ActivationCheckpointing::Blocks);
  const std::vector<model::NamedTensor>& parameters = network->parameters();
  const auto is_trainable = [](const model::NamedTensor& parameter) { return parameter.tensor.requires_grad(); };
  const bool trainable = std::any_of(parameters.begin(), parameters.end(), is_trainable);
  for (std::size_t i = 0; trainable && i < experiment.training.optimizers.size(); ++i) {
    optimizers.push_back(make_unit(experiment.training.optimizers[i], experiment, i, *network));
  }
  const std::vector<std::optional<std::size_t>> owners = owners_of(optimizers, experiment, *network);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] || !is_trainable(parameters[i])) continue;
    notes.push_back("Parameter " + parameters[i].name + " belongs to no optimizer and stays as it is.");
  }
  if (const std::string note = note_on_iterations(optimizers); !note.empty()) notes.push_back(note);
  if (trial != nullptr) fallbacks = fallbacks_of(experiment, *trial, network->device().type());
  network->set_training(true);
  if (network->may_use_randomness()) {
    generator_state = model::RandomStream::seeded(experiment.training.seed, network->device());
  }
}

void Attempt::enter(record::StepPart next) {
  part = next;
  if (on_part) on_part(next);
}

std::optional<std::size_t> Attempt::overflow_optimizer() const {
  for (std::size_t i = 0; i < optimizers.size(); ++i) {
    if (optimizers[i].found_inf) return i;
  }
  return std::nullopt;
}

record::SkipCause Attempt::cause() const {
  const auto first = [this](bool non_finite_only) {
    for (const OptimizerAttempt& own : optimizers) {
      if (own.cause != record::SkipCause::None && (own.found_inf || !non_finite_only)) return own.cause;
    }
    return record::SkipCause::None;
  };
  const record::SkipCause non_finite = first(true);
  return non_finite != record::SkipCause::None ? non_finite : first(false);
}

}  // namespace mantissa::train
