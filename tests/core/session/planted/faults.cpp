// SPDX-License-Identifier: Apache-2.0
#include "tests/core/session/planted/faults.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/precision/forward_scope.h"
#include "core/spec/parse.h"
#include "core/train/batch_plan.h"
#include "core/train/stages.h"

namespace mantissa::planted {
namespace {

using train::Arm;
using train::Attempt;
using train::Window;

void run(const std::vector<train::Stage>& stages, Arm& arm, const Window& window, Attempt& attempt) {
  train::run_stages(stages, arm, window, attempt, {});
}

void sound_gradients(Arm& arm, const Window& window, Attempt& attempt) {
  run(train::gradient_stages(), arm, window, attempt);
}
void sound_update(Arm& arm, const Window& window, Attempt& attempt) {
  if (!arm.failure) run(train::update_stages(), arm, window, attempt);
}
void sound_step(Arm& arm, const Window& window, Attempt& attempt) {
  sound_gradients(arm, window, attempt);
  sound_update(arm, window, attempt);
}

template <class Change>
void for_gradients(Arm& arm, const Change& change) {
  const at::NoGradGuard no_grad;
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (gradient.defined()) change(gradient);
  }
}

template <class Change>
void for_weights(Arm& arm, const Change& change) {
  const at::NoGradGuard no_grad;
  std::size_t index = 0;
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    at::Tensor weight = parameter.tensor.detach();
    change(weight, index++);
  }
}

std::vector<at::Tensor> weights_of(const Arm& arm) {
  std::vector<at::Tensor> weights;
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    weights.push_back(parameter.tensor.detach().clone());
  }
  return weights;
}

/// A step whose true gradients are changed before they are clipped and applied.
template <class Change>
auto with_gradients(Change change) {
  return [change](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
    sound_gradients(arm, window, attempt);
    if (!arm.failure) change(arm, attempt, memory);
    sound_update(arm, window, attempt);
  };
}

/// A sound step with something done after it.
template <class Change>
auto with_end(Change change) {
  return [change](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
    sound_step(arm, window, attempt);
    if (!arm.failure) change(arm, attempt, memory);
  };
}

/// A sound step on another window.
template <class Change>
auto with_window(Change change) {
  return [change](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
    Window other = window;
    for (train::Microbatch& microbatch : other.microbatches) change(microbatch, memory);
    sound_step(arm, other, attempt);
  };
}

void scale_all(Arm& arm, double factor) {
  for_gradients(arm, [factor](at::Tensor& gradient) { gradient.mul_(factor); });
}

/// Clipping that takes the scaled gradients for the true ones.
void clip_scaled(Arm& arm, double clip_norm) {
  double squares = 0.0;
  for_gradients(arm, [&](at::Tensor& gradient) {
    const double norm = gradient.norm().item<double>();
    squares += norm * norm;
  });
  scale_all(arm, std::min(1.0, clip_norm / (std::sqrt(squares) + 1e-6)));
}

/// Forward and backward at weights that are put in for the time being.
void step_at_other_weights(Arm& arm, const Window& window, Attempt& attempt, const std::vector<at::Tensor>& others) {
  const std::vector<at::Tensor> own = weights_of(arm);
  for_weights(arm, [&](at::Tensor& weight, std::size_t index) { weight.copy_(others[index]); });
  sound_gradients(arm, window, attempt);
  for_weights(arm, [&](at::Tensor& weight, std::size_t index) { weight.copy_(own[index]); });
  sound_update(arm, window, attempt);
}

void round_weights(Arm& arm, at::ScalarType dtype) {
  for_weights(arm, [dtype](at::Tensor& weight, std::size_t) { weight.copy_(weight.to(dtype)); });
}

/// The optimizer's tensors of every other parameter, or of all, begin anew.
void lose_state(Arm& arm, bool half) {
  train::OptimizerState state = arm.optimizers.front().optimizer->state_dict();
  for (auto& [name, tensor] : state.tensors) {
    if (tensor.dim() == 0) continue;  // a count of steps
    const bool even = (name.front() - '0') % 2 == 0;
    if (!half || even) tensor = at::zeros_like(tensor);
  }
  arm.optimizers.front().optimizer->load_state_dict(state);
}

