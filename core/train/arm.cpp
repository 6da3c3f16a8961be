// SPDX-License-Identifier: Apache-2.0
#include "core/train/arm.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/model/random_stream.h"
#include "core/spec/parse.h"

#include <fnmatch.h>

namespace mantissa::train {
namespace {

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
      buffers(network->buffers()),
      shadow_every(trial != nullptr ? trial->shadow_every : 0) {
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
