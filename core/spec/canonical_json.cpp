// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/spec/parse.h"
#include "core/spec/scaler_settings.h"

namespace mantissa::spec {
namespace {

using nlohmann::json;

/// nlohmann::json keeps its keys sorted; only its numbers are not always the shortest, so they are written here.
std::string text_of(const json& value) {
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      text += (text.empty() ? "" : ",") + json(key).dump() + ':' + text_of(member);
    }
    return '{' + text + '}';
  }
  if (value.is_array()) {
    for (const json& item : value) text += (text.empty() ? "" : ",") + text_of(item);
    return '[' + text + ']';
  }
  if (value.is_number_float()) return mantissa::to_text(value.get<double>());
  return value.dump();
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

template <class Enum>
json word_or_null(const std::optional<Enum>& value) {
  return value ? json(to_text(*value)) : json();
}

json to_json(const std::optional<TestPart>& test) {
  if (!test) return {};
  if (!test->path.empty()) return {{"path", test->path_as_written}};
  if (!test->inputs.empty()) return {{"inputs", test->inputs_as_written}, {"targets", test->targets_as_written}};
  return {{"fraction", test->fraction}, {"seed", test->seed}};
}

json to_json(const Data& data) {
  json object = {
      {"source", data.source},
      {"path", data.path_as_written},
      {"columns",
       {{"inputs", data.columns.inputs},
        {"target", data.columns.target},
        {"id", data.columns.id},
        {"slice", data.columns.slice},
        {"integers", data.columns.integers}}},
      {"task", word_or_null(data.task)},
      {"labels", word_or_null(data.labels)},
      {"classes", or_null(data.classes)},
      {"target_transform", word_or_null(data.target_transform)},
      {"shape", data.shape},
      {"order", to_text(data.order)},
      {"test", to_json(data.test)},
      {"standardize", or_null(data.standardize)},
      {"missing", to_text(data.missing)},
      {"pin_memory", to_text(data.pin_memory)},
      {"prefetch", data.prefetch},
  };
  if (!data.inputs.empty()) {
    object["inputs"] = data.inputs_as_written;
    object["targets"] = data.targets_as_written;
  }
  if (is_language_model(data)) object["context"] = data.context.value_or(default_context);
  if (data.source == "gaussian") {
    object["rows"] = data.rows;
    object["features"] = data.features;
    object["outputs"] = data.outputs;
    object["seed"] = data.seed;
  }
  return object;
}

json to_json(const Model& model) {
  json object = {{"kind", to_text(model.kind)}};
  if (!model.weights_as_written.empty()) object["weights"] = model.weights_as_written;
  switch (model.kind) {
    case ModelKind::Linear:
      object["bias"] = model.bias;
      break;
    case ModelKind::Mlp:
      object.update({{"bias", model.bias},
                     {"hidden", model.hidden},
                     {"activation", to_text(model.activation)},
                     {"dropout", model.dropout}});
      break;
    case ModelKind::Cnn:
      object.update({{"channels", model.channels}, {"kernel", model.kernel}, {"dropout", model.dropout}});
      break;
    case ModelKind::Resnet:
      object.update({{"depth", model.depth}, {"width", model.width}});
      break;
    case ModelKind::Transformer:
      object.update({{"width", model.width},
                     {"layers", model.layers},
                     {"heads", model.heads},
                     {"attention", to_text(model.attention)},
                     {"dropout", model.dropout}});
      break;
    case ModelKind::Lstm:
      object.update({{"cells", model.cells},
                     {"layers", model.layers},
                     {"bidirectional", model.bidirectional},
                     {"dropout", model.dropout}});
      break;
    case ModelKind::TorchScript:
      object["path"] = model.path_as_written;
      object["inputs"] = json::array();
      for (const ModelInput& input : model.inputs) {
        std::visit([&](const auto& value) { object["inputs"].push_back(value); }, input);
      }
      object["prediction"] = model.prediction;
      object["loss"] = model.loss;
      object["stored_dtype"] = to_text(model.stored_dtype);
      break;
  }
  return object;
}

json to_json(const Schedule& schedule) {
  json object = {{"kind", to_text(schedule.kind)}, {"warmup", schedule.warmup}, {"per", to_text(schedule.per)}};
  switch (schedule.kind) {
    case ScheduleKind::Constant:
      break;
    case ScheduleKind::Step:
      object["gamma"] = schedule.gamma;
      object["every"] = schedule.every;
      break;
    case ScheduleKind::Exponential:
      object["gamma"] = schedule.gamma;
      break;
    case ScheduleKind::Cosine:
      object["min_lr"] = schedule.min_lr;
      object["total"] = or_null(schedule.total);
      break;
    case ScheduleKind::Linear:
      object["end_factor"] = schedule.end_factor;
      object["total"] = or_null(schedule.total);
      break;
  }
  return object;
}

json to_json(const Optimizer& optimizer) {
  json object = {
      {"kind", to_text(optimizer.kind)},
      {"lr", optimizer.lr},
      {"parameters", optimizer.parameters},
      {"schedule", optimizer.schedule ? to_json(*optimizer.schedule) : json()},
  };
  if (optimizer.kind == OptimizerKind::Lbfgs) {
    object["max_iter"] = optimizer.max_iter;
    object["max_eval"] = optimizer.max_eval;
    object["tolerance_grad"] = optimizer.tolerance_grad;
    object["tolerance_change"] = optimizer.tolerance_change;
    object["history_size"] = optimizer.history_size;
    object["line_search_fn"] = optimizer.strong_wolfe ? json("strong_wolfe") : json();
    return object;
  }
  object["weight_decay"] = optimizer.weight_decay;
  object["maximize"] = optimizer.maximize;
  object["clip_norm"] = or_null(optimizer.clip_norm);
  switch (optimizer.kind) {
    case OptimizerKind::Sgd:
      object["momentum"] = optimizer.momentum;
      object["dampening"] = optimizer.dampening;
      object["nesterov"] = optimizer.nesterov;
      break;
    case OptimizerKind::RmsProp:
      object["momentum"] = optimizer.momentum;
      object["alpha"] = optimizer.alpha;
      object["eps"] = optimizer.eps;
      object["centered"] = optimizer.centered;
      break;
    default:
      object["betas"] = {optimizer.beta1, optimizer.beta2};
      object["eps"] = optimizer.eps;
      object["amsgrad"] = optimizer.amsgrad;
      if (optimizer.kind == OptimizerKind::Adam) object["decoupled_weight_decay"] = optimizer.decoupled_weight_decay;
  }
  return object;
}

json to_json(const StopOn& stop_on) {
  json words = json::array();
  if (stop_on.loss) words.push_back("loss");
  if (stop_on.gradient) words.push_back("gradient");
  if (stop_on.norm) words.push_back("norm");
  return words;
}

json to_json(const Training& training) {
  json optimizers = json::array();
  for (const Optimizer& optimizer : training.optimizers) optimizers.push_back(to_json(optimizer));
  return {
      {"device", training.device},
      {"threads", training.threads},
      {"seed", training.seed},
      {"steps", or_null(training.steps)},
      {"epochs", or_null(training.epochs)},
      {"batch", or_null(training.batch)},
      {"accumulate", training.accumulate},
      {"drop_last", training.drop_last},
      {"loss", word_or_null(training.loss)},
      {"reduction", to_text(training.reduction)},
      {"ignore_index", training.ignore_index},
      {"clip_norm", or_null(training.clip_norm)},
      {"skip_norm", or_null(training.skip_norm)},
      {"on_non_finite", to_text(training.on_non_finite)},
      {"stop_on", to_json(training.stop_on)},
      {"float32_matmul", training.float32_matmul},
      {"activation_checkpointing", to_text(training.activation_checkpointing)},
      {"evaluate_every", or_null(training.evaluate_every)},
      {"checkpoint", {{"every", or_null(training.checkpoint.every)}, {"keep", or_null(training.checkpoint.keep)}}},
      {"tf32", training.tf32},
      {"optimizer", optimizers},
      {"schedule", to_json(training.schedule)},
  };
}

json to_json(const Trial& trial) {
  json regions = json::array();
  if (trial.loss_in_float32) regions.push_back("loss");
  for (const Float32Region& region : trial.float32_regions) regions.push_back(region.text());
  return {
      {"name", trial.name},
      {"autocast", to_text(trial.autocast)},
      {"cast_policy", trial.cast_policy},
      {"shadow_every", trial.shadow_every},
      {"float32_regions", regions},
      {"scaler",
       {{"enabled", trial.scaler.enabled},
        {"init_scale", trial.scaler.init_scale},
        {"growth_factor", trial.scaler.growth_factor},
        {"backoff_factor", trial.scaler.backoff_factor},
        {"growth_interval", trial.scaler.growth_interval},
        {"hysteresis", trial.scaler.hysteresis},
        {"hysteresis_refill", to_text(trial.scaler.hysteresis_refill)},
        {"growth_delay", trial.scaler.growth_delay},
        {"floor", trial.scaler.floor},
        {"ceiling", trial.scaler.ceiling},
        {"at_floor", at_floor_text(trial.scaler)}}},
  };
}

json to_json(const OutputRule& rule) {
  json max = json::object();
  for (const auto& [dtype, limit] : rule.max) {
    if (dtype.empty()) {
      max = limit;
    } else {
      max[dtype] = limit;
    }
  }
  json object = {{"name", rule.name},
                 {"of", to_text(rule.of)},
                 {"measure", rule.measure},
                 {"reduce", to_text(rule.reduce)},
                 {"max", max}};
  if (rule.reduce == Reduce::Quantile) object["q"] = rule.q;
  if (rule.max_rounding) object["max_rounding"] = *rule.max_rounding;
  if (rule.max_spread) object["max_spread"] = *rule.max_spread;
  if (!rule.output.empty()) object["output"] = rule.output;
  if (!rule.slice.empty()) object["slice"] = rule.slice;
  if (!rule.preset.empty()) object["preset"] = rule.preset;
  for (const auto& [dtype, tolerance] : rule.tolerances) {
    object["tolerance"][dtype.empty() ? "any" : dtype] = {{"rtol", tolerance.relative}, {"atol", tolerance.absolute}};
  }
  for (const auto& [dtype, multiple] : rule.float64_multiples) {
    object["float64_multiple"][dtype.empty() ? "any" : dtype] = multiple;
    object["float64_tolerance"] = rule.float64_tolerance;
  }
  return object;
}

json to_json(const FlipsRule& rule, bool from_preset) {
  json object = {{"of", to_text(rule.of)}, {"max", or_null(rule.max)}, {"ties", rule.ties}};
  if (rule.decision != FlipsDecision::Task) object["decision"] = to_text(rule.decision);
  if (rule.decision == FlipsDecision::TopK) object["k"] = rule.k;
  if (rule.tie_within > 0.0) object["tie_within"] = rule.tie_within;
  for (const auto& [kind, limit] : rule.max_by_kind) object[kind] = {{"max", limit}};
  for (const auto& [direction, limit] : rule.max_by_direction) object[direction] = {{"max", limit}};
  if (from_preset) object["only_with_a_decision"] = true;
  return object;
}

json to_json(const QualityRule& rule) {
  json object = {
      {"name", rule.name},
      {"of", to_text(rule.of)},
      {"metric", rule.metric.empty() ? json() : json(rule.metric)},
      {"direction", rule.direction.empty() ? json() : json(rule.direction)},
      {"min", or_null(rule.min)},
      {"max", or_null(rule.max)},
      {"max_drop", or_null(rule.max_drop)},
      {"max_drop_relative", or_null(rule.max_drop_relative)},
  };
  if (!rule.slice.empty()) object["slice"] = rule.slice;
  if (rule.non_inferior) {
    object["non_inferior"] = {{"margin", rule.non_inferior->margin},
                              {"seeds", rule.non_inferior->seeds},
                              {"alpha", rule.non_inferior->alpha},
                              {"test", rule.non_inferior->test == NonInferior::Test::T ? "t" : "bootstrap"}};
  }
  return object;
}

json to_json(const DistributionRule& rule) {
  return {{"name", rule.name}, {"of", to_text(rule.of)}, {"measure", rule.measure}, {"max", rule.max}};
}

json to_json(const UtilityRule& rule) {
  json object = {{"of", to_text(rule.of)}, {"min", or_null(rule.min)}, {"max_drop", or_null(rule.max_drop)}};
  if (!rule.slice.empty()) object["slice"] = rule.slice;
  return object;
}

json to_json(const Utility& utility) {
  json object = {{"matrix", utility.matrix}};
  if (utility.no_decision) object["no_decision"] = *utility.no_decision;
  if (!utility.unit.empty()) object["unit"] = utility.unit;
  return object;
}

json to_json(const CostRule& rule) {
  json object = {{"name", rule.name}};
  if (rule.min_speedup) object["min_speedup"] = *rule.min_speedup;
  if (rule.max_memory_ratio) object["max_memory_ratio"] = *rule.max_memory_ratio;
  if (rule.max_cost_per_sample_ratio) object["max_cost_per_sample_ratio"] = *rule.max_cost_per_sample_ratio;
  if (rule.max_latency_p95_ratio) object["max_latency_p95_ratio"] = *rule.max_latency_p95_ratio;
  if (rule.latency_batch) object["latency_batch"] = *rule.latency_batch;
  return object;
}

json to_json(const Rules& rules) {
  json output = json::array();
  for (const OutputRule& rule : rules.output) output.push_back(to_json(rule));
  json quality = json::array();
  for (const QualityRule& rule : rules.quality) quality.push_back(to_json(rule));
  json progress;
  if (rules.progress) {
    progress = {{"min_applied_fraction", or_null(rules.progress->min_applied_fraction)},
                {"max_consecutive_skips", or_null(rules.progress->max_consecutive_skips)}};
  }
  json object = {
      {"target", rules.target},
      {"threshold", rules.threshold},
      {"threshold_given", rules.threshold_given},
      {"non_finite", "reject"},
      {"output", output},
      {"flips", rules.flips ? to_json(*rules.flips, rules.flips_from_preset) : json()},
      {"quality", quality},
      {"progress", progress},
  };
  for (const DistributionRule& rule : rules.distribution) object["distribution"].push_back(to_json(rule));
  if (rules.utility) object["utility"] = to_json(*rules.utility);
  for (const CostRule& rule : rules.cost) object["cost"].push_back(to_json(rule));
  for (const NonFiniteException& exception : rules.exceptions) {
    object["exceptions"].push_back({{"where", exception.where}, {"reason", exception.reason}});
  }
  return object;
}

/// Keys that say nothing are left out: the hash of an experiment without them is that of versions that had none.
json to_json(const Cases& cases) {
  json object = {{"holdout", cases.holdout}};
  if (cases.boundary > 0) object["boundary"] = cases.boundary;
  if (!cases.edge.empty()) object["edge"] = cases.edge;
  if (!cases.path.empty()) object["path"] = cases.path_as_written;
  if (cases.golden > 0) object["golden"] = cases.golden;
  if (cases.latency_batches) object["latency_batches"] = *cases.latency_batches;
  return object;
}

json what_is_run(const Experiment& experiment) {
  json trials = json::array();
  for (const Trial& trial : experiment.trials) trials.push_back(to_json(trial));
  json object = {
      {"mantissa", 1},
      {"data", to_json(experiment.data)},
      {"model", to_json(experiment.model)},
      {"training", to_json(experiment.training)},
      {"reference",
       {{"rounding_repeats", experiment.reference.rounding_repeats},
        {"repeats", experiment.reference.repeats},
        {"vary", experiment.reference.vary},
        {"float64", experiment.reference.float64}}},
      {"trial", trials},
      {"cases", to_json(experiment.cases)},
      {"rules", experiment.rules ? to_json(*experiment.rules) : json()},
  };
  if (!experiment.context.rule.empty()) object["context"] = {{"rule", experiment.context.rule}};
  if (experiment.utility) object["utility"] = to_json(*experiment.utility);
  return object;
}

}  // namespace