/// A network with something between it and its outputs.
class Distorted : public model::Network {
 public:
  using Distort = std::function<at::Tensor(const at::Tensor&)>;
  Distorted(model::Network& sound, Distort distort) : sound_(sound), distort_(std::move(distort)) {}
  at::Tensor forward(const at::Tensor& inputs) override { return distort_(sound_.forward(inputs)); }
  void set_training(bool training) override { sound_.set_training(training); }
  std::unique_ptr<Network> clone() const override { return sound_.clone(); }
  bool may_use_randomness() const override { return sound_.may_use_randomness(); }

 private:
  model::Network& sound_;
  Distort distort_;
};

/// Both sides of a trial through a distortion. The wrappers live as long as the program: they are few.
auto distorted(Distorted::Distort distort) {
  return [distort](Evaluation& evaluation, const session::Prepared&) {
    static std::vector<std::unique_ptr<Distorted>> wrappers;
    for (model::Network** network : {&evaluation.same_weights, &evaluation.trained}) {
      wrappers.push_back(std::make_unique<Distorted>(**network, distort));
      *network = wrappers.back().get();
    }
  };
}

auto with_inputs(std::function<at::Tensor(const at::Tensor&)> change) {
  return [change](Evaluation& evaluation, const session::Prepared&) {
    evaluation.cases.inputs = change(evaluation.cases.inputs);
  };
}

