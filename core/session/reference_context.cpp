// SPDX-License-Identifier: Apache-2.0
#include "core/session/reference_context.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ATen/ATen.h>

#include "core/judge/judge.h"
#include "core/judge/wording.h"
#include "core/session/input_quality.h"
#include "core/session/trivial_models.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

constexpr const char* kConstant = "constant";
constexpr const char* kLinear = "linear";
constexpr const char* kWritten = "written-rule";

/// What a predictor's computation came to, or what stopped it.
TrivialOutputs tried(const std::function<TrivialOutputs()>& compute) {
  try {
    return compute();
  } catch (const std::exception& error) {
    const std::optional<std::string> memory = train::out_of_memory(error, "while it was fitted");
    return {{}, memory ? "memory did not suffice" : train::condensed(error)};
  }
}

class Scores {
 public:
  Scores(const Prepared& prepared, const FrozenCases& cases, std::vector<std::string> metrics)
      : prepared_(prepared), cases_(cases), metrics_(std::move(metrics)) {}

  std::vector<record::ContextScore> of_predictors(bool has_rule) {
    const std::string missing = missing_for_all();
    std::vector<const char*> predictors = {kConstant, kLinear};
    if (has_rule) predictors.push_back(kWritten);
    for (const char* const predictor : predictors) {
      if (!missing.empty()) {
        add_missing(predictor, missing);
      } else if (prepared_.dataset.task == spec::Task::LanguageModel) {
        add_language_model(predictor);
      } else {
        add(predictor, tried([&] { return outputs_of(predictor); }));
      }
    }
    return std::move(scores_);
  }

 private:
  std::string missing_for_all() const {
    if (prepared_.prediction_is_loss) return "the model gives its loss and no prediction";
    const bool targets = std::any_of(cases_.rows.begin(), cases_.rows.end(),
                                     [](const record::CaseRow& row) { return !row.target.empty(); });
    if (!targets) return "no frozen case has a target";
    const bool decides = prepared_.decision.kind != judge::DecisionKind::None;
    if (prepared_.dataset.task == spec::Task::Classification && !decides) return "the model makes no decision";
    return {};
  }

  TrivialOutputs outputs_of(const std::string& predictor) const {
    const data::Dataset& dataset = prepared_.dataset;
    if (predictor == kConstant) return constant_outputs(dataset, prepared_.decision, cases_.inputs.size(0));
    if (predictor == kLinear) return linear_outputs(dataset, prepared_.decision, cases_.inputs);
    return written_outputs(dataset, prepared_.decision, predictions_of_rule());
  }

  std::vector<double> predictions_of_rule() const {
    const data::Dataset& dataset = prepared_.dataset;
    const data::Part& pool = dataset.test.rows() == 0 ? dataset.train : dataset.test;
    std::vector<double> predictions;
    for (const std::int64_t row : cases_.pool_rows) {
      predictions.push_back(pool.written_rule[static_cast<std::size_t>(row)]);
    }
    if (predictions.size() == cases_.rows.size()) return predictions;
    // Those of the case file follow, which may be some of its cases alone.
    const data::Part& file = dataset.file_cases->part;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < file.ids.size(); ++i) places.emplace(file.ids[i], i);
    for (std::size_t i = predictions.size(); i < cases_.rows.size(); ++i) {
      predictions.push_back(file.written_rule[places.at(cases_.rows[i].id)]);
    }
    return predictions;
  }

  void add(const std::string& predictor, const TrivialOutputs& answer) {
    if (!answer.outputs.defined()) return add_missing(predictor, answer.note);
    std::vector<record::CaseRow> rows = cases_.rows;
    const at::Tensor outputs = answer.outputs.contiguous();
    const std::int64_t width = outputs.size(1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double* const first = outputs.const_data_ptr<double>() + static_cast<std::int64_t>(i) * width;
      rows[i].output_reference.assign(first, first + width);
      rows[i].output = rows[i].output_same_weights = rows[i].output_reference;
    }
    judge::compare(rows, prepared_.decision);
    const data::Dataset& dataset = prepared_.dataset;
    const judge::TargetUnit unit{dataset.target_scale, dataset.target_offset, dataset.target_log10};
    for (const std::string& metric : metrics_) {
      record::ContextScore& score = scores_.emplace_back();
      score.predictor = predictor;
      score.metric = metric;
      score.note = answer.note;
      score.value = judge::quality(rows, metric, spec::Of::Trained, /*reference=*/false, unit, prepared_.decision);
    }
  }

  void add_missing(const std::string& predictor, const std::string& why) {
    for (const std::string& metric : metrics_) scores_.push_back({predictor, metric, std::nullopt, why});
  }

  /// The constant one gives every character the share that it has in the training part.
  void add_language_model(const std::string& predictor) {
    if (predictor != kConstant) return add_missing(predictor, "no linear model is made of a text");
    const std::int64_t classes = prepared_.dataset.classes;
    const at::Tensor shares = frequencies(prepared_.dataset.train.targets, classes);
    const at::Tensor found = frequencies(cases_.targets, classes);
    const auto most = shares.argmax().item<std::int64_t>();
    // A character that never occurs has the probability 0; one that is not asked for does not matter.
    const at::Tensor surprise = at::where(found > 0.0, shares.log().neg() * found, at::zeros_like(found));
    const double absent = found.gt(0.0).logical_and(shares == 0.0).sum().item<double>();
    std::string note = "the shares of the " + judge::count(classes) + " characters in the training part";
    if (absent > 0.0) {
      note += "; " + judge::count(static_cast<std::int64_t>(absent)) + " of the frozen set never occur in it";
    }
    for (const std::string& metric : metrics_) {
      record::ContextScore& score = scores_.emplace_back();
      score.predictor = predictor;
      score.metric = metric;
      score.note = note;
      score.value = metric == "perplexity" ? std::exp(surprise.sum().item<double>())
                    : metric == "accuracy" ? found[most].item<double>()
                                           : std::numeric_limits<double>::quiet_NaN();
    }
  }

  static at::Tensor frequencies(const at::Tensor& characters, std::int64_t classes) {
    const at::Tensor counts = at::bincount(characters.flatten(), {}, classes).to(at::kDouble);
    return counts / counts.sum();
  }

  const Prepared& prepared_;
  const FrozenCases& cases_;
  std::vector<std::string> metrics_;
  std::vector<record::ContextScore> scores_;
};

}  // namespace

std::vector<std::string> context_metrics(const spec::Experiment& asked, spec::Task task) {
  std::vector<std::string> metrics;
  if (asked.rules) {
    for (const spec::QualityRule& rule : asked.rules->quality) {
      const std::string metric = rule.metric.empty() ? spec::default_metric(task) : rule.metric;
      if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
    }
  }
  if (metrics.empty()) metrics.push_back(spec::default_metric(task));
  return metrics;
}

record::ReferenceContext reference_context(const spec::Experiment& asked, const Prepared& prepared,
                                           const FrozenCases& cases) {
  record::ReferenceContext context;
  Scores scores(prepared, cases, context_metrics(asked, prepared.dataset.task));
  context.scores = scores.of_predictors(!asked.context.rule.empty());
  try {
    context.inputs = input_quality(prepared.dataset, cases);
  } catch (const std::exception& error) {
    context.inputs = {};
    context.inputs.missing = train::out_of_memory(error, {}) ? "memory did not suffice" : train::condensed(error);
  }
  return context;
}

}  // namespace mantissa::session
