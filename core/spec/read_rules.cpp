// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/spec/default_rules.h"
#include "core/spec/output_selector.h"
#include "core/spec/parse.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {

std::optional<Task> task_told_by_the_file(const Experiment& experiment) {
  if (is_language_model(experiment.data)) return Task::LanguageModel;
  if (const std::optional<Loss>& loss = experiment.training.loss) {
    switch (*loss) {
      case Loss::Mse:
      case Loss::L1:
      case Loss::Huber:
        return Task::Regression;
      case Loss::CrossEntropy:
      case Loss::Nll:
        return Task::Classification;
      case Loss::Bce:
      case Loss::BceWithLogits:
        return std::nullopt;
      case Loss::Output:
        break;  // says nothing of what the model learns
    }
  }
  const Data& data = experiment.data;
  if (data.task) return data.task;
  if (data.source == "gaussian") return Task::Regression;
  if (data.classes || data.labels) return Task::Classification;
  return std::nullopt;
}

namespace {

constexpr NumberRange below_a_half{[](double v) { return v > 0 && v < 0.5; }, "a number above 0 and below 0.5"};

/// One table, or a list of tables that each have a name of their own.
template <class Rule, class Read>
std::vector<Rule> read_one_or_several(const Setting& setting, const Read& read) {
  if (setting.kind == Setting::Kind::Table) return {read(setting)};
  std::vector<Rule> rules;
  std::set<std::string> names;
  for (const Setting& item : setting.items) {
    Rule rule = read(item);
    if (setting.items.size() > 1 && rule.name.empty()) {
      refuse_place(item, "no name", "With several rules of a kind each needs a name of its own");
    }
    if (!names.insert(rule.name).second) refuse(*item.find("name"), "a name of its own");
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// Figures of others and where they are from: torch/testing/_comparison.py; ONNX's backend tests;
/// benchmarks/dynamo/common.py and torch/_dynamo/utils.py `same`.
void apply_preset(OutputRule& rule) {
  if (rule.preset.empty()) return;
  rule.reduce = Reduce::Max;
  rule.max[""] = 1.0;
  if (rule.preset == "torchdynamo") {
    rule.measure = "float64_rmse";
    rule.float64_multiples = {{"float16", 2.0}, {"bfloat16", 3.0}, {"off", 2.0}};
    rule.float64_tolerance = 0.01;
    return;
  }
  rule.measure = "elementwise";
  if (rule.preset == "onnx") rule.tolerances[""] = {1e-3, 1e-7};
  if (rule.preset == "assert_close") {
    rule.tolerances = {{"float16", {1e-3, 1e-5}}, {"bfloat16", {1.6e-2, 1e-5}}, {"off", {1.3e-6, 1e-5}}};
  }
}

/// A preset says everything but which cases and which comparison.
void refuse_beside_preset(const TableReader& table) {
  for (const char* const key : {"measure", "reduce", "q", "max", "max_rounding", "max_spread", "rtol", "atol"}) {
    if (const Setting* const given = table.find(key))
      refuse_place(*given, "the preset says it", "Leave one of both out");
  }
}

void read_tolerance(const TableReader& table, const Setting& setting, OutputRule& rule) {
  Tolerance tolerance;
  table.number("rtol", tolerance.relative, range::not_negative);
  table.number("atol", tolerance.absolute, range::not_negative);
  const Setting* const given = table.has("rtol") ? table.find("rtol") : table.find("atol");
  if (rule.measure != "elementwise") {
    if (given != nullptr) refuse_place(*given, "only measure = \"elementwise\" takes it");
    return;
  }
  if (tolerance.relative == 0.0 && tolerance.absolute == 0.0) {
    refuse_place(given != nullptr ? *given : setting, "no tolerance above 0", "Set rtol, atol or both");
  }
  rule.tolerances[""] = tolerance;
}

void refuse_float64_by_hand(const TableReader& table, const OutputRule& rule) {
  if (rule.measure != "float64_rmse") return;
  refuse_place(*table.find("measure"), "its limit is that of preset = \"torchdynamo\"",
               "Set the preset and leave measure out");
}

/// The output that a rule names; empty where it is the prediction. Spelled another way it is the same output.
std::string read_output_selector(const Setting& setting, const Experiment& experiment) {
  if (experiment.made_elsewhere) {
    refuse_place(setting, "a run that was made elsewhere has one output, the columns output[i] of its files",
                 "Leave it out, or judge each output with files of its own");
  }
  if (experiment.model.kind != ModelKind::TorchScript) {
    refuse_place(setting, "a model of kind " + to_text(experiment.model.kind) + " has one output, its prediction",
                 "Leave it out: only model.kind = \"torchscript\" can have several");
  }
  const auto steps = parse_output_selector(setting.text);
  if (!steps) refuse(setting, output_selector_words);
  return steps == parse_output_selector(experiment.model.prediction) ? std::string() : setting.text;
}

OutputRule read_output(const Setting& setting, const Experiment& experiment) {
  const TableReader table(&setting);
  OutputRule rule;
  table.text("name", rule.name);
  table.word("of", rule.of);
  if (const Setting* const output = table.find("output")) rule.output = read_output_selector(*output, experiment);
  table.text("slice", rule.slice);
  table.text("preset", rule.preset);
  if (!rule.preset.empty()) {
    refuse_beside_preset(table);
    apply_preset(rule);
    return rule;
  }
  table.text("measure", rule.measure);
  refuse_float64_by_hand(table, rule);
  if (rule.measure == "elementwise") {  // one element beyond its tolerance is one too many
    rule.reduce = Reduce::Max;
    if (!table.has("max")) rule.max[""] = 1.0;
  }
  read_tolerance(table, setting, rule);
  table.word("reduce", rule.reduce);
  table.number("q", rule.q, range::share);
  if (const Setting* const q = table.find("q"); q != nullptr && rule.reduce != Reduce::Quantile) {
    refuse_place(*q, "only reduce = \"quantile\" takes it");
  }
  table.number("max_rounding", rule.max_rounding, range::not_negative);
  table.number("max_spread", rule.max_spread, range::not_negative);
  if (rule.max_rounding && rule.of != Of::SameWeights) {
    refuse_place(*table.find("max_rounding"), "the rounding floor is the yardstick of same_weights alone",
                 "Take max_spread for of = \"trained\"");
  }
  if (rule.max_spread && rule.of != Of::Trained) {
    refuse_place(*table.find("max_spread"), "the run-to-run spread is the yardstick of trained alone",
                 "Set of = \"trained\", or take max_rounding");
  }
  const Setting* const max = table.find("max");
  if (max == nullptr && (rule.max_rounding || rule.max_spread || !rule.max.empty())) return rule;
  if (max == nullptr) refuse_place(setting, "no limit", "Set max, a number or one by dtype: max = { float16 = 2e-3 }");
  if (max->kind == Setting::Kind::Table) {
    for (const Setting& limit : max->members) rule.max[limit.key] = number_value(limit, range::not_negative);
    if (rule.max.empty()) refuse(*max, "a limit, such as { float16 = 2e-3, bfloat16 = 2e-2 }");
  } else {
    rule.max[""] = number_value(*max, range::not_negative);
  }
  return rule;
}

FlipsRule read_flips(const Setting& setting) {
  const TableReader table(&setting);
  FlipsRule rule;
  table.word("of", rule.of);
  table.word("decision", rule.decision);
  table.integer("k", rule.k, 1);
  table.integer("max", rule.max, 0);
  table.text("ties", rule.ties);
  table.number("tie_within", rule.tie_within, range::not_negative);
  const bool is_top_k = rule.decision == FlipsDecision::TopK;
  if (is_top_k && !table.has("k")) refuse_place(setting, "no k", "Say how many outputs are the set: k = 3");
  if (!is_top_k && table.has("k")) refuse_place(*table.find("k"), "only decision = \"top-k\" takes it");
  for (const char* const kind : {"ordinary", "edge", "boundary"}) {
    const Setting* const limit = table.find(kind);
    if (limit == nullptr) continue;
    const Setting* const max = limit->find("max");
    if (max == nullptr) refuse_place(*limit, "no limit", "Set { max = 0 }");
    rule.max_by_kind[kind] = integer_value(*max, 0, std::numeric_limits<std::int64_t>::max());
  }
  for (const char* const direction : {"right_to_wrong", "wrong_to_right", "neutral"}) {
    const Setting* const limit = table.find(direction);
    if (limit == nullptr) continue;
    const Setting* const max = limit->find("max");
    if (max == nullptr) refuse_place(*limit, "no limit", "Set { max = 0 }");
    rule.max_by_direction[direction] = integer_value(*max, 0, std::numeric_limits<std::int64_t>::max());
  }
  if (!rule.max && rule.max_by_kind.empty() && rule.max_by_direction.empty()) {
    refuse_place(setting, "no limit", "Set max = 0");
  }
  return rule;
}

/// accuracy, F1 and AUC end at 1: a larger limit rejects, or accepts, whatever is judged.
void refuse_shares_beyond_one(const TableReader& table, const QualityRule& rule) {
  if (!higher_is_better(rule.metric)) return;
  for (const char* const key : {"min", "max", "max_drop"}) {
    const Setting* const limit = table.find(key);
    if (limit != nullptr) number_value(*limit, range::share);
  }
}

NonInferior read_non_inferior(const Setting& setting) {
  const TableReader table(&setting);
  NonInferior rule;
  if (!table.has("margin")) refuse_place(setting, "no margin", "Say in margin how much worse is no loss");
  table.number("margin", rule.margin, range::not_negative);
  table.integer("seeds", rule.seeds, 2);
  table.number("alpha", rule.alpha, below_a_half);
  std::string test;
  table.text("test", test);
  if (test == "bootstrap") rule.test = NonInferior::Test::Bootstrap;
  return rule;
}

QualityRule read_quality(const Setting& setting) {
  const TableReader table(&setting);
  QualityRule rule;
  table.text("name", rule.name);
  table.word("of", rule.of);
  table.text("slice", rule.slice);
  table.text("metric", rule.metric);
  table.text("direction", rule.direction);
  table.number("min", rule.min, range::finite);
  table.number("max", rule.max, range::finite);
  table.number("max_drop", rule.max_drop, range::not_negative);
  table.number("max_drop_relative", rule.max_drop_relative, range::not_negative);
  if (const Setting* const non_inferior = table.find("non_inferior")) {
    rule.non_inferior = read_non_inferior(*non_inferior);
  }
  if (!rule.min && !rule.max && !rule.max_drop && !rule.max_drop_relative && !rule.non_inferior) {
    refuse_place(setting, "no limit", "Set one of min, max, max_drop, max_drop_relative, non_inferior");
  }
  if (rule.min && rule.max && *rule.min > *rule.max) refuse(*table.find("min"), "at most max");
  refuse_shares_beyond_one(table, rule);
  return rule;
}

DistributionRule read_distribution(const Setting& setting) {
  const TableReader table(&setting);
  DistributionRule rule;
  table.text("name", rule.name);
  table.word("of", rule.of);
  table.text("measure", rule.measure);
  if (!table.has("max")) refuse_place(setting, "no limit", "Set max, such as { measure = \"psi\", max = 0.1 }");
  table.number("max", rule.max, rule.measure == "ks" ? range::share : range::not_negative);
  return rule;
}

UtilityRule read_utility_rule(const Setting& setting, const Experiment& experiment) {
  const TableReader table(&setting);
  UtilityRule rule;
  if (!experiment.utility) {
    refuse_place(setting, "no gains and losses are declared", "Declare them: [utility] matrix = [[1, -5], [0, 2]]");
  }
  table.word("of", rule.of);
  table.text("slice", rule.slice);
  table.number("min", rule.min, range::finite);
  table.number("max_drop", rule.max_drop, range::not_negative);
  if (!rule.min && !rule.max_drop) refuse_place(setting, "no limit", "Set min, max_drop or both");
  return rule;
}

ProgressRule read_progress(const Setting& setting) {
  const TableReader table(&setting);
  ProgressRule rule;
  table.number("min_applied_fraction", rule.min_applied_fraction, range::share);
  table.integer("max_consecutive_skips", rule.max_consecutive_skips, 0);
  if (!rule.min_applied_fraction && !rule.max_consecutive_skips) {
    refuse_place(setting, "no limit", "Set min_applied_fraction or max_consecutive_skips");
  }
  return rule;
}

CostRule read_cost(const Setting& setting) {
  const TableReader table(&setting);
  CostRule rule;
  table.text("name", rule.name);
  table.number("min_speedup", rule.min_speedup, range::positive);
  table.number("max_memory_ratio", rule.max_memory_ratio, range::positive);
  table.number("max_cost_per_sample_ratio", rule.max_cost_per_sample_ratio, range::positive);
  table.number("max_latency_p95_ratio", rule.max_latency_p95_ratio, range::positive);
  table.integer("latency_batch", rule.latency_batch, 1, largest_latency_batch);
  if (rule.latency_batch && !rule.max_latency_p95_ratio) {
    refuse_place(*table.find("latency_batch"), "only max_latency_p95_ratio takes it");
  }
  if (!rule.min_speedup && !rule.max_memory_ratio && !rule.max_cost_per_sample_ratio && !rule.max_latency_p95_ratio) {
    refuse_place(setting, "no limit",
                 "Set one of min_speedup, max_memory_ratio, max_cost_per_sample_ratio, max_latency_p95_ratio");
  }
  return rule;
}

/// Of an experiment that says at which batch sizes it times.
void refuse_untimed_batch(const Setting& setting, const CostRule& rule, const Experiment& experiment) {
  const std::optional<std::vector<std::int64_t>>& timed = experiment.cases.latency_batches;
  if (!rule.max_latency_p95_ratio || !timed) return;
  if (timed->empty()) {
    refuse_place(*setting.find("max_latency_p95_ratio"), "cases.latency_batches = [] times nothing",
                 "Leave one of both out");
  }
  if (rule.latency_batch && std::find(timed->begin(), timed->end(), *rule.latency_batch) == timed->end()) {
    refuse(*setting.find("latency_batch"), "one of cases.latency_batches");
  }
}

/// Decision 13 of the contract; with the task left open the data decides later.
void refuse_flips_without_decision(const Setting& flips, const Experiment& experiment, bool threshold_given) {
  if (task_told_by_the_file(experiment) == Task::Regression && !threshold_given) {
    refuse_place(flips, "a regression has no decision that could flip",
                 "Leave the rule out, or set rules.threshold to give the output a decision");
  }
}

/// The largest of several outputs, in an order, is what a classification by arg-max has.
void refuse_order_without_scores(const Setting& flips, const Experiment& experiment) {
  const Setting* const decision = flips.find("decision");
  if (decision == nullptr || decision->text == "task") return;
  const std::optional<Loss>& loss = experiment.training.loss;
  const bool binary = loss == Loss::Bce || loss == Loss::BceWithLogits;
  if (!binary && task_told_by_the_file(experiment) != Task::Regression) return;
  refuse(*decision, "\"task\"",
         binary ? "every output of this loss decides by a threshold, not by its place among the others"
                : "the outputs of a regression have no order that decides");
}

void refuse_metric_of_another_task(const Setting& setting, const QualityRule& rule, const Experiment& experiment,
                                   bool threshold_given) {
  const std::optional<Task> task = task_told_by_the_file(experiment);
  const Setting* const metric = setting.find("metric");
  if (metric == nullptr || !task) return;
  const std::vector<std::string> known = metrics_of(*task, threshold_given);
  if (std::find(known.begin(), known.end(), rule.metric) != known.end()) return;
  std::string choices;
  for (const std::string& one : known) choices += (choices.empty() ? "" : " | ") + one;
  const char* reason = "a classification has no distance to its targets";
  if (*task == Task::LanguageModel) reason = "the targets of a language model are characters";
  if (*task == Task::Regression) reason = "a regression has no classes";
  if (rule.metric == "perplexity") reason = "only a language model has a perplexity";
  refuse(*metric, choices, reason);
}

/// The other direction would count a worse value as the better one.
void refuse_direction_against_the_metric(const Setting& setting, const QualityRule& rule,
                                         const Experiment& experiment) {
  const Setting* const direction = setting.find("direction");
  if (direction == nullptr) return;
  std::string metric = rule.metric;
  if (metric.empty()) {
    const std::optional<Task> task = task_told_by_the_file(experiment);
    if (!task) return;  // the data decides
    metric = default_metric(*task);
  }
  const std::string own = higher_is_better(metric) ? "higher" : "lower";
  if (rule.direction != own) refuse(*direction, own, "not the direction in which " + metric + " gets better");
}

std::vector<NonFiniteException> read_exceptions(const Setting& setting) {
  std::vector<NonFiniteException> exceptions;
  for (const Setting& item : setting.items) {
    const TableReader table(&item);
    NonFiniteException& exception = exceptions.emplace_back();
    table.text("where", exception.where);
    table.text("reason", exception.reason);
    if (exception.where.empty()) refuse_place(item, "an exception of nothing", "Set where = \"buffer bn1.*\"");
    if (exception.reason.empty())
      refuse_place(item, "an exception without a reason", "Say in reason why it does no harm");
  }
  return exceptions;
}

}  // namespace

void read_rules(const Setting* setting, Experiment& experiment) {
  if (setting == nullptr) return;
  const TableReader table(setting);
  Rules rules;
  table.text("target", rules.target);
  const bool probability = experiment.training.loss == Loss::Bce;
  table.number("threshold", rules.threshold, probability ? range::share : range::finite);
  rules.threshold_given = table.has("threshold");
  if (const Setting* const output = table.find("output")) {
    rules.output = read_one_or_several<OutputRule>(
        *output, [&experiment](const Setting& rule) { return read_output(rule, experiment); });
  }
  if (const Setting* const flips = table.find("flips")) {
    refuse_flips_without_decision(*flips, experiment, rules.threshold_given);
    refuse_order_without_scores(*flips, experiment);
    rules.flips = read_flips(*flips);
  }
  if (const Setting* const quality = table.find("quality")) {
    rules.quality = read_one_or_several<QualityRule>(*quality, [&](const Setting& setting_of_rule) {
      QualityRule rule = read_quality(setting_of_rule);
      refuse_metric_of_another_task(setting_of_rule, rule, experiment, rules.threshold_given);
      refuse_direction_against_the_metric(setting_of_rule, rule, experiment);
      return rule;
    });
  }
  if (const Setting* const distribution = table.find("distribution")) {
    rules.distribution = read_one_or_several<DistributionRule>(*distribution, read_distribution);
  }
  if (const Setting* const utility = table.find("utility")) rules.utility = read_utility_rule(*utility, experiment);
  if (const Setting* const progress = table.find("progress")) rules.progress = read_progress(*progress);
  if (const Setting* const cost = table.find("cost")) {
    rules.cost = read_one_or_several<CostRule>(*cost, [&](const Setting& setting_of_rule) {
      CostRule rule = read_cost(setting_of_rule);
      refuse_untimed_batch(setting_of_rule, rule, experiment);
      return rule;
    });
  }
  if (const Setting* const exceptions = table.find("exceptions")) rules.exceptions = read_exceptions(*exceptions);
  if (table.has("preset")) add_default_rules(rules);
  rules.non_finite_given = table.has("non_finite");
  if (!rules.limits_anything()) {
    experiment.warnings.push_back(
        rules.non_finite_given
            ? "rules: only finiteness is judged; preset = \"default\" judges outputs, decisions, quality and progress"
            : "rules: no rule is stated, so that a trial stays undecided; preset = \"default\" judges outputs, "
              "decisions, quality and progress");
  }
  experiment.rules = std::move(rules);
}

}  // namespace mantissa::spec