std::vector<Fault> make_faults() {
  const auto half_way = [](const Memory& memory) { return memory.step == memory.steps / 2; };
  std::vector<Fault> all;
  for (const std::string& experiment : experiments()) all.push_back({"sound", experiment});

  // Gradients and their scale.
  all.push_back({"unscaling skipped", "digits", with_gradients([](Arm& arm, const Attempt& attempt, Memory&) {
                   scale_all(arm, attempt.scale_before);
                 })});
  all.push_back({"unscaled twice", "digits", with_gradients([](Arm& arm, const Attempt& attempt, Memory&) {
                   scale_all(arm, 1.0 / attempt.scale_before);
                 })});
  all.push_back(
      {"clipped before unscaling", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
         run({train::zero_gradients, train::forward_backward}, arm, window, attempt);
         if (arm.failure) return;
         clip_scaled(arm, *arm.optimizers.front().clip_norm);
         run({train::unscale, train::check_finite, train::apply_updates, train::update_scale}, arm, window, attempt);
       }});
  all.push_back({"clipping left out", "digits-steep", [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
                   sound_gradients(arm, window, attempt);
                   if (arm.failure) return;
                   run({train::apply_updates, train::update_scale}, arm, window, attempt);
                 }});
  all.push_back(
      {"found_inf ignored", "digits-calibrated", [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
         sound_gradients(arm, window, attempt);
         if (arm.failure) return;
         if (!attempt.skipped()) return sound_update(arm, window, attempt);
         arm.optimizers.front().optimizer->set_learning_rate(attempt.optimizers.front().learning_rate);
         arm.optimizers.front().optimizer->step();
         run({train::update_scale}, arm, window, attempt);
       }});
  all.push_back({"infinite gradients cut to the largest number", "digits-calibrated",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
                   run({train::zero_gradients, train::forward_backward}, arm, window, attempt);
                   if (arm.failure) return;
                   for_gradients(arm, [](at::Tensor& gradient) { gradient.nan_to_num_(0.0); });
                   run({train::unscale, train::check_finite, train::clip, train::apply_updates, train::update_scale},
                       arm, window, attempt);
                 }});
  all.push_back({"scaler made anew in every batch", "digits-calibrated",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
                   arm.scaler = precision::make_scaler(arm.policy);
                   sound_step(arm, window, attempt);
                 }});
  all.push_back({"resumed without the scaler's state", "digits-calibrated",
                 [half_way](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   if (half_way(memory)) arm.scaler = precision::make_scaler(arm.policy);
                   sound_step(arm, window, attempt);
                 }});
  all.push_back({"a scale far too small", "digits", {}, [](Arm& arm) {
                   precision::Policy policy = arm.policy;
                   policy.scaler.init_scale = 1.0 / 65536.0;
                   arm.scaler = precision::make_scaler(policy);
                 }});
  all.push_back(
      {"a scale that never falls", "digits-calibrated", [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
         sound_gradients(arm, window, attempt);
         if (arm.failure) return;
         run({train::clip, train::apply_updates}, arm, window, attempt);
         const auto state = precision::make_scaler(arm.policy);
         run({train::update_scale}, arm, window, attempt);
         arm.scaler = precision::make_scaler(arm.policy);
         (void)state;
       }});
  all.push_back(
      {"gradients never zeroed", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
         sound_gradients(arm, window, attempt);
         if (arm.failure) return;
         std::size_t index = 0;
         const bool finite = !attempt.skipped();
         for_gradients(arm, [&](at::Tensor& gradient) {
           if (memory.kept.size() <= index) memory.kept.push_back(at::zeros_like(gradient));
           if (finite) gradient.add_(memory.kept[index]);
           if (finite) memory.kept[index].copy_(gradient);
           ++index;
         });
         sound_update(arm, window, attempt);
       }});
  all.push_back({"gradients of the step before", "digits-steep",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   sound_gradients(arm, window, attempt);
                   if (arm.failure) return;
                   std::size_t index = 0;
                   const bool finite = !attempt.skipped();
                   for_gradients(arm, [&](at::Tensor& gradient) {
                     if (memory.kept.size() <= index) memory.kept.push_back(at::zeros_like(gradient));
                     const at::Tensor own = gradient.clone();
                     if (finite) gradient.copy_(memory.kept[index]);
                     if (finite) memory.kept[index].copy_(own);
                     ++index;
                   });
                   sound_update(arm, window, attempt);
                 }});
  all.push_back({"gradients rounded to 3 bits", "digits", with_gradients([](Arm& arm, const Attempt&, Memory&) {
                   for_gradients(arm, [](at::Tensor& gradient) {
                     const at::Tensor exponent = at::floor(at::log2(gradient.abs() + 1e-30));
                     const at::Tensor unit = at::pow(2.0, exponent - 2.0);
                     gradient.copy_(at::trunc(gradient / unit) * unit);
                   });
                 })});
  all.push_back({"small gradients flushed to zero", "digits", with_gradients([](Arm& arm, const Attempt&, Memory&) {
                   for_gradients(arm, [](at::Tensor& gradient) { gradient.masked_fill_(gradient.abs() < 3e-3, 0.0); });
                 })});
  all.push_back({"windows of two microbatches not divided", "digits-accumulated",
                 with_gradients([](Arm& arm, const Attempt&, Memory&) { scale_all(arm, 2.0); })});

  // Updates, optimizer, schedule.
  all.push_back(
      {"every fourth update dropped", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
         sound_gradients(arm, window, attempt);
         if (arm.failure) return;
         if (memory.step % 4 != 0) return sound_update(arm, window, attempt);
         run({train::update_scale}, arm, window, attempt);
       }});
  all.push_back({"updates dropped and counted as applied", "digits",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   const std::vector<at::Tensor> before = weights_of(arm);
                   sound_step(arm, window, attempt);
                   if (memory.step % 4 != 0) return;
                   for_weights(arm, [&](at::Tensor& weight, std::size_t index) { weight.copy_(before[index]); });
                 }});
  all.push_back({"schedule advanced twice a step", "digits",
                 with_end([](Arm& arm, const Attempt&, Memory&) { arm.optimizers.front().schedule.advance(); })});
  all.push_back(
      {"schedule advanced on skipped steps", "digits-skips", with_end([](Arm& arm, const Attempt& attempt, Memory&) {
         if (attempt.skipped()) arm.optimizers.front().schedule.advance();
       })});
  all.push_back({"schedule never advanced", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory&) {
                   const train::Schedule::State state = arm.optimizers.front().schedule.state();
                   sound_step(arm, window, attempt);
                   arm.optimizers.front().schedule.load(state);
                 }});
  all.push_back({"learning rate applied twice", "digits", with_gradients([](Arm&, Attempt& attempt, Memory&) {
                   for (train::OptimizerAttempt& own : attempt.optimizers) own.learning_rate *= own.learning_rate;
                 })});
  all.push_back(
      {"half of the optimizer's state lost", "digits-adam", with_end([half_way](Arm& arm, const Attempt&, Memory& m) {
         if (half_way(m)) lose_state(arm, true);
       })});
  all.push_back(
      {"the optimizer's state lost in every step", "digits", with_end([](Arm& arm, const Attempt& attempt, Memory&) {
         if (!attempt.skipped()) lose_state(arm, false);
       })});
  all.push_back(
      {"one layer never updated", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
         sound_step(arm, window, attempt);
         for_weights(arm, [&](at::Tensor& weight, std::size_t index) {
           if (index == 0) weight.copy_(memory.initial[0]);
         });
       }});

  // Weights.
  all.push_back(
      {"stale casts of the weights", "digits", [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
         step_at_other_weights(arm, window, attempt, memory.initial);
       }});
  all.push_back({"casts of the weights renewed every tenth step", "digits",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   if (memory.step % 10 == 1) memory.kept = weights_of(arm);
                   step_at_other_weights(arm, window, attempt, memory.kept);
                 }});
  all.push_back({"weights kept in BF16", "digits",
                 with_end([](Arm& arm, const Attempt&, Memory&) { round_weights(arm, at::kBFloat16); })});
  all.push_back({"other initial weights", "digits", {}, [](Arm& arm) {
                   for_weights(arm, [](at::Tensor& weight, std::size_t) { weight.mul_(0.5); });
                 }});
  all.push_back(
      {"weights of the wrong moment saved",
       "digits",
       {},
       {},
       [](Evaluation& evaluation, const session::Prepared& prepared) { evaluation.trained = prepared.network.get(); }});

  // Data.
  all.push_back({"batches in another order", "digits", with_window([](train::Microbatch& microbatch, Memory&) {
                   const at::Tensor order = at::arange(microbatch.inputs.size(0) - 1, -1, -1, at::kLong);
                   microbatch.targets = microbatch.targets.index_select(0, order);
                 })});
  all.push_back(
      {"inputs of the training in other units", "digits",
       with_window([](train::Microbatch& microbatch, Memory&) { microbatch.inputs = microbatch.inputs * 16.0; })});
  all.push_back(
      {"half of every batch left out", "digits-steep", with_window([](train::Microbatch& microbatch, Memory&) {
         const std::int64_t half = microbatch.inputs.size(0) / 2;
         microbatch.inputs = microbatch.inputs.narrow(0, 0, half);
         microbatch.targets = microbatch.targets.narrow(0, 0, half);
       })});
  all.push_back({"loss in FP16 where it overflows", "concrete",
                 [](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   run({train::zero_gradients}, arm, window, attempt);
                   at::Tensor sum;
                   for (const train::Microbatch& microbatch : window.microbatches) {
                     at::Tensor output;
                     {
                       const precision::ForwardScope scope(arm.policy, c10::DeviceType::CPU);
                       output = arm.network->forward(microbatch.inputs);
                     }
                     const at::Tensor error = output.to(at::kHalf) - microbatch.targets.to(at::kHalf);
                     sum = (error * error).sum();  // beyond 65,504
                     arm.scaler->scale(sum / static_cast<double>(microbatch.inputs.size(0))).backward();
                   }
                   attempt.loss = sum.item<double>();
                   if (!std::isfinite(attempt.loss) && arm.tally.first_non_finite_loss_step == 0) {
                     arm.tally.first_non_finite_loss_step = memory.step;
                   }
                   run({train::unscale, train::check_finite}, arm, window, attempt);
                   sound_update(arm, window, attempt);
                 }});

  // Inference and evaluation.
  all.push_back({"outputs off by 1/32", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   return output * (1.0 + 1.0 / 32.0);
                 })});
  all.push_back({"outputs rounded to 5 bits", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   const at::Tensor unit = at::pow(2.0, at::floor(at::log2(output.abs().to(at::kFloat) + 1e-30)) - 4.0);
                   return at::trunc(output.to(at::kFloat) / unit) * unit;
                 })});
  all.push_back({"outputs cut off at 2", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   return output.clamp(-2.0, 2.0);
                 })});
  all.push_back({"one class never predicted", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   at::Tensor cut = output.clone();
                   cut.select(1, 3).fill_(-100.0);
                   return cut;
                 })});
  all.push_back({"classes in another order", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   return output.roll(1, 1);
                 })});
  all.push_back({"a NaN in one output", "digits", {}, {}, distorted([](const at::Tensor& output) {
                   at::Tensor broken = output.to(at::kFloat).clone();
                   broken[0][0] = std::nan("");
                   return broken;
                 })});
  all.push_back(
      {"preprocessing changed", "digits", {}, {}, with_inputs([](const at::Tensor& inputs) { return inputs * 0.5; })});
  all.push_back({"inputs rounded to whole numbers of 4", "digits", {}, {}, with_inputs([](const at::Tensor& inputs) {
                   return at::round(inputs * 2.0) / 2.0;
                 })});
  all.push_back(
      {"a frozen case swapped with another", "digits", {}, {}, [](Evaluation& evaluation, const session::Prepared&) {
         at::Tensor order = at::arange(evaluation.cases.inputs.size(0), at::kLong);
         order[0] = 1;
         order[1] = 0;
         evaluation.cases.inputs = evaluation.cases.inputs.index_select(0, order);
       }});
  all.push_back(
      {"evaluated with dropout on", "digits-dropout", {}, {}, [](Evaluation& evaluation, const session::Prepared&) {
         evaluation.in_training_mode = true;
       }});
  all.push_back({"a state that went non-finite and was not told", "digits",
                 [half_way](Arm& arm, const Window& window, Attempt& attempt, Memory& memory) {
                   sound_step(arm, window, attempt);
                   if (half_way(memory)) {
                     for_weights(arm, [](at::Tensor& weight, std::size_t index) {
                       if (index == 1) weight[0] = std::nan("");
                     });
                   }
                 }});
  return all;
}

