// SPDX-License-Identifier: Apache-2.0
#include "core/session/prepared.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/precision/cast_map.h"
#include "core/precision/operator_interceptor.h"
#include "core/session/doctor.h"
#include "core/session/region_check.h"
#include "core/train/failure_text.h"
#include "core/train/loss.h"

namespace mantissa::session {
namespace {

int resolved_threads(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

spec::Loss default_loss(spec::Task task) {
  return task == spec::Task::Regression ? spec::Loss::Mse : spec::Loss::CrossEntropy;
}

/// A regression's threshold is written in the target's own unit; decisions are taken in the model's. Both transforms
/// keep the order, so the decision is the same.
double threshold_in_model_units(const spec::Experiment& experiment, const data::Dataset& dataset) {
  const double threshold = experiment.rules->threshold;
  const int line = experiment.position("rules.threshold").line;
  if (dataset.target_names.size() > 1) {
    throw Error(ErrorKind::InvalidSetting,
                {"one threshold for several targets", experiment.file, line, 0, "rules.threshold",
                 std::to_string(dataset.target_names.size()) + " target columns", "one target column", ""});
  }
  if (dataset.target_log10) {
    if (threshold > 0.0) return std::log10(threshold);
    throw Error(ErrorKind::InvalidSetting, {"", experiment.file, line, 0, "rules.threshold", to_text(threshold),
                                            "a number above 0, because target_transform is log10", ""});
  }
  return (threshold - dataset.target_offset.front()) / dataset.target_scale.front();
}

/// Every character of a text counts: one of them cannot be the label that is left out.
void refuse_ignored_character(const spec::Experiment& experiment, const data::Dataset& dataset) {
  const std::int64_t ignored = experiment.training.ignore_index;
  if (ignored < 0 || ignored >= dataset.classes) return;
  throw Error(ErrorKind::InvalidSetting,
              {"a character of the vocabulary as the ignored label", experiment.file,
               experiment.position("training.ignore_index").line, 0, "training.ignore_index", std::to_string(ignored),
               "a number outside 0 to " + std::to_string(dataset.classes - 1), "Leave the key out"});
}

judge::DecisionRule decision_of(const spec::Experiment& experiment, const data::Dataset& dataset) {
  judge::DecisionRule decision;
  decision.ignore_index = experiment.training.ignore_index;
  if (experiment.rules) {
    decision.threshold = experiment.rules->threshold;
    if (experiment.rules->flips) decision.ties = experiment.rules->flips->ties;
  }
  switch (experiment.training.loss.value()) {
    case spec::Loss::CrossEntropy:
    case spec::Loss::Nll:
      decision.kind = judge::DecisionKind::ArgMax;
      if (dataset.task == spec::Task::LanguageModel) {
        decision.positions = dataset.train.targets.size(1);
        decision.log_probabilities = experiment.training.loss == spec::Loss::Nll;
        refuse_ignored_character(experiment, dataset);
      }
      break;
    case spec::Loss::Bce:
      decision.kind = judge::DecisionKind::Probability;
      break;
    case spec::Loss::BceWithLogits:
      decision.kind = judge::DecisionKind::Logit;
      break;
    default:
      if (experiment.rules && experiment.rules->threshold_given) {
        decision.kind = judge::DecisionKind::Threshold;
        decision.threshold = threshold_in_model_units(experiment, dataset);
      }
  }
  if (dataset.task == spec::Task::Regression && decision.kind == judge::DecisionKind::None && experiment.rules &&
      experiment.rules->flips && !experiment.rules->flips_from_preset) {
    throw Error(ErrorKind::InvalidSetting, {"a regression makes no decision that could flip", experiment.file,
                                            experiment.position("rules.flips").line, 0, "rules.flips", "",
                                            "a task with a decision", "Leave rules.flips out, or set rules.threshold"});
  }
  return decision;
}

/// A metric that the task does not have is refused now, not judged undecided after the training.
void check_metrics(const spec::Experiment& experiment, const data::Dataset& dataset,
                   const judge::DecisionRule& decision) {
  if (!experiment.rules) return;
  const bool classification = dataset.task == spec::Task::Classification;
  const bool text = dataset.task == spec::Task::LanguageModel;
  for (const spec::QualityRule& rule : experiment.rules->quality) {
    const std::string& metric = rule.metric;
    const bool fits = metric.empty() || (metric == "accuracy"     ? decision.kind != judge::DecisionKind::None
                                         : metric == "perplexity" ? text
                                                                  : !classification && !text);
    if (fits) continue;
    throw Error(ErrorKind::InvalidSetting,
                {"", experiment.file, experiment.position("rules.quality").line, 0, "rules.quality.metric", metric,
                 text             ? "perplexity or accuracy, because the task is a language model"
                 : classification ? "accuracy, because the task is a classification"
                                  : "rmse or mae, because the task is a regression without rules.threshold",
                 ""});
  }
}

/// The horizon of a schedule that has none of its own: the length of the run, in what the schedule counts.
void fill_in_horizon(spec::Schedule& schedule, const std::string& key, const spec::Experiment& experiment,
                     const train::BatchPlan& plan) {
  if (schedule.kind != spec::ScheduleKind::Cosine && schedule.kind != spec::ScheduleKind::Linear) return;
  if (schedule.total) return;
  const bool by_iteration = schedule.per == spec::SchedulePer::Iteration;
  schedule.total = by_iteration ? plan.total_iterations() : plan.total_steps();
  if (*schedule.total > schedule.warmup) return;
  if (plan.total_steps() == 0) {  // evaluated only: the rate is never asked for
    schedule.total = schedule.warmup + 1;
    return;
  }
  throw Error(ErrorKind::InvalidSetting,
              {"nothing of the horizon is left after the warm-up", experiment.file,
               experiment.position(key + ".warmup").line, 0, key + ".warmup", std::to_string(schedule.warmup),
               "less than the run's " + std::to_string(*schedule.total) + (by_iteration ? " iterations" : " steps"),
               "Set total, or a shorter warmup"});
}

void fill_in_horizons(spec::Experiment& experiment, const train::BatchPlan& plan) {
  fill_in_horizon(experiment.training.schedule, "training.schedule", experiment, plan);
  for (std::size_t i = 0; i < experiment.training.optimizers.size(); ++i) {
    spec::Optimizer& optimizer = experiment.training.optimizers[i];
    if (!optimizer.schedule) continue;
    fill_in_horizon(*optimizer.schedule, "training.optimizer[" + std::to_string(i) + "].schedule", experiment, plan);
  }
}

std::int64_t output_width(const data::Dataset& dataset) {
  if (dataset.task != spec::Task::LanguageModel && dataset.train.targets.dim() == 2)
    return dataset.train.targets.size(1);
  return dataset.classes;
}

int model_line(const spec::Experiment& experiment) {
  const int line = experiment.position("model.path").line;
  return line > 0 ? line : experiment.position("model.kind").line;
}

std::unique_ptr<model::Network> build_network(const spec::Experiment& experiment, const data::Dataset& dataset) {
  const at::Tensor& inputs = dataset.train.inputs;
  try {
    return model::build(experiment.model, inputs.sizes().slice(1), output_width(dataset), experiment.training.seed,
                        inputs.scalar_type());
  } catch (const Error& error) {
    ErrorFacts facts = error.facts();
    if (!facts.file.empty()) throw;
    facts.file = experiment.file;
    facts.line = experiment.position(facts.subject).line;
    if (facts.line == 0) facts.line = model_line(experiment);
    throw Error(error.kind(), facts);
  } catch (const std::exception& error) {  // sizes beyond what memory holds
    throw Error(ErrorKind::ModelProblem, {"the model cannot be built", experiment.file, model_line(experiment), 0,
                                          "model", train::condensed(error), "", "Make it smaller"});
  }
}

[[noreturn]] void refuse_loss(const spec::Experiment& experiment, const std::exception& error) {
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

/// Backward from the trial batch's loss: what cannot be trained is said here, not by the first step.
void try_backward(const spec::Experiment& experiment, const model::Network& network, const at::Tensor& loss) {
  if (!loss.requires_grad()) {
    throw Error(ErrorKind::ModelProblem,
                {"the output depends on no trainable parameter", experiment.file, model_line(experiment), 0, "model",
                 "", "a path from a parameter to the output", "Evaluate it with training.steps = 0"});
  }
  loss.backward();
  for (const model::NamedTensor& parameter : network.parameters()) {
    if (!parameter.tensor.grad().defined() || !parameter.tensor.grad().is_sparse()) continue;
    throw Error(ErrorKind::NotYetAvailable,
                {"sparse gradients are not yet available", experiment.file, model_line(experiment), 0, parameter.name,
                 "", "", "Make the embedding with sparse=False"});
  }
}

/// A language model answers with an output a position and character of the vocabulary.
void check_positions(const Prepared& prepared, const at::Tensor& output, std::int64_t rows) {
  const std::int64_t positions = prepared.decision.positions;
  const bool fits = output.dim() == 3 && output.size(0) == rows && output.size(1) == positions &&
                    output.size(2) >= prepared.dataset.classes;
  if (fits) return;
  const spec::Experiment& experiment = prepared.experiment;
  std::string found;
  for (const std::int64_t size : output.sizes()) found += (found.empty() ? "" : ", ") + std::to_string(size);
  throw Error(ErrorKind::DataProblem, {"the model's output does not fit a language model", experiment.file,
                                       model_line(experiment), 0, "model", "the shape [" + found + ']',
                                       '[' + std::to_string(rows) + ", " + std::to_string(positions) + ", " +
                                           std::to_string(prepared.dataset.classes) +
                                           "]: windows, characters a window, characters of the vocabulary or more",
                                       "Give a model with an output for every position, or another data.context"});
}

/// One batch through a clone: what does not fit shows before anything is stored. Forward and backward in training mode
/// where there are steps to train, forward in evaluation mode otherwise.
void try_one_batch(const Prepared& prepared, bool training) {
  const spec::Experiment& experiment = prepared.experiment;
  const data::Part& train = prepared.dataset.train;
  const std::int64_t rows = std::min<std::int64_t>(experiment.training.batch.value(), train.rows());
  const at::AutoGradMode with_gradients(training);
  const at::Tensor inputs = train.inputs.narrow(0, 0, rows).to(prepared.network->device());
  const at::Tensor targets = train.targets.narrow(0, 0, rows).to(prepared.network->device());
  const std::unique_ptr<model::Network> network = prepared.network->clone();
  network->set_training(training);
  precision::CastMap seen;
  std::optional<precision::OperatorInterceptor> watched;
  if (has_regions(experiment)) watched.emplace(seen);
  at::Tensor output;
  try {
    output = network->forward(inputs);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::ModelProblem,
                {"the model fails on the first batch of the data", experiment.file, model_line(experiment), 0, "model",
                 train::condensed(error), "", "Check that data.shape and data.columns give what the model wants"});
  }
  if (prepared.decision.positions > 0) check_positions(prepared, output, rows);
  const bool counts_classes = prepared.decision.kind == judge::DecisionKind::ArgMax && prepared.decision.positions == 0;
  if (counts_classes && (output.dim() != 2 || output.size(1) < prepared.dataset.classes)) {
    const std::int64_t width = output.dim() == 2 ? output.size(1) : output.dim();
    throw Error(ErrorKind::DataProblem,
                {"a class that the model cannot output", experiment.file, model_line(experiment), 0, "data.classes",
                 std::to_string(prepared.dataset.classes) + " classes in the data and " + std::to_string(width) +
                     (output.dim() == 2 ? " outputs of the model" : " dimensions of the model's output"),
                 "one output a class", ""});
  }
  at::Tensor loss;
  try {
    loss = train::LossFunction(experiment.training)(output, targets);
  } catch (const Error& error) {
    throw error.in_file(experiment.file);
  } catch (const std::exception& error) {
    refuse_loss(experiment, error);
  }
  watched.reset();
  if (has_regions(experiment)) refuse_idle_regions(experiment, seen.records());
  if (training) try_backward(experiment, *network, loss);
}

void refuse_untrainable(const Prepared& prepared) {
  for (const model::NamedTensor& parameter : prepared.network->parameters()) {
    if (parameter.tensor.requires_grad()) return;
  }
  const spec::Experiment& experiment = prepared.experiment;
  throw Error(ErrorKind::ModelProblem, {"the model has no trainable parameter", experiment.file, model_line(experiment),
                                        0, "model", experiment.model.path_as_written, "at least one with requires_grad",
                                        "Export the model before freezing it, or evaluate it with training.steps = 0"});
}

/// Process-wide. LibTorch's own default lets cuDNN round the factors of FP32 convolutions to TF32; an FP32 reference is
/// FP32 unless the experiment asks for less.
void set_float32_precision(const spec::Training& training) {
  at::Context& context = at::globalContext();
  context.setFloat32MatmulPrecision(training.float32_matmul);
  context.setAllowTF32CuDNN(training.tf32);
  if (training.tf32) context.setAllowTF32CuBLAS(true);
}

}  // namespace

std::unique_ptr<model::Network> network_of_seed(const Prepared& prepared, std::uint64_t seed) {
  spec::Experiment experiment = prepared.experiment;
  experiment.training.seed = seed;
  return build_network(experiment, prepared.dataset);
}

Prepared prepare(const spec::Experiment& asked) {
  Prepared prepared;
  prepared.experiment = asked;
  spec::Experiment& experiment = prepared.experiment;
  require_device(experiment.training.device);
  experiment.training.threads = resolved_threads(experiment.training.threads);
  at::set_num_threads(experiment.training.threads);
  set_float32_precision(experiment.training);

  prepared.dataset = data::load(experiment);
  prepared.notes = prepared.dataset.notes;
  if (experiment.data.pin_memory == spec::PinMemory::Always && experiment.training.device == "cpu") {
    prepared.notes.emplace_back("data.pin_memory changes nothing on a CPU: page-locked memory serves copies to a GPU");
  }
  experiment.data.task = prepared.dataset.task;
  if (prepared.dataset.classes > 0) experiment.data.classes = prepared.dataset.classes;
  if (!experiment.training.loss) experiment.training.loss = default_loss(prepared.dataset.task);
  prepared.decision = decision_of(experiment, prepared.dataset);
  check_metrics(experiment, prepared.dataset, prepared.decision);
  const train::BatchPlan plan(experiment, prepared.dataset.train);
  experiment.training.batch = plan.batch();
  fill_in_horizons(experiment, plan);
  const bool training = plan.total_steps() > 0;

  prepared.network = build_network(experiment, prepared.dataset);
  prepared.network->move_to(c10::Device(experiment.training.device));
  prepared.notes.insert(prepared.notes.end(), prepared.network->notes().begin(), prepared.network->notes().end());
  if (training) refuse_untrainable(prepared);
  try_one_batch(prepared, training);
  return prepared;
}

}  // namespace mantissa::session
