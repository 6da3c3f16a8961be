// SPDX-License-Identifier: Apache-2.0
#include "core/session/trivial_models.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/number_text.h"
#include "core/judge/wording.h"
#include "core/observe/thread_count.h"
#include "core/session/logistic_regression.h"

namespace mantissa::session {
namespace {

using judge::DecisionKind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostInputs = 2e7;        // 160 MB in FP64
constexpr double kMostProducts = 4e9;      // of least squares: seconds
constexpr double kMostLogisticWork = 5e7;  // rows · columns · classes: seconds

TrivialOutputs not_measured(std::string why) { return {{}, std::move(why)}; }

std::string one_of(const data::Dataset& dataset, std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  const std::string number = "class " + std::to_string(index);
  return place < dataset.class_names.size() ? number + " ('" + dataset.class_names[place] + "')" : number;
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  return judge::short_number(100.0 * static_cast<double>(part) / static_cast<double>(whole)) + " %";
}

/// The rows whose target is a class, and their classes.
struct Labelled {
  at::Tensor rows;                   ///< int64
  at::Tensor classes;                ///< int64
  std::vector<std::int64_t> counts;  ///< by class
  std::int64_t total = 0;
  std::vector<std::int64_t> present;  ///< classes that occur
};

Labelled labelled_rows(const data::Dataset& dataset) {
  Labelled labelled;
  const at::Tensor& targets = dataset.train.targets;
  labelled.rows = at::nonzero((targets >= 0).logical_and(targets < dataset.classes)).flatten();
  labelled.classes = targets.index_select(0, labelled.rows);
  labelled.total = labelled.rows.numel();
  const at::Tensor counts = at::bincount(labelled.classes, {}, dataset.classes);
  labelled.counts.assign(counts.const_data_ptr<std::int64_t>(), counts.const_data_ptr<std::int64_t>() + counts.numel());
  for (std::int64_t one = 0; one < dataset.classes; ++one) {
    if (labelled.counts[static_cast<std::size_t>(one)] > 0) labelled.present.push_back(one);
  }
  return labelled;
}

/// "2 of 5 classes never occur in the training part"; empty where all do.
std::string absent_words(const data::Dataset& dataset, const Labelled& labelled) {
  const std::int64_t absent = dataset.classes - static_cast<std::int64_t>(labelled.present.size());
  if (absent == 0) return {};
  return "; " + judge::count(absent) + " of " + judge::count(dataset.classes) + " classes" +
         (absent == 1 ? " never occurs" : " never occur") + " in the training part";
}

at::Tensor repeated(const std::vector<double>& answer, std::int64_t cases) {
  const at::Tensor row = at::tensor(answer, at::TensorOptions(at::kDouble));
  return row.unsqueeze(0).repeat({cases, 1});
}

TrivialOutputs constant_class(const data::Dataset& dataset, std::int64_t cases) {
  const Labelled labelled = labelled_rows(dataset);
  if (labelled.total == 0) return not_measured("no row of the training part has a class");
  std::vector<double> answer;
  for (const std::int64_t count : labelled.counts) {
    const double share = static_cast<double>(count) / static_cast<double>(labelled.total);
    answer.push_back(count > 0 ? std::log(share) : impossible_logit);
  }
  const auto most = std::max_element(labelled.counts.begin(), labelled.counts.end());
  return {repeated(answer, cases), one_of(dataset, most - labelled.counts.begin()) + ", " +
                                       share_of(*most, labelled.total) + " of the training part" +
                                       absent_words(dataset, labelled)};
}

double logit_of(double probability) {
  if (probability <= 0.0) return impossible_logit;
  if (probability >= 1.0) return -impossible_logit;
  return std::log(probability / (1.0 - probability));
}

TrivialOutputs constant_value(const data::Dataset& dataset, const judge::DecisionRule& decision, std::int64_t cases) {
  const at::Tensor targets = dataset.train.targets.to(at::kDouble);
  const at::Tensor mean = targets.mean(0);
  std::vector<double> answer(mean.const_data_ptr<double>(), mean.const_data_ptr<double>() + mean.numel());
  std::string note = "the mean of the training targets";
  if (dataset.task == spec::Task::Regression && answer.size() == 1) {
    double own = answer.front() * dataset.target_scale.front() + dataset.target_offset.front();
    if (dataset.target_log10) own = std::pow(10.0, own);
    note = judge::short_number(own) + ", " + (dataset.target_log10 ? "10 to the mean logarithm" : "the mean") +
           " of the training targets";
  } else if (answer.size() == 1) {
    note = "class " + std::string(answer.front() >= 0.5 ? "1" : "0") +
           ", with the share of class 1 in the training part, " + judge::short_number(100.0 * answer.front()) +
           " %, as its probability";
  }
  const bool equal = targets.numel() > 0 && (targets == targets.narrow(0, 0, 1)).all().item<bool>();
  if (equal) note += ", which are all equal";
  if (decision.kind == DecisionKind::Logit) std::transform(answer.begin(), answer.end(), answer.begin(), logit_of);
  return {repeated(answer, cases), note};
}

/// [rows, columns] in FP64.
at::Tensor flat(const at::Tensor& inputs) {
  return inputs.to(at::kCPU).to(at::kDouble).reshape({inputs.size(0), -1}).contiguous();
}

std::string size_words(std::int64_t rows, std::int64_t columns) {
  return judge::count(rows, "row") + " of " + judge::count(columns, "column");
}

TrivialOutputs least_squares(const data::Dataset& dataset, const at::Tensor& inputs) {
  const std::int64_t rows = dataset.train.rows();
  const std::int64_t columns = rows == 0 ? 0 : dataset.train.inputs.numel() / rows;
  const double cells = static_cast<double>(rows) * static_cast<double>(columns);
  if (cells > kMostInputs || cells * static_cast<double>(std::min(rows, columns)) > kMostProducts) {
    return not_measured("least squares over " + size_words(rows, columns) + " would take too long");
  }
  const at::Tensor x = flat(dataset.train.inputs);
  if (!x.isfinite().all().item<bool>()) return not_measured("the inputs of the training part are not all finite");
  const at::Tensor y = dataset.train.targets.to(at::kDouble).reshape({rows, -1});
  const at::Tensor x_mean = x.mean(0, /*keepdim=*/true);
  const at::Tensor y_mean = y.mean(0, /*keepdim=*/true);
  const auto [weights, residuals, rank, values] =
      at::linalg_lstsq(x - x_mean, y - y_mean, std::nullopt, std::string_view("gelsd"));
  std::string note = "least squares over " + size_words(rows, columns);
  const std::int64_t found = rank.item<std::int64_t>();
  if (rows <= columns) {
    note += ": fewer rows than unknowns, of all solutions the one of least norm";
  } else if (found < columns) {
    note += ", of which " + judge::count(found) + " are independent";
  }
  return {at::mm(flat(inputs) - x_mean, weights) + y_mean, note};
}

std::string logistic_words(std::int64_t rows, std::int64_t columns, bool converged) {
  std::string note = "logistic regression over " + size_words(rows, columns) + ", L2 penalty 1, columns standardised";
  if (!converged) note += "; not fully converged";
  return note;
}

std::optional<TrivialOutputs> refused_logistic(std::int64_t rows, std::int64_t columns, std::int64_t outputs) {
  const double cells = static_cast<double>(rows) * static_cast<double>(columns);
  if (cells * static_cast<double>(outputs) <= kMostLogisticWork) return std::nullopt;
  return not_measured("logistic regression over " + size_words(rows, columns) + " for " +
                      judge::count(outputs, outputs == 1 ? "decision" : "class") + (outputs == 1 ? "" : "es") +
                      " would take too long");
}

TrivialOutputs linear_class(const data::Dataset& dataset, const at::Tensor& inputs) {
  const Labelled labelled = labelled_rows(dataset);
  if (labelled.present.size() < 2) return not_measured("the training part has one class only");
  const std::int64_t columns = dataset.train.inputs.numel() / dataset.train.rows();
  const bool two = dataset.classes == 2;
  const std::int64_t outputs = two ? 1 : static_cast<std::int64_t>(labelled.present.size());
  if (auto refused = refused_logistic(labelled.total, columns, outputs)) return *refused;
  const at::Tensor x = flat(dataset.train.inputs.index_select(0, labelled.rows));
  if (!x.isfinite().all().item<bool>()) return not_measured("the inputs of the training part are not all finite");
  const at::Tensor present = at::tensor(labelled.present, at::TensorOptions(at::kLong));
  const at::Tensor y = two ? labelled.classes.unsqueeze(1).to(at::kDouble)
                           : (labelled.classes.unsqueeze(1) == present.unsqueeze(0)).to(at::kDouble);
  const LogisticFit fit = fit_logistic(x, y, /*exclusive=*/!two);
  const at::Tensor logits = fit.logits(flat(inputs));
  at::Tensor answers;
  if (two) {
    answers = at::cat({at::zeros_like(logits), logits}, 1);
  } else {
    answers = at::full({inputs.size(0), dataset.classes}, impossible_logit, at::TensorOptions(at::kDouble));
    answers.index_copy_(1, present, logits);
  }
  return {answers, logistic_words(labelled.total, columns, fit.converged) + absent_words(dataset, labelled)};
}

TrivialOutputs linear_binary(const data::Dataset& dataset, const judge::DecisionRule& decision,
                             const at::Tensor& inputs) {
  const std::int64_t rows = dataset.train.rows();
  const std::int64_t columns = rows == 0 ? 0 : dataset.train.inputs.numel() / rows;
  const at::Tensor y = dataset.train.targets.to(at::kDouble).reshape({rows, -1});
  const at::Tensor mean = y.mean(0);
  if ((mean == 0.0).logical_or(mean == 1.0).any().item<bool>()) {
    return not_measured("the training part has one class only");
  }
  if (auto refused = refused_logistic(rows, columns, y.size(1))) return *refused;
  const at::Tensor x = flat(dataset.train.inputs);
  if (!x.isfinite().all().item<bool>()) return not_measured("the inputs of the training part are not all finite");
  const LogisticFit fit = fit_logistic(x, y, /*exclusive=*/false);
  const at::Tensor logits = fit.logits(flat(inputs));
  return {decision.kind == DecisionKind::Probability ? logits.sigmoid() : logits,
          logistic_words(rows, columns, fit.converged)};
}

/// The model's output for a prediction; NaN where there is none.
std::vector<double> output_for(double prediction, const data::Dataset& dataset, const judge::DecisionRule& decision) {
  switch (decision.kind) {
    case DecisionKind::ArgMax: {
      const bool is_class = prediction >= 0.0 && prediction < static_cast<double>(dataset.classes) &&
                            prediction == std::floor(prediction);
      std::vector<double> logits(static_cast<std::size_t>(dataset.classes), is_class ? impossible_logit : kNan);
      if (is_class) logits[static_cast<std::size_t>(prediction)] = 0.0;
      return logits;
    }
    case DecisionKind::Probability:
      return {prediction == 0.0 || prediction == 1.0 ? prediction : kNan};
    case DecisionKind::Logit:
      return {prediction == 0.0 || prediction == 1.0 ? logit_of(prediction) : kNan};
    default: {
      const double value = dataset.target_log10 ? (prediction > 0.0 ? std::log10(prediction) : kNan) : prediction;
      return {(value - dataset.target_offset.front()) / dataset.target_scale.front()};
    }
  }
}

}  // namespace

TrivialOutputs constant_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision, std::int64_t cases) {
  const at::NoGradGuard no_grad;
  const observe::ThreadCount one(1);
  if (dataset.train.rows() == 0) return not_measured("the training part is empty");
  if (decision.kind == DecisionKind::ArgMax) return constant_class(dataset, cases);
  return constant_value(dataset, decision, cases);
}