bool same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!at::equal(a[i], b[i])) return false;
  }
  return true;
}

bool same_outputs(const std::vector<record::CaseRow>& a, const std::vector<record::CaseRow>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].output != b[i].output || a[i].output_same_weights != b[i].output_same_weights) return false;
  }
  return true;
}

/// One arm of the side-by-side training.
struct Runner {
  const Fault* fault = nullptr;  // null: the reference or a repeat of it
  std::unique_ptr<Arm> arm;
  Memory memory;
};

session::CaseOutputs outputs_of(model::Network& network, const precision::Policy& policy,
                                const Evaluation& evaluation) {
  if (!evaluation.in_training_mode) return session::evaluate(network, policy, evaluation.cases);
  const at::NoGradGuard no_grad;
  session::CaseOutputs outputs;
  network.set_training(true);
  const precision::ForwardScope scope(policy, c10::DeviceType::CPU);
  outputs.add(network.forward(evaluation.cases.inputs));
  return outputs;
}

void choose_boundary_cases(session::FrozenCases& cases, const Arm& reference, const session::Prepared& prepared) {
  const auto outputs = session::evaluate(*reference.network, reference.policy, session::whole_pool(prepared.dataset));
  std::vector<std::optional<double>> margins;
  for (std::int64_t row = 0; row < outputs.cases(); ++row) {
    margins.push_back(judge::margin(prepared.decision, outputs.of_case(row)));
  }
  session::add_boundary_cases(cases, prepared.experiment, prepared.dataset, margins);
}

