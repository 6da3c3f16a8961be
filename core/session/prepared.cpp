// SPDX-License-Identifier: Apache-2.0
#include "core/session/prepared.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/model/weights.h"
#include "core/observe/finite_scan.h"
#include "core/session/decision_check.h"
#include "core/session/doctor.h"
#include "core/session/other_outputs.h"
#include "core/session/plain_failures.h"
#include "core/session/try_model.h"
#include "core/spec/parse.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

int resolved_threads(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

spec::Loss default_loss(spec::Task task) {
  return task == spec::Task::Regression ? spec::Loss::Mse : spec::Loss::CrossEntropy;
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
    take_flips(decision, *experiment.rules);
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
        decision.threshold =
            threshold_in_model_units(experiment, {dataset.target_scale, dataset.target_offset, dataset.target_log10});
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

void refuse_boundary_without_decision(const spec::Experiment& experiment, const judge::DecisionRule& decision) {
  if (experiment.cases.boundary == 0 || decision.kind != judge::DecisionKind::None) return;
  throw Error(ErrorKind::InvalidSetting,
              {"the task makes no decision, so no case is near one", experiment.file,
               experiment.position("cases.boundary").line, 0, "cases.boundary",
               std::to_string(experiment.cases.boundary), "a task with a decision",
               "Leave the key out, or set rules.threshold to give the output of a regression a decision"});
}

/// A metric that the task does not have is refused now, not judged undecided after the training.
void check_metrics(const spec::Experiment& experiment, const data::Dataset& dataset,
                   const judge::DecisionRule& decision) {
  if (!experiment.rules) return;
  const bool decides = decision.kind != judge::DecisionKind::None;
  const std::vector<std::string> known = spec::metrics_of(dataset.task, decides);
  for (const spec::QualityRule& rule : experiment.rules->quality) {
    const std::string& metric = rule.metric;
    const bool of_task = metric.empty() || std::find(known.begin(), known.end(), metric) != known.end();
    const bool decided = decides || (metric != "accuracy" && metric != "f1");
    const bool two =
        decision.kind == judge::DecisionKind::ArgMax ? dataset.classes == 2 : dataset.target_names.size() == 1;
    if (of_task && decided && (metric != "auc" || two)) continue;
    std::string choices;
    for (const std::string& one : known) {
      if (one != metric) choices += (choices.empty() ? "" : ", ") + one;
    }
    const bool regression = dataset.task == spec::Task::Regression;
    throw Error(ErrorKind::InvalidSetting,
                {metric == "auc" && of_task ? "auc is of two classes" : "", experiment.file,
                 experiment.position("rules.quality").line, 0, "rules.quality.metric", metric,
                 choices + ", because the task is a " +
                     (regression ? std::string("regression without rules.threshold") : spec::to_text(dataset.task)),
                 ""});
  }
}

/// A slice that no row has would leave its rule undecided after the training.
void check_slices(const spec::Experiment& experiment, const data::Dataset& dataset) {
  if (!experiment.rules) return;
  std::set<std::string> known;
  const data::Part& pool = dataset.test.rows() == 0 ? dataset.train : dataset.test;
  known.insert(pool.slices.begin(), pool.slices.end());
  if (dataset.file_cases) known.insert(dataset.file_cases->part.slices.begin(), dataset.file_cases->part.slices.end());
  known.erase("");
  const auto check = [&](const std::string& slice, const char* key) {
    if (slice.empty() || known.count(slice) > 0) return;
    const std::vector<std::string> names(known.begin(), known.end());
    throw Error(ErrorKind::InvalidSetting,
                {"no frozen case can be of this slice", experiment.file, experiment.position(key).line, 0,
                 std::string(key) + ".slice", '\'' + slice + '\'',
                 names.empty() ? "a set with slices: data.columns.slice names their column"
                               : "a slice such as " + nearest_names(slice, names),
                 ""});
  };
  for (const spec::OutputRule& rule : experiment.rules->output) check(rule.slice, "rules.output");
  for (const spec::QualityRule& rule : experiment.rules->quality) check(rule.slice, "rules.quality");
  if (experiment.rules->utility) check(experiment.rules->utility->slice, "rules.utility");
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

/// What a schedule does that its settings do not say at a glance.
void note_schedule(Prepared& prepared, const spec::Schedule& schedule, const std::string& key, double learning_rate,
                   const train::BatchPlan& plan) {
  const bool cosine = schedule.kind == spec::ScheduleKind::Cosine;
  if (cosine && schedule.min_lr > learning_rate) {
    prepared.notes.push_back(key + ".min_lr = " + to_text(schedule.min_lr) + " is above the rate of " +
                             to_text(learning_rate) + " that it starts from: the schedule rises.");
  }
  const bool by_iteration = schedule.per == spec::SchedulePer::Iteration;
  const std::int64_t most = by_iteration ? plan.total_iterations() : plan.total_steps();
  const bool has_horizon = cosine || schedule.kind == spec::ScheduleKind::Linear;
  if (!has_horizon || schedule.total.value_or(most) >= most) return;
  prepared.notes.push_back("The schedule " + key + " ends after " + std::to_string(*schedule.total) + " of " +
                           std::to_string(most) + (by_iteration ? " iterations" : " steps") +
                           (cosine ? "; from there its rate rises again, as PyTorch's CosineAnnealingLR does."
                                   : "; from there its rate stays, as PyTorch's LinearLR does.") +
                           " " + key + ".total is the horizon.");
}

void note_schedules(Prepared& prepared, const train::BatchPlan& plan) {
  const spec::Training& training = prepared.experiment.training;
  for (std::size_t i = 0; i < training.optimizers.size(); ++i) {
    const spec::Optimizer& optimizer = training.optimizers[i];
    const std::string own = "training.optimizer[" + std::to_string(i) + "].schedule";
    if (optimizer.schedule) note_schedule(prepared, *optimizer.schedule, own, optimizer.lr, plan);
    if (!optimizer.schedule && i == 0) {
      note_schedule(prepared, training.schedule, "training.schedule", optimizer.lr, plan);
    }
  }
}

/// Losses that will not do what they are asked for.
void note_loss(Prepared& prepared) {
  const spec::Experiment& experiment = prepared.experiment;
  if (experiment.training.loss == spec::Loss::Nll && !prepared.network->traits().from_file) {
    prepared.notes.emplace_back(
        "training.loss = \"nll\" expects logarithms of probabilities, and a built-in model gives none: the loss has no "
        "bottom. Use \"cross_entropy\".");
  }
  if (experiment.training.loss != spec::Loss::Bce) return;
  for (const spec::Trial& trial : experiment.trials) {
    if (trial.cast_policy != "cuda" || trial.autocast == spec::Autocast::Off) continue;
    prepared.notes.push_back("Trial " + trial.name +
                             " will fail: CUDA's autocast refuses binary_cross_entropy. Use training.loss = "
                             "\"bce_with_logits\" and leave the sigmoid out of the model.");
  }
}

void note_non_finite_weights(Prepared& prepared) {
  for (const model::NamedTensor& parameter : prepared.network->parameters()) {
    if (observe::all_finite(parameter.tensor)) continue;
    prepared.notes.push_back("Parameter " + parameter.name +
                             " begins with values that are not finite: every loss will be NaN or infinite.");
  }
}

/// The data with the files that they come from named where memory does not hold them.
data::Dataset load_data(const spec::Experiment& experiment) {
  const spec::Data& data = experiment.data;
  std::string files = data.source;
  if (data.source.empty()) {
    const std::string test = data.test ? data.test->path : std::string();
    for (const std::string& path : {data.path, data.inputs, data.targets, test}) {
      if (!path.empty()) files += (files.empty() ? "" : ", ") + path;
    }
  }
  return with_plain_errors(files, "while the data were loaded",
                           "Take fewer rows, or a machine with more memory: the data are held in it as a whole",
                           [&experiment] { return data::load(experiment); });
}

/// An expectation that names an operator or a type that nobody tries would never apply, unsaid.
void refuse_idle_expectations(const spec::Experiment& experiment) {
  for (const auto& [trial, expectation] : experiment.expect) {
    if (expectation.needs.empty()) continue;
    const std::vector<std::string> known = names_of_tried_operators();
    if (std::find(known.begin(), known.end(), expectation.needs) != known.end()) continue;
    throw Error(ErrorKind::InvalidSetting,
                {"no operator and type that mantissa-cli doctor tries", experiment.file,
                 experiment.position("expect." + trial).line, 0, "expect." + trial, '"' + expectation.needs + '"',
                 "one such as " + nearest_names(expectation.needs, known), ""});
  }
}

std::int64_t output_width(const data::Dataset& dataset) {
  if (dataset.task != spec::Task::LanguageModel && dataset.train.targets.dim() == 2)
    return dataset.train.targets.size(1);
  return dataset.classes;
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
  } catch (const std::exception& error) {
    if (const auto words = train::out_of_memory(error, "when the model was built")) {
      throw Error(ErrorKind::OutOfMemory, {words->substr(0, words->size() - 1), experiment.file, model_line(experiment),
                                           0, "model", "", "", "Make it smaller"});
    }
    throw Error(ErrorKind::ModelProblem, {"the model cannot be built", experiment.file, model_line(experiment), 0,
                                          "model", train::condensed(error), "", "Make it smaller"});
  }
}

void refuse_untrainable(const Prepared& prepared) {
  for (const model::NamedTensor& parameter : prepared.network->parameters()) {
    if (parameter.tensor.requires_grad()) return;
  }
  const spec::Experiment& experiment = prepared.experiment;
  const bool frozen = prepared.network->traits().from_file && prepared.network->parameters().empty();
  throw Error(ErrorKind::ModelProblem,
              {frozen ? "the model has no parameters: a frozen model keeps its weights as constants of its graph"
                      : "the model has no trainable parameter",
               experiment.file, model_line(experiment), 0, "model", experiment.model.path_as_written,
               "at least one with requires_grad",
               "Export the model before freezing it, or evaluate it with training.steps = 0"});
}

/// Gives a model what the experiment says beyond its kind: initial weights from a file, and the columns that its inputs
/// are bound to. Returns notes worth showing.
std::vector<std::string> use_model(model::Network& network, const spec::Experiment& experiment,
                                   const data::Dataset& dataset) {
  try {
    std::vector<std::string> notes;
    if (!experiment.model.weights.empty()) {
      notes = with_plain_errors(experiment.model.weights, "while the initial weights were read",
                                "Take a machine with more memory",
                                [&] { return model::load_weights(network, experiment.model.weights); });
    }
    network.use(usage_of(experiment, dataset));
    return notes;
  } catch (const Error& error) {
    throw at_its_key(error, experiment);
  }
}

/// A model that returns its loss brings no decision along; what its prediction looks like tells.
void settle_own_loss(Prepared& prepared, const std::vector<std::int64_t>& prediction) {
  const spec::Experiment& experiment = prepared.experiment;
  prepared.prediction_is_loss = prediction.empty();
  const bool scores = prediction.size() == 2 && prediction[1] >= prepared.dataset.classes;
  if (prepared.dataset.task == spec::Task::Classification && scores) {
    prepared.decision.kind = judge::DecisionKind::ArgMax;
  }
  if (!prepared.prediction_is_loss) return;
  prepared.notes.emplace_back(
      "The model gives its loss and no prediction: the frozen cases are judged one by one by their own losses.");
  if (experiment.training.evaluate_every) {
    prepared.notes.emplace_back(
        "training.evaluate_every records the mean loss of the frozen cases, lower is better: there is no quality.");
  }
  const int line = experiment.position("rules.quality").line;
  if (line == 0) return;
  throw Error(ErrorKind::InvalidSetting,
              {"a model that gives only its loss has no quality", experiment.file, line, 0, "rules.quality", "",
               "rules.output, rules.progress and rules.non_finite",
               "Return the prediction beside the loss and name it: model.prediction = \"output[1]\""});
}

bool has_lstm(const Prepared& prepared) {
  return prepared.experiment.model.kind == spec::ModelKind::Lstm || prepared.network->traits().has_lstm;
}

/// An LSTM is one operator of oneDNN's, which lacks it in some types on some processors: a trial that will fail in its
/// first step is announced. It still runs and fails in its own words.
void note_missing_kernels(Prepared& prepared) {
  if (!has_lstm(prepared)) return;
  const std::string& device = prepared.experiment.training.device;
  for (const spec::Trial& trial : prepared.experiment.trials) {
    const bool may_be_in_float32 = !trial.float32_regions.empty();
    if (trial.autocast == spec::Autocast::Off || may_be_in_float32) continue;
    const std::string type = spec::to_text(trial.autocast);
    const OperatorSupport lstm = try_operator("lstm", device, type);
    if (lstm.forward && lstm.backward) continue;
    prepared.notes.push_back(
        "Trial " + trial.name + " will fail: this machine has no " + (lstm.forward ? "backward" : "forward") +
        " LSTM in " + type + " on " + device +
        " (tried; mantissa-cli doctor lists it). Set autocast to another type, or float32_regions = "
        "[\"operator:lstm\"].");
  }
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

model::Usage usage_of(const spec::Experiment& experiment, const data::Dataset& dataset) {
  model::Usage usage;
  usage.input_names = dataset.input_names;
  usage.target_names = dataset.target_names;
  usage.integer_names = experiment.data.columns.integers;
  usage.returns_loss = experiment.training.loss == spec::Loss::Output;
  usage.other_outputs = other_outputs(experiment);
  return usage;
}

double threshold_in_model_units(const spec::Experiment& experiment, const judge::TargetUnit& unit) {
  const double threshold = experiment.rules->threshold;
  const int line = experiment.position("rules.threshold").line;
  if (unit.scale.size() > 1) {
    throw Error(ErrorKind::InvalidSetting,
                {"one threshold for several targets", experiment.file, line, 0, "rules.threshold",
                 std::to_string(unit.scale.size()) + " target columns", "one target column", ""});
  }
  if (unit.log10) {
    if (threshold > 0.0) return std::log10(threshold);
    throw Error(ErrorKind::InvalidSetting, {"", experiment.file, line, 0, "rules.threshold", to_text(threshold),
                                            "a number above 0, because target_transform is log10", ""});
  }
  return (threshold - unit.offset.front()) / unit.scale.front();
}

std::unique_ptr<model::Network> network_of_seed(const Prepared& prepared, std::uint64_t seed) {
  spec::Experiment experiment = prepared.experiment;
  experiment.training.seed = seed;
  std::unique_ptr<model::Network> network = build_network(experiment, prepared.dataset);
  network->move_to(prepared.network->device());
  use_model(*network, experiment, prepared.dataset);
  return network;
}

Prepared prepare(const spec::Experiment& asked) {
  Prepared prepared;
  prepared.experiment = asked;
  spec::Experiment& experiment = prepared.experiment;
  require_device(experiment.training.device);
  refuse_idle_expectations(experiment);
  experiment.training.threads = resolved_threads(experiment.training.threads);
  at::set_num_threads(experiment.training.threads);
  set_float32_precision(experiment.training);

  prepared.dataset = load_data(experiment);
  prepared.notes = prepared.dataset.notes;
  if (experiment.data.pin_memory == spec::PinMemory::Always && experiment.training.device == "cpu") {
    prepared.notes.emplace_back("data.pin_memory changes nothing on a CPU: page-locked memory serves copies to a GPU");
  }
  if (experiment.training.tf32 && experiment.training.device == "cpu") {
    prepared.notes.emplace_back(
        "training.tf32 changes nothing on a CPU: TF32 is how GPUs may round the factors of FP32 products");
  }
  experiment.data.task = prepared.dataset.task;
  if (prepared.dataset.classes > 0) experiment.data.classes = prepared.dataset.classes;
  if (!experiment.training.loss) experiment.training.loss = default_loss(prepared.dataset.task);
  prepared.decision = decision_of(experiment, prepared.dataset);
  const bool own_loss = experiment.training.loss == spec::Loss::Output;
  if (!own_loss) check_metrics(experiment, prepared.dataset, prepared.decision);
  if (!own_loss) refuse_boundary_without_decision(experiment, prepared.decision);
  if (!own_loss) check_decision(experiment, prepared.decision, prepared.dataset.classes);
  check_slices(experiment, prepared.dataset);
  const train::BatchPlan plan(experiment, prepared.dataset.train);
  experiment.training.batch = plan.batch();
  fill_in_horizons(experiment, plan);
  const bool training = plan.total_steps() > 0;

  prepared.network = build_network(experiment, prepared.dataset);
  prepared.network->move_to(c10::Device(experiment.training.device));
  prepared.network->recompute_blocks(experiment.training.activation_checkpointing ==
                                     spec::ActivationCheckpointing::Blocks);
  prepared.notes.insert(prepared.notes.end(), prepared.network->notes().begin(), prepared.network->notes().end());
  if (training) refuse_untrainable(prepared);
  const std::vector<std::string> weights_notes = use_model(*prepared.network, experiment, prepared.dataset);
  prepared.notes.insert(prepared.notes.end(), weights_notes.begin(), weights_notes.end());
  const Tried tried = try_model(prepared, training);
  prepared.notes.insert(prepared.notes.end(), tried.notes.begin(), tried.notes.end());
  if (own_loss) {
    settle_own_loss(prepared, tried.prediction_shape);
    check_metrics(experiment, prepared.dataset, prepared.decision);
    refuse_boundary_without_decision(experiment, prepared.decision);
    check_decision(experiment, prepared.decision, prepared.dataset.classes);
  }
  check_other_outputs(prepared);
  note_missing_kernels(prepared);
  note_schedules(prepared, plan);
  note_loss(prepared);
  note_non_finite_weights(prepared);
  return prepared;
}

}  // namespace mantissa::session