std::string canonical_json(const Experiment& experiment) {
  json object = what_is_run(experiment);
  object["name"] = experiment.name;
  object["description"] = experiment.description;
  object["expect"] = json::object();
  for (const auto& [trial, expectation] : experiment.expect) {
    if (expectation.needs.empty()) {
      object["expect"][trial] = expectation.verdict;
    } else {
      object["expect"][trial] = {{expectation.needs, expectation.verdict}, {"otherwise", expectation.otherwise}};
    }
  }
  object["budget"] = {{"deadline", or_null(experiment.budget.deadline_seconds)},
                      {"price_per_hour", or_null(experiment.budget.price_per_hour)},
                      {"device_memory", or_null(experiment.budget.device_memory_bytes)},
                      {"growth_limit", or_null(experiment.budget.growth_limit_bytes)},
                      {"reserve", experiment.budget.reserve}};
  return text_of(object);
}

std::string canonical_json_to_hash(const Experiment& experiment) { return text_of(what_is_run(experiment)); }

std::string canonical_json(const Trial& trial) { return text_of(to_json(trial)); }

std::string canonical_json_of_rules(const Experiment& experiment) {
  if (!experiment.rules) return {};
  json object = to_json(*experiment.rules);
  // Another matrix is another rule, also where the limits are the same.
  if (experiment.rules->utility && experiment.utility) object["utility"].update(to_json(*experiment.utility));
  return text_of(object);
}

}  // namespace mantissa::spec