std::vector<record::CaseRow> rows_of(const session::FrozenCases& cases, const session::CaseOutputs& reference,
                                     const session::CaseOutputs* trained, const session::CaseOutputs* same_weights,
                                     const judge::DecisionRule& decision) {
  std::vector<record::CaseRow> rows = cases.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    rows[i].output_reference = reference.of_case(index);
    if (trained != nullptr) rows[i].output = trained->of_case(index);
    if (same_weights != nullptr) rows[i].output_same_weights = same_weights->of_case(index);
  }
  judge::compare(rows, decision);
  return rows;
}

}  // namespace

const std::vector<std::string>& experiments() {
  static const std::vector<std::string> names{
      "digits",       "digits-steep",   "digits-calibrated", "digits-accumulated",
      "digits-skips", "digits-dropout", "digits-adam",       "concrete"};
  return names;
}

namespace {

/// What an experiment has of its own.
struct Settings {
  std::string source = "source = \"digits\"\n";
  std::string model = "hidden = [32]\n";
  std::string training = "steps = 150\nbatch = 32\n";
  std::string boundary = "[cases]\nboundary = 8\n";  // the nearest decisions may fall either way
  std::string kind = "sgd";
  std::string momentum = "momentum = 0.9\n";
  std::string rate = "0.05";
  std::string schedule = "kind = \"step\"\nevery = 40\ngamma = 0.5\n";
  std::string init_scale = "65536";
  /// Of the rule on the trained outputs: where a skipped first step costs much, more of the spread. Chosen with the
  /// seeds 1 to 20, whose worst sound trial is within it; so is the drop of quality below.
  std::string max_spread = "0.1";
};

Settings settings_of(const std::string& name) {
  Settings own;
  if (name == "digits-steep") {
    own.rate = "0.1";
  }
  if (name == "digits-calibrated") {
    own.training = "steps = 275\nbatch = 32\n";  // 3 to 5 steps find the scale: 98 % allows those once
    own.max_spread = "0.25";
    own.schedule = "kind = \"step\"\nevery = 40\ngamma = 0.4\n";
    own.init_scale = "1048576";
  }
  if (name == "digits-adam") {
    own.kind = "adamw";
    own.rate = "3e-3";
    own.momentum.clear();
  }
  if (name == "digits-accumulated") own.training += "accumulate = 2\n";
  if (name == "digits-dropout") {
    own.model += "dropout = 0.2\n";
    own.max_spread = "0.1";
  }
  if (name == "digits-skips") {
    own.training = "steps = 300\nbatch = 32\n";
    own.schedule = "kind = \"exponential\"\ngamma = 0.97\n";
    own.max_spread = "0.17";
    own.init_scale = "1048576";
  }
  if (name == "concrete") {
    own.source = "source = \"concrete\"\n";
    own.boundary.clear();
    own.rate = "1e-4";
    own.init_scale = "64";
  }
  return own;
}

}  // namespace