TrivialOutputs linear_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision,
                              const at::Tensor& inputs) {
  const at::NoGradGuard no_grad;
  const observe::ThreadCount one(1);  // another number of threads sums in another order
  if (dataset.train.rows() == 0) return not_measured("the training part is empty");
  if (decision.kind == DecisionKind::ArgMax) return linear_class(dataset, inputs);
  const bool binary = decision.kind == DecisionKind::Probability || decision.kind == DecisionKind::Logit;
  return binary ? linear_binary(dataset, decision, inputs) : least_squares(dataset, inputs);
}

TrivialOutputs written_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision,
                               const std::vector<double>& predictions) {
  if (dataset.target_names.size() > 1) {
    return not_measured("the rule predicts one target, and there are " +
                        judge::count(static_cast<std::int64_t>(dataset.target_names.size())));
  }
  std::vector<double> answers;
  std::int64_t silent = 0;
  for (const double prediction : predictions) {
    const std::vector<double> output = output_for(prediction, dataset, decision);
    if (std::isnan(output.front())) ++silent;
    answers.insert(answers.end(), output.begin(), output.end());
  }
  const auto cases = static_cast<std::int64_t>(predictions.size());
  TrivialOutputs written;
  written.outputs = at::tensor(answers, at::TensorOptions(at::kDouble)).reshape({cases, -1});
  if (silent > 0) {
    written.note = "says nothing that could be a " +
                   std::string(dataset.task == spec::Task::Regression ? "prediction" : "class") + " in " +
                   judge::count(silent, "case");
  }
  return written;
}

}  // namespace mantissa::session
