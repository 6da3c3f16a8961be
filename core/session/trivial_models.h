// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/dataset.h"
#include "core/judge/judge.h"

namespace mantissa::session {

/// What a predictor that is not the experiment's model says of cases, as the model would say it: logits, probabilities
/// or values in the model's units.
struct TrivialOutputs {
  at::Tensor outputs;  ///< FP64 [cases, outputs]; undefined: not measured
  std::string note;    ///< what the predictor is, as a clause; or why it was not measured
};

/// The logit of a class that cannot be, so far below all others that its probability is exactly 0.
inline constexpr double impossible_logit = -1e4;

/// The same answer for every case: the shares of the classes in the training part (its decision is the most frequent
/// one, the lowest of equals), or the mean of the training targets in the model's units.
TrivialOutputs constant_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision, std::int64_t cases);

/// A linear model over the flattened inputs as the model gets them, fitted on the training part in FP64 on one thread.
///
/// A regression is least squares with an intercept and nothing else (LAPACK's gelsd over centred columns, by singular
/// values: with dependent columns, or fewer rows than columns, the solution of least norm). Classes are logistic
/// regression over standardised columns, with half the squared norm of the weights added to the summed loss, without
/// which separable classes have no solution: scikit-learn's LogisticRegression(C = 1) over StandardScaler. Two classes
/// have one logit, more of them a softmax over those that occur.
///
/// Beyond the limits on size it is not measured: least squares up to 2e7 inputs and 4e9 for rows · columns ·
/// min(rows, columns), logistic regression up to 5e7 for rows · columns · classes.
/// \param inputs  [cases, …]
TrivialOutputs linear_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision,
                              const at::Tensor& inputs);

/// What a written rule predicts. A decision is certain: where it is wrong, its log loss is infinite.
/// \param predictions  by case, as data::Part::written_rule
TrivialOutputs written_outputs(const data::Dataset& dataset, const judge::DecisionRule& decision,
                               const std::vector<double>& predictions);

}  // namespace mantissa::session