std::string experiment_text(const std::string& name, std::uint64_t seed) {
  const Settings own = settings_of(name);
  return "mantissa = 1\nname = \"" + name + "\"\n[data]\n" + own.source + "[model]\nkind = \"mlp\"\n" + own.model +
         "[training]\nthreads = 1\nseed = " + std::to_string(seed) + "\n" + own.training +
         "clip_norm = 1.0\n[[training.optimizer]]\nkind = \"" + own.kind + "\"\nlr = " + own.rate + "\n" +
         own.momentum + "[training.schedule]\n" + own.schedule + "[reference]\nrepeats = 2\n" + own.boundary +
         "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\nscaler = { init_scale = " + own.init_scale +
         ", growth_interval = 1000 }\n[rules]\npreset = \"default\"\noutput = [\n" +
         "  { name = \"same-weights\", max = { float16 = 2e-3, bfloat16 = 2e-2 } },\n" +
         "  { name = \"trained\", of = \"trained\", measure = \"rmse\", reduce = \"mean\", max_spread = " +
         own.max_spread + " } ]\nquality = { max_drop = 0.0125 }\n";
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = make_faults();
  return all;
}

std::vector<std::pair<const Fault*, Outcome>> judge_faults(const std::string& experiment, std::uint64_t seed,
                                                           const std::string& data_folder) {
  const spec::Experiment asked =
      spec::parse_experiment(experiment_text(experiment, seed), data_folder + "/" + experiment + ".toml");
  session::Prepared prepared = session::prepare(asked);
  const spec::Trial& trial = asked.trials.front();
  session::FrozenCases cases = session::freeze_cases(prepared.experiment, prepared.dataset);

  std::vector<Runner> runners;
  const auto add = [&](const Fault* fault, std::unique_ptr<model::Network> network, bool is_trial) {
    Runner& runner = runners.emplace_back();
    runner.fault = fault;
    runner.arm = std::make_unique<Arm>("arm", std::move(network), prepared.experiment, is_trial ? &trial : nullptr);
    if (fault != nullptr && fault->begin) fault->begin(*runner.arm);
    runner.memory.initial = weights_of(*runner.arm);
    return runners.size() - 1;
  };
  add(nullptr, prepared.network->clone(), false);
  constexpr std::uint64_t kRepeats = 2;
  std::vector<spec::Experiment> repeated(kRepeats, prepared.experiment);
  std::vector<std::unique_ptr<train::BatchPlan>> repeat_plans;
  for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
    const std::uint64_t other = seed + 1000 * (repeat + 1);
    repeated[repeat].training.seed = other;
    repeat_plans.push_back(std::make_unique<train::BatchPlan>(repeated[repeat], prepared.dataset.train));
    add(nullptr, session::network_of_seed(prepared, other), false);
  }
  for (const Fault& fault : faults()) {
    if (fault.experiment == experiment) add(&fault, prepared.network->clone(), true);
  }

  train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
  for (Runner& runner : runners) runner.memory.steps = plan.total_steps();
  while (const Window* window = plan.next()) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Runner& runner = runners[i];
      const bool is_repeat = i >= 1 && i <= kRepeats;
      const Window* own = is_repeat ? repeat_plans[i - 1]->next() : window;
      ++runner.memory.step;
      if (runner.arm->failure) continue;
      Attempt attempt;
      if (runner.fault != nullptr && runner.fault->step) {
        runner.fault->step(*runner.arm, *own, attempt, runner.memory);
      } else {
        sound_step(*runner.arm, *own, attempt);
      }
      Arm& arm = *runner.arm;
      arm.consecutive_skips = attempt.skipped() ? arm.consecutive_skips + 1 : 0;
      arm.max_consecutive_skips = std::max(arm.max_consecutive_skips, arm.consecutive_skips);
      if (attempt.skipped()) ++arm.tally.counts.skipped;
    }
  }

  Arm& reference = *runners.front().arm;
  if (!cases.is_complete()) choose_boundary_cases(cases, reference, prepared);
  const session::CaseOutputs expected = session::evaluate(*reference.network, reference.policy, cases);
  std::vector<std::vector<record::CaseRow>> spread;
  for (std::size_t i = 1; i <= kRepeats; ++i) {
    const auto outputs = session::evaluate(*runners[i].arm->network, reference.policy, cases);
    spread.push_back(rows_of(cases, expected, &outputs, nullptr, prepared.decision));
  }
  std::vector<std::pair<const Fault*, Outcome>> outcomes;
  std::vector<at::Tensor> sound_weights;
  std::vector<record::CaseRow> sound_rows;
  for (std::size_t i = 1 + kRepeats; i < runners.size(); ++i) {
    const Runner& runner = runners[i];
    Arm& arm = *runner.arm;
    Evaluation evaluation{reference.network.get(), arm.network.get(), cases, false};
    if (runner.fault->evaluate) runner.fault->evaluate(evaluation, prepared);
    judge::Evidence evidence;
    evidence.autocast = "float16";
    evidence.counts = arm.tally.counts;
    evidence.max_consecutive_skips = arm.max_consecutive_skips;
    evidence.first_non_finite_loss_step = arm.tally.first_non_finite_loss_step;
    for (const model::NamedTensor& parameter : arm.network->parameters()) {
      if (!at::isfinite(parameter.tensor.detach()).all().item<bool>()) {
        evidence.non_finite.push_back("parameter " + parameter.name);
      }
    }
    if (arm.failure) {
      evidence.status = record::Status::Failed;
      evidence.failure = arm.failure->reason;
      evidence.failure_text = arm.failure->text;
    }
    evidence.decision = prepared.decision;
    evidence.task = prepared.dataset.task;
    evidence.unit = {prepared.dataset.target_scale, prepared.dataset.target_offset, prepared.dataset.target_log10};
    evidence.spread = spread;
    const auto same_weights = outputs_of(*evaluation.same_weights, arm.policy, evaluation);
    const auto trained = outputs_of(*evaluation.trained, arm.policy, evaluation);
    evidence.cases = rows_of(cases, expected, &trained, &same_weights, prepared.decision);
    if (runner.fault->evidence) runner.fault->evidence(evidence);
    Outcome outcome;
    const std::vector<at::Tensor> weights = weights_of(arm);
    if (sound_weights.empty()) {
      sound_weights = weights;
      sound_rows = evidence.cases;
    }
    outcome.bits_differ = !same_bits(weights, sound_weights) || !same_outputs(evidence.cases, sound_rows);
    outcome.verdict = judge::judge(asked.rules, "", evidence);
    outcomes.emplace_back(runner.fault, std::move(outcome));
  }
  return outcomes;
}

}  // namespace mantissa::planted
