// SPDX-License-Identifier: Apache-2.0
#include "core/session/case_comparison.h"

#include <algorithm>
#include <memory>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/observe/thread_count.h"
#include "core/session/other_outputs.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

/// Of a model that gives its loss alone, evaluated case by case.
double mean_loss(const CaseOutputs& losses) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < losses.cases(); ++i) sum += losses.of_case(i).front();
  return sum / static_cast<double>(losses.cases());
}

/// Empty where that side was not measured.
std::vector<double> of_case(const CaseOutputs& outputs, std::int64_t index) {
  return outputs.cases() > 0 ? outputs.of_case(index) : std::vector<double>();
}

std::vector<double> of_other(const AllOutputs& outputs, std::size_t which, std::int64_t index) {
  return which < outputs.others.size() ? of_case(outputs.others[which], index) : std::vector<double>();
}

}  // namespace

void CaseComparison::evaluate_reference(train::Arm& reference) {
  try {
    if (!cases_.is_complete()) choose_boundary_cases(reference);
    others_ = other_outputs(prepared_.experiment);
    reference_outputs_ = evaluate_all(*reference.network, reference.policy, cases_);
  } catch (const std::exception& error) {
    reference.failure = train::failure_of(error, "on the frozen cases");
  }
}

void CaseComparison::choose_boundary_cases(train::Arm& reference) {
  const CaseOutputs outputs = evaluate(*reference.network, reference.policy, whole_pool(prepared_.dataset));
  std::vector<std::optional<double>> margins;
  for (std::int64_t row = 0; row < outputs.cases(); ++row) {
    margins.push_back(judge::margin(prepared_.decision, outputs.of_case(row)));
  }
  add_boundary_cases(cases_, prepared_.experiment, prepared_.dataset, margins);
}

std::vector<record::CaseRow> CaseComparison::compared_rows(const AllOutputs& reference, const AllOutputs& trained,
                                                           const AllOutputs& same_weights) const {
  judge::ReferenceScale scale;
  for (std::int64_t i = 0; i < reference.prediction.cases(); ++i) scale.add(reference.prediction.of_case(i));
  std::vector<record::CaseRow> rows = cases_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // One after another: a language model's outputs of all cases at once, in FP64, would be gigabytes.
    const auto index = static_cast<std::int64_t>(i);
    rows[i].output_reference = reference.prediction.of_case(index);
    rows[i].output = of_case(trained.prediction, index);
    rows[i].output_same_weights = of_case(same_weights.prediction, index);
    if (index < prepared_.experiment.cases.golden) {
      rows[i].golden = record::GoldenOutputs{rows[i].output_reference, rows[i].output, rows[i].output_same_weights};
    }
    for (std::size_t k = 0; k < reference.others.size(); ++k) {
      rows[i].other_outputs.push_back({others_[k], reference.others[k].of_case(index), of_other(trained, k, index),
                                       of_other(same_weights, k, index)});
    }
    judge::compare(rows[i], prepared_.decision, scale.rms());
  }
  return rows;
}

std::vector<record::CaseRow> CaseComparison::reference_rows() const {
  return compared_rows(reference_outputs_, reference_outputs_, reference_outputs_);
}

double CaseComparison::reference_quality() const {
  return judge::quality(reference_rows(), metric(), spec::Of::Trained, /*reference=*/true, unit(), prepared_.decision);
}

std::vector<record::CaseRow> CaseComparison::trial_rows(train::Arm& reference, train::Arm& trial) const {
  try {
    const auto same_weights = evaluate_all(*reference.network, trial.policy, cases_);
    const auto trained = evaluate_all(*trial.network, trial.policy, cases_);
    return compared_rows(reference_outputs_, trained, same_weights);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    trial.failure = train::failure_of(error, "on the frozen cases", trial.policy.cast_policy);
    return {};
  }
}

std::vector<record::CaseRow> CaseComparison::rounding_rows(train::Arm& reference, int threads) const {
  const observe::ThreadCount other(threads);
  return compared_rows(reference_outputs_, {}, evaluate_all(*reference.network, reference.policy, cases_));
}

std::vector<record::CaseRow> CaseComparison::float64_rows(const train::Arm& reference) const {
  const at::NoGradGuard no_grad;
  const std::unique_ptr<model::Network> network = reference.network->clone();
  for (const model::NamedTensor& named : network->state()) {
    if (named.tensor.is_floating_point()) named.tensor.set_data(named.tensor.to(at::kDouble));
  }
  FrozenCases wide = cases_;
  if (wide.inputs.is_floating_point()) wide.inputs = wide.inputs.to(at::kDouble);
  if (wide.targets.is_floating_point()) wide.targets = wide.targets.to(at::kDouble);
  return compared_rows(reference_outputs_, {}, evaluate_all(*network, reference.policy, wide));
}

std::vector<record::CaseRow> CaseComparison::repeat_rows(train::Arm& repeat) const {
  return compared_rows(reference_outputs_, evaluate_all(*repeat.network, repeat.policy, cases_), {});
}

void CaseComparison::summarise(const std::vector<record::CaseRow>& rows, record::TrialEnd& end) const {
  if (prepared_.prediction_is_loss) return;  // a loss is no answer that could be right or wrong
  end.quality_metric = metric();
  end.quality = judge::quality(rows, end.quality_metric, spec::Of::Trained, false, unit(), prepared_.decision);
  if (prepared_.decision.kind != judge::DecisionKind::None) end.flips = count_flips(rows);
}

judge::TargetUnit CaseComparison::unit() const {
  const data::Dataset& dataset = prepared_.dataset;
  return {dataset.target_scale, dataset.target_offset, dataset.target_log10};
}

std::optional<double> CaseComparison::quality_now(train::Arm& arm) const {
  try {
    AllOutputs outputs;  // a quality is of the prediction alone
    outputs.prediction = evaluate(*arm.network, arm.policy, cases_);
    if (prepared_.prediction_is_loss) return mean_loss(outputs.prediction);
    return judge::quality(compared_rows(outputs, outputs, outputs), metric(), spec::Of::Trained, false, unit(),
                          prepared_.decision);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    arm.failure =
        train::failure_of(error, "on the frozen cases after step " + std::to_string(arm.tally.counts.attempted));
    return std::nullopt;
  }
}

record::Direction CaseComparison::direction() const {
  if (prepared_.prediction_is_loss) return record::Direction::Lower;
  if (asked_.rules && !asked_.rules->quality.empty() && !asked_.rules->quality.front().direction.empty()) {
    return asked_.rules->quality.front().direction == "higher" ? record::Direction::Higher : record::Direction::Lower;
  }
  return spec::higher_is_better(metric()) ? record::Direction::Higher : record::Direction::Lower;
}

std::string CaseComparison::metric() const {
  if (prepared_.prediction_is_loss) return "loss";
  if (asked_.rules && !asked_.rules->quality.empty() && !asked_.rules->quality.front().metric.empty()) {
    return asked_.rules->quality.front().metric;
  }
  return spec::default_metric(prepared_.dataset.task);
}

std::int64_t CaseComparison::count_flips(const std::vector<record::CaseRow>& rows) const {
  const bool trained = asked_.rules && asked_.rules->flips && asked_.rules->flips->of == spec::Of::Trained;
  return std::count_if(rows.begin(), rows.end(),
                       [trained](const record::CaseRow& row) { return trained ? row.flip : row.flip_same_weights; });
}

}  // namespace mantissa::session
