// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoint.h"

#include <map>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/train/tensor_bytes.h"

namespace mantissa::train {
namespace {

using record::ArmState;
using record::StateValue;
using record::TensorBytes;

constexpr char kModel[] = "model.";
constexpr char kGenerator[] = "generator";
constexpr char kScaler[] = "scaler.";
constexpr char kAttributes[] = "attributes.";

std::string optimizer_prefix(std::size_t index) { return "optimizer." + std::to_string(index) + '.'; }
std::string schedule_prefix(std::size_t index) { return "schedule." + std::to_string(index) + '.'; }

bool begins(const std::string& text, const std::string& prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

const StateValue* find(const ArmState& state, const std::string& name) {
  const auto found = state.values.find(name);
  return found == state.values.end() ? nullptr : &found->second;
}

template <class Value>
const Value& value_of(const ArmState& state, const std::string& name) {
  const StateValue* const value = find(state, name);
  if (value == nullptr || !std::holds_alternative<Value>(*value)) {
    throw Error(ErrorKind::ArchiveDamaged, {"the checkpoint lacks a number", "", 0, 0, name, "", "", ""});
  }
  return std::get<Value>(*value);
}

/// Every counter and flag of an arm with its name; one list for both directions.
template <class ArmType, class Use>
void visit_counters(ArmType& arm, const Use& use) {
  use("tally.attempted", arm.tally.counts.attempted);
  use("tally.applied", arm.tally.counts.applied);
  use("tally.skipped", arm.tally.counts.skipped);
  use("tally.iterations", arm.tally.counts.iterations);
  use("tally.samples", arm.tally.counts.samples);
  use("tally.first_non_finite_loss_step", arm.tally.first_non_finite_loss_step);
  use("tally.zero_gradient_steps", arm.tally.zero_gradient_steps);
  use("tally.first_zero_gradient_step", arm.tally.first_zero_gradient_step);
  use("tally.any_gradient_nonzero", arm.tally.any_gradient_nonzero);
  use("progress.consecutive_skips", arm.consecutive_skips);
  use("progress.max_consecutive_skips", arm.max_consecutive_skips);
  use("progress.scale_grew", arm.scale_grew);
  use("progress.buffers_reported", arm.buffers_reported);
  use("progress.norm_overflow_reported", arm.norm_overflow_reported);
}

/// Nothing of the kind in a state that an earlier version wrote.
template <class ArmType, class Use>
void visit_inherited(ArmType& arm, const Use& use) {
  use("inherited.attempted", arm.tally.inherited.attempted);
  use("inherited.applied", arm.tally.inherited.applied);
  use("inherited.skipped", arm.tally.inherited.skipped);
  use("inherited.iterations", arm.tally.inherited.iterations);
  use("inherited.samples", arm.tally.inherited.samples);
}

void save_texts(ArmState& state, const std::string& prefix, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) state.values[prefix + std::to_string(i)] = texts[i];
}

std::vector<std::string> load_texts(const ArmState& state, const std::string& prefix) {
  std::vector<std::string> texts;
  while (find(state, prefix + std::to_string(texts.size())) != nullptr) {
    texts.push_back(text_of(state, prefix + std::to_string(texts.size())));
  }
  return texts;
}

void save_optimizer(ArmState& state, const OptimizerUnit& unit, std::size_t index) {
  const std::string prefix = optimizer_prefix(index);
  // An arm that failed for want of memory has given it back.
  const OptimizerState saved = unit.optimizer ? unit.optimizer->state_dict() : OptimizerState();
  for (const auto& [name, tensor] : saved.tensors) state.tensors.push_back(to_bytes(prefix + name, tensor));
  for (const auto& [name, number] : saved.numbers) state.values[prefix + "state." + name] = number;
  state.values[prefix + "kind"] = unit.kind;
  state.values[prefix + "applied"] = unit.applied;
  state.values[prefix + "skipped"] = unit.skipped;
  if (unit.last_learning_rate) state.values[prefix + "last_learning_rate"] = *unit.last_learning_rate;
  const Schedule::State schedule = unit.schedule.state();
  state.values[schedule_prefix(index) + "count"] = schedule.count;
  state.values[schedule_prefix(index) + "learning_rate"] = schedule.learning_rate;
}

OptimizerState optimizer_state(const ArmState& state, std::size_t index) {
  const std::string prefix = optimizer_prefix(index);
  OptimizerState saved;
  for (const TensorBytes& tensor : state.tensors) {
    if (begins(tensor.name, prefix)) saved.tensors.emplace_back(tensor.name.substr(prefix.size()), to_tensor(tensor));
  }
  const std::string numbers = prefix + "state.";
  for (const auto& [name, value] : state.values) {
    if (begins(name, numbers)) saved.numbers.emplace_back(name.substr(numbers.size()), real_of(state, name));
  }
  return saved;
}

/// \param with_moments  false: the state was saved without them
void load_optimizer(OptimizerUnit& unit, const ArmState& state, std::size_t index, bool with_moments) {
  const std::string prefix = optimizer_prefix(index);
  if (text_of(state, prefix + "kind") != unit.kind) {
    throw Error(ErrorKind::ModelProblem,
                {"the checkpoint is of another optimizer", "", 0, 0,
                 "training.optimizer[" + std::to_string(index) + "]", text_of(state, prefix + "kind"), unit.kind, ""});
  }
  try {
    if (with_moments) unit.optimizer->load_state_dict(optimizer_state(state, index));
  } catch (const Error& error) {
    ErrorFacts facts = error.facts();
    facts.problem = "the checkpoint's state of optimizer " + std::to_string(index) + " does not fit: " + facts.problem;
    throw Error(ErrorKind::ModelProblem, std::move(facts));
  }
  unit.applied = integer_of(state, prefix + "applied");
  unit.skipped = integer_of(state, prefix + "skipped");
  unit.last_learning_rate.reset();
  if (find(state, prefix + "last_learning_rate") != nullptr) {
    unit.last_learning_rate = real_of(state, prefix + "last_learning_rate");
  }
  unit.schedule.load(
      {integer_of(state, schedule_prefix(index) + "count"), real_of(state, schedule_prefix(index) + "learning_rate")});
}

void refuse_other_model(const std::vector<std::string>& missing, const std::vector<std::string>& unexpected,
                        const std::vector<std::string>& misshapen) {
  constexpr std::size_t kShown = 5;
  std::string found;
  const auto add = [&found](const std::string& what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    found += (found.empty() ? "" : "; ") + what + ' ';
    for (std::size_t i = 0; i < names.size() && i < kShown; ++i) found += (i ? ", " : "") + names[i];
    if (names.size() > kShown) found += " and " + std::to_string(names.size() - kShown) + " more";
  };
  add("missing", missing);
  add("unexpected", unexpected);
  add("another shape or dtype:", misshapen);
  if (found.empty()) return;
  throw Error(ErrorKind::ModelProblem, {"the checkpoint is of another model", "", 0, 0, "model", found,
                                        "the tensors of the experiment's model", ""});
}

/// The stored tensors of the model in the model's order, all of them checked.
std::vector<at::Tensor> model_tensors(const Arm& arm, const ArmState& state) {
  std::map<std::string, const TensorBytes*> stored;
  for (const TensorBytes& tensor : state.tensors) {
    if (begins(tensor.name, kModel)) stored[tensor.name.substr(sizeof kModel - 1)] = &tensor;
  }
  std::vector<std::string> missing, unexpected, misshapen;
  std::vector<at::Tensor> tensors;
  for (const model::NamedTensor& own : arm.network->state()) {
    const auto found = stored.find(own.name);
    if (found == stored.end()) {
      missing.push_back(own.name);
      continue;
    }
    const TensorBytes& bytes = *found->second;
    if (bytes.shape != own.tensor.sizes().vec() || bytes.dtype != dtype_word(own.tensor.scalar_type())) {
      misshapen.push_back(own.name);
    } else {
      tensors.push_back(to_tensor(bytes));
    }
    stored.erase(found);
  }
  for (const auto& [name, bytes] : stored) unexpected.push_back(name);
  refuse_other_model(missing, unexpected, misshapen);
  return tensors;
}

const TensorBytes* find_tensor(const ArmState& state, const std::string& name) {
  for (const TensorBytes& tensor : state.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

void load_scaler(Arm& arm, const ArmState& state) {
  precision::LossScalerState saved;
  for (const auto& [name, value] : state.values) {
    if (begins(name, kScaler)) saved[name.substr(sizeof kScaler - 1)] = real_of(state, name);
  }
  arm.scaler->load_state_dict(saved);
  if (integer_of(state, "tally.attempted") == 0) return;
  // Its tensors are made now: in a run that never stopped they are there, and counted, already.
  arm.scaler->scale(at::zeros({}, arm.network->parameters().front().tensor.options().requires_grad(false)));
  for (const OptimizerUnit& unit : arm.optimizers) arm.scaler->exact().prepare(*unit.optimizer);
}

void save_policy_changes(ArmState& state, const Arm& arm) {
  for (std::size_t i = 0; i < arm.policy_changes.size(); ++i) {
    const std::string prefix = "policy_change." + std::to_string(i) + '.';
    const record::PolicyChange& change = arm.policy_changes[i];
    state.values[prefix + "step"] = change.step;
    state.values[prefix + "trial"] = change.trial;
    state.values[prefix + "autocast"] = change.autocast;
    state.values[prefix + "cast_policy"] = change.cast_policy;
    state.values[prefix + "policy"] = change.policy;
    state.values[prefix + "reason"] = change.reason;
  }
}

void save_attributes(ArmState& state, const Arm& arm) {
  const model::StoredAttributes stored = arm.network->stored_attributes();
  const std::string prefix = kAttributes;
  for (std::size_t i = 0; i < stored.tensors.size(); ++i) {
    state.tensors.push_back(to_bytes(prefix + std::to_string(i), stored.tensors[i]));
  }
  if (!stored.text.empty()) state.values[prefix + "text"] = stored.text;
  if (!stored.unsaved.empty()) state.values[prefix + "unsaved"] = stored.unsaved;
}

void load_attributes(Arm& arm, const ArmState& state) {
  model::StoredAttributes stored;
  const std::string prefix = kAttributes;
  const TensorBytes* tensor = nullptr;
  while ((tensor = find_tensor(state, prefix + std::to_string(stored.tensors.size()))) != nullptr) {
    stored.tensors.push_back(to_tensor(*tensor).to(arm.network->device()));
  }
  if (find(state, prefix + "text") != nullptr) stored.text = text_of(state, prefix + "text");
  if (find(state, prefix + "unsaved") != nullptr) stored.unsaved = text_of(state, prefix + "unsaved");
  arm.network->load_attributes(stored);
}

std::vector<record::PolicyChange> load_policy_changes(const ArmState& state) {
  std::vector<record::PolicyChange> changes;
  for (;;) {
    const std::string prefix = "policy_change." + std::to_string(changes.size()) + '.';
    if (find(state, prefix + "step") == nullptr) return changes;
    changes.push_back({integer_of(state, prefix + "step"), text_of(state, prefix + "trial"),
                       text_of(state, prefix + "autocast"), text_of(state, prefix + "cast_policy"),
                       text_of(state, prefix + "policy"), text_of(state, prefix + "reason")});
  }
}

/// Puts the arm under the policy that it had come to: it has fallen back as often as it had then.
void repeat_policy_changes(Arm& arm, const ArmState& state) {
  std::vector<record::PolicyChange> changes = load_policy_changes(state);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (arm.fallbacks.empty()) {
      throw Error(ErrorKind::ArchiveDamaged, {"the checkpoint has more changes of policy than the experiment allows",
                                              "", 0, 0, "policy_change." + std::to_string(i), "", "", ""});
    }
    adopt_fallback(arm);
  }
  arm.policy_changes = std::move(changes);
  arm.switches_next = integer_of(state, "progress.switches_next") != 0;
}

}  // namespace

std::int64_t integer_of(const ArmState& state, const std::string& name) { return value_of<std::int64_t>(state, name); }
double real_of(const ArmState& state, const std::string& name) { return value_of<double>(state, name); }
const std::string& text_of(const ArmState& state, const std::string& name) {
  return value_of<std::string>(state, name);
}

ArmState state_of(const Arm& arm) {
  ArmState state;
  for (const model::NamedTensor& own : arm.network->state()) {
    state.tensors.push_back(to_bytes(kModel + own.name, own.tensor));
  }
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) save_optimizer(state, arm.optimizers[i], i);
  if (arm.generator_state.defined()) state.tensors.push_back(to_bytes(kGenerator, arm.generator_state));
  visit_counters(arm, [&state](const char* name, auto value) { state.values[name] = std::int64_t{value}; });
  visit_inherited(arm, [&state](const char* name, auto value) { state.values[name] = std::int64_t{value}; });
  state.values["progress.shadow_every"] = arm.shadow_every;
  if (arm.tally.last_loss) state.values["tally.last_loss"] = *arm.tally.last_loss;
  if (arm.scaler) {
    for (const auto& [name, value] : arm.scaler->state_dict()) state.values[kScaler + name] = value;
  }
  save_attributes(state, arm);
  save_policy_changes(state, arm);
  state.values["progress.switches_next"] = std::int64_t{arm.switches_next};
  save_texts(state, "note.", arm.notes);
  if (arm.failure) {
    state.values["failure.reason"] = arm.failure->reason;
    state.values["failure.text"] = arm.failure->text;
  }
  return state;
}

std::optional<Failure> failure_of_state(const ArmState& state) {
  if (find(state, "failure.reason") == nullptr) return std::nullopt;
  return Failure{text_of(state, "failure.reason"), text_of(state, "failure.text")};
}

void load_state(Arm& arm, const ArmState& state, PolicyOfState policy, ScalerStart scaler) {
  load_attributes(arm, state);  // before the buffers, which it may set to other tensors
  const std::vector<at::Tensor> weights = model_tensors(arm, state);
  const TensorBytes* const generator = find_tensor(state, kGenerator);
  if ((generator != nullptr) != arm.generator_state.defined()) {
    throw Error(ErrorKind::ModelProblem,
                {generator != nullptr ? "the checkpoint has a random stream, which the model does not use"
                                      : "the checkpoint lacks the state of the model's random stream",
                 "", 0, 0, kGenerator, "", "", ""});
  }
  const std::optional<Failure> failure = failure_of_state(state);
  const bool with_moments = !failure || failure->reason != "memory";
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) load_optimizer(arm.optimizers[i], state, i, with_moments);
  if (policy == PolicyOfState::Same) repeat_policy_changes(arm, state);
  if (arm.scaler && scaler == ScalerStart::GoOn) load_scaler(arm, state);
  visit_counters(arm, [&state](const char* name, auto& value) {
    value = static_cast<std::decay_t<decltype(value)>>(integer_of(state, name));
  });
  visit_inherited(arm, [&state](const char* name, std::int64_t& value) {
    value = find(state, name) == nullptr ? 0 : integer_of(state, name);
  });
  arm.tally.last_loss.reset();
  if (find(state, "tally.last_loss") != nullptr) arm.tally.last_loss = real_of(state, "tally.last_loss");
  arm.notes = load_texts(state, "note.");
  arm.failure = failure;
  if (generator != nullptr) arm.generator_state = to_tensor(*generator);
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights.size(); ++i) arm.network->state()[i].tensor.copy_(weights[i]);
  if (arm.tally.counts.attempted == 0) return;
  arm.buffers.keep();  // the copies that every step makes into are there in a run that never stopped, too
  arm.buffers.forget();
}

}  // namespace mantissa::train
