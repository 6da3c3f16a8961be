// SPDX-License-Identifier: Apache-2.0
#include "core/session/try_model.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/precision/cast_map.h"
#include "core/precision/operator_interceptor.h"
#include "core/session/region_check.h"
#include "core/spec/parse.h"
#include "core/train/arm.h"
#include "core/train/failure_text.h"
#include "core/train/loss.h"

namespace mantissa::session {
namespace {

struct Batch {
  at::Tensor inputs, targets;
};

Batch first_batch(const Prepared& prepared) {
  const data::Part& train = prepared.dataset.train;
  const std::int64_t rows = std::min<std::int64_t>(prepared.experiment.training.batch.value(), train.rows());
  const c10::Device device = prepared.network->device();
  return {train.inputs.narrow(0, 0, rows).to(device), train.targets.narrow(0, 0, rows).to(device)};
}

/// Memory that ran out is the machine's, whatever the model and the data are like.
void refuse_memory(const spec::Experiment& experiment, const std::exception& error) {
  const std::optional<std::string> words = train::out_of_memory(error, "when the model was tried on the first batch");
  if (!words) return;
  throw Error(ErrorKind::OutOfMemory, {words->substr(0, words->size() - 1), experiment.file, model_line(experiment), 0,
                                       "model", "", "", "Take a smaller training.batch, or a smaller model"});
}

/// Losses of PyTorch are taken in FP32, of targets in FP32 or of class indices.
bool is_usual_type(const at::Tensor& prediction) {
  const at::ScalarType type = prediction.scalar_type();
  return type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

/// What failed because the model answers in a type that neither a loss nor its targets have: said as such.
void refuse_output_type(const spec::Experiment& experiment, const at::Tensor& prediction) {
  if (is_usual_type(prediction)) return;
  const bool is_number = prediction.is_floating_point();
  throw Error(ErrorKind::ModelProblem,
              {"the model's output is of a type that this loss does not take", experiment.file, model_line(experiment),
               0, "model.prediction", c10::toString(prediction.scalar_type()), "Float (FP32), Half or BFloat16",
               is_number ? "Let forward return its output as .float()"
                         : "Name the output that holds the scores, or let forward return them"});
}

[[noreturn]] void refuse_loss(const spec::Experiment& experiment, const std::exception& error) {
  refuse_memory(experiment, error);
  std::string expected;
  std::string remedy;
  if (experiment.training.loss == spec::Loss::Bce) {
    expected = "outputs between 0 and 1";
    remedy = "End the model in a sigmoid, or take loss = \"bce_with_logits\"";
  }
  throw Error(ErrorKind::DataProblem, {"the loss does not fit the model's output and the targets", experiment.file,
                                       experiment.position("training.loss").line, 0, "training.loss",
                                       train::condensed(error), expected, remedy});
}

std::string what_to_check(const spec::Experiment& experiment) {
  return spec::is_language_model(experiment.data)
             ? "Check that data.context is no longer than the model allows and that it knows as many characters as the "
               "text has"
             : "Check that data.shape and data.columns give what the model wants";
}

model::Outputs try_forward(const spec::Experiment& experiment, model::Network& network, const Batch& batch) {
  try {
    return network.compute(batch.inputs, batch.targets);
  } catch (const Error& error) {
    throw at_its_key(error, experiment);
  } catch (const std::exception& error) {
    refuse_memory(experiment, error);
    throw Error(ErrorKind::ModelProblem,
                {"the model fails on the first batch of the data", experiment.file, model_line(experiment), 0, "model",
                 train::condensed(error), "", what_to_check(experiment)});
  }
}

/// The optimizer block that owns a parameter; nothing where none does.
const spec::Optimizer* owner_of(const spec::Experiment& experiment, const std::string& parameter) {
  for (const spec::Optimizer& optimizer : experiment.training.optimizers) {
    for (const std::string& pattern : optimizer.parameters) {
      if (train::matches(pattern, parameter)) return &optimizer;
    }
  }
  return nullptr;
}

/// Sparse gradients are for plain SGD, as in PyTorch.
void check_sparse_gradients(const spec::Experiment& experiment, const model::Network& network) {
  for (const model::NamedTensor& parameter : network.parameters()) {
    if (!parameter.tensor.grad().defined() || !parameter.tensor.grad().is_sparse()) continue;
    const spec::Optimizer* const optimizer = owner_of(experiment, parameter.name);
    if (optimizer == nullptr) continue;
    const bool sgd = optimizer->kind == spec::OptimizerKind::Sgd;
    if (sgd && optimizer->weight_decay == 0.0 && optimizer->momentum == 0.0) continue;
    throw Error(ErrorKind::ModelProblem,
                {sgd ? "momentum and weight decay do not work with sparse gradients"
                     : spec::to_text(optimizer->kind) + " does not support sparse gradients",
                 experiment.file, experiment.position("training.optimizer").line, 0, parameter.name,
                 "an embedding made with sparse=True", sgd ? "momentum = 0 and weight_decay = 0" : "the optimizer sgd",
                 "Give this parameter to an sgd block, or make the embedding with sparse=False"});
  }
}

/// Backward from the trial batch's loss: what cannot be trained is said here, not by the first step.
void try_backward(const spec::Experiment& experiment, const model::Network& network, const at::Tensor& loss,
                  const at::Tensor& prediction) {
  if (!loss.requires_grad()) {
    throw Error(ErrorKind::ModelProblem,
                {"the output depends on no trainable parameter", experiment.file, model_line(experiment), 0, "model",
                 "", "a path from a parameter to the output", "Evaluate it with training.steps = 0"});
  }
  try {
    loss.backward();
  } catch (const std::exception& error) {
    refuse_memory(experiment, error);
    refuse_output_type(experiment, prediction);
    throw Error(ErrorKind::ModelProblem, {"the backward pass fails on the first batch of the data", experiment.file,
                                          model_line(experiment), 0, "model", train::condensed(error),
                                          "a model that can be differentiated", "Evaluate it with training.steps = 0"});
  }
  check_sparse_gradients(experiment, network);
}

/// A language model answers with an output a position and character of the vocabulary.
void check_positions(const Prepared& prepared, const at::Tensor& output, std::int64_t rows) {
  const std::int64_t positions = prepared.decision.positions;
  const bool fits = output.dim() == 3 && output.size(0) == rows && output.size(1) == positions &&
                    output.size(2) >= prepared.dataset.classes;
  if (fits) return;
  const spec::Experiment& experiment = prepared.experiment;
  throw Error(
      ErrorKind::DataProblem,
      {"the model's output does not fit a language model", experiment.file, model_line(experiment), 0, "model",
       "the shape " + shape_text(output.sizes().vec()),
       '[' + std::to_string(rows) + ", " + std::to_string(positions) + ", " + std::to_string(prepared.dataset.classes) +
           "]: windows, characters a window, characters of the vocabulary or more",
       "Give a model with an output for every position, or another data.context"});
}

void check_classes(const Prepared& prepared, const at::Tensor& output, std::int64_t rows) {
  if (prepared.decision.positions > 0) return check_positions(prepared, output, rows);
  if (prepared.decision.kind != judge::DecisionKind::ArgMax) return;
  if (output.dim() == 2 && output.size(1) >= prepared.dataset.classes) return;
  const spec::Experiment& experiment = prepared.experiment;
  const std::int64_t width = output.dim() == 2 ? output.size(1) : output.dim();
  throw Error(ErrorKind::DataProblem,
              {"a class that the model cannot output", experiment.file, model_line(experiment), 0, "data.classes",
               std::to_string(prepared.dataset.classes) + " classes in the data and " + std::to_string(width) +
                   (output.dim() == 2 ? " outputs of the model" : " dimensions of the model's output"),
               "one output a class", ""});
}

at::Tensor loss_of(const spec::Experiment& experiment, const model::Outputs& outputs, const at::Tensor& targets) {
  if (outputs.loss.defined()) return outputs.loss;
  try {
    const bool narrow = outputs.prediction.is_floating_point() && outputs.prediction.element_size() < 4;
    return train::LossFunction(experiment.training)(narrow ? outputs.prediction.to(at::kFloat) : outputs.prediction,
                                                    targets);
  } catch (const Error& error) {
    throw error.in_file(experiment.file);
  } catch (const std::exception& error) {
    refuse_output_type(experiment, outputs.prediction);
    refuse_loss(experiment, error);
  }
}

/// What the second step would do: state that hangs on to the graph of the first one fails only now.
void try_second_step(const spec::Experiment& experiment, model::Network& network, const Batch& batch) {
  for (const model::NamedTensor& parameter : network.parameters()) parameter.tensor.mutable_grad().reset();
  try {
    loss_of(experiment, network.compute(batch.inputs, batch.targets), batch.targets).backward();
  } catch (const std::exception& error) {
    refuse_memory(experiment, error);
    const std::string text = train::condensed(error);
    const bool second_time = text.find("backward through the graph a second time") != std::string::npos;
    throw Error(ErrorKind::ModelProblem,
                {second_time ? "the model keeps state between batches, and its second step reaches back into the first"
                             : "the model's second step fails although the first one works: it keeps state",
                 experiment.file, model_line(experiment), 0, "model", text.substr(0, text.find(". ")),
                 "a model whose batches do not depend on one another",
                 "Detach the state in forward, or give the model a method reset_states(): it is called before every "
                 "batch"});
  }
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && at::allclose(a, b, /*rtol=*/0.0, /*atol=*/0.0, /*equal_nan=*/true);
}

/// Watches a model from a file under eval() and train(). Outputs that differ from call to call with one seed come from
/// state, with another seed from randomness; outputs that do not differ between the modes come from a trace.
std::vector<std::string> watch_modes(model::Network& network, const Batch& batch) {
  const at::NoGradGuard no_grad;
  const auto outputs = [&](bool training, std::uint64_t seed) {
    network.set_training(training);
    at::manual_seed(seed);
    return network.compute(batch.inputs, batch.targets).prediction;
  };
  std::vector<std::string> notes;
  const at::Tensor evaluated = outputs(false, 1);
  if (!same(evaluated, outputs(false, 1))) {
    notes.emplace_back(
        "The model keeps state between batches: the same batch gives other outputs the second time, also in "
        "evaluation.");
    return notes;
  }
  if (!same(evaluated, outputs(false, 2))) {
    notes.emplace_back(
        "The model draws random numbers in evaluation mode, too: dropout stays as it was traced, and the outputs of "
        "the "
        "frozen cases are partly chance.");
  }
  const std::vector<std::string> operators = network.traits().mode_operators;
  if (!operators.empty() && same(evaluated, outputs(true, 1))) {
    notes.push_back("train() and eval() make no difference to this model although it has " + joined(operators) +
                    ": a traced model keeps the mode in which it was traced.");
  }
  return notes;
}

}  // namespace

int model_line(const spec::Experiment& experiment) {
  const int line = experiment.position("model.path").line;
  return line > 0 ? line : experiment.position("model.kind").line;
}

Error at_its_key(const Error& error, const spec::Experiment& experiment) {
  ErrorFacts facts = error.facts();
  if (facts.file.empty()) facts.file = experiment.file;
  if (facts.line == 0 && facts.file == experiment.file) {
    const std::string key = facts.subject.substr(0, facts.subject.find('['));
    facts.line = experiment.position(key).line;
  }
  return Error(error.kind(), std::move(facts));
}

Tried try_model(const Prepared& prepared, bool training) {
  const spec::Experiment& experiment = prepared.experiment;
  const Batch batch = first_batch(prepared);
  Tried tried;
  const model::Traits traits = prepared.network->traits();
  {
    const at::AutoGradMode with_gradients(training);
    const std::unique_ptr<model::Network> network = prepared.network->clone();
    network->set_training(training);
    precision::CastMap seen;
    std::optional<precision::OperatorInterceptor> watched;
    if (has_regions(experiment)) watched.emplace(seen);
    const model::Outputs outputs = try_forward(experiment, *network, batch);
    tried.prediction_shape = outputs.prediction.sizes().vec();
    check_classes(prepared, outputs.prediction, batch.inputs.size(0));
    const at::Tensor loss = loss_of(experiment, outputs, batch.targets);
    watched.reset();
    if (has_regions(experiment)) refuse_idle_regions(experiment, seen.records());
    if (training) {
      try_backward(experiment, *network, loss, outputs.prediction);
      if (traits.from_file) try_second_step(experiment, *network, batch);
    }
  }
  if (!traits.from_file) return tried;
  if (traits.resets_state) {
    tried.notes.emplace_back("The model has a method reset_states(): it is called before every batch.");
  }
  const std::unique_ptr<model::Network> network = prepared.network->clone();
  try {
    const std::vector<std::string> seen = watch_modes(*network, batch);
    tried.notes.insert(tried.notes.end(), seen.begin(), seen.end());
  } catch (const std::exception& error) {
    refuse_memory(experiment, error);
    tried.notes.push_back("The model failed in one of train() and eval(): " + train::condensed(error));
  }
  return tried;
}

}  // namespace mantissa::session
