// SPDX-License-Identifier: Apache-2.0
#include "core/session/case_comparison.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/train/failure_text.h"

namespace mantissa::session {

void CaseComparison::evaluate_reference(train::Arm& reference) {
  try {
    reference_outputs_ = evaluate(*reference.network, reference.policy, cases_);
  } catch (const std::exception& error) {
    reference.failure = train::failure_of(error, "on the frozen cases");
  }
}

std::vector<record::CaseRow> CaseComparison::compared_rows(const std::vector<std::vector<double>>& trained,
                                                           const std::vector<std::vector<double>>& same_weights) const {
  std::vector<record::CaseRow> rows = cases_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].output = trained[i];
    rows[i].output_reference = reference_outputs_[i];
    rows[i].output_same_weights = same_weights[i];
  }
  judge::compare(rows, prepared_.decision);
  return rows;
}

std::vector<record::CaseRow> CaseComparison::reference_rows() const {
  return compared_rows(reference_outputs_, reference_outputs_);
}

std::vector<record::CaseRow> CaseComparison::trial_rows(train::Arm& reference, train::Arm& trial) const {
  try {
    const auto same_weights = evaluate(*reference.network, trial.policy, cases_);
    const auto trained = evaluate(*trial.network, trial.policy, cases_);
    return compared_rows(trained, same_weights);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    trial.failure = train::failure_of(error, "on the frozen cases");
    return {};
  }
}

void CaseComparison::summarise(const std::vector<record::CaseRow>& rows, record::TrialEnd& end) const {
  if (prepared_.prediction_is_loss) return;  // a loss is no answer that could be right or wrong
  end.quality_metric = metric();
  end.quality = judge::quality(rows, end.quality_metric, spec::Of::Trained, false, unit());
  if (prepared_.decision.kind != judge::DecisionKind::None) end.flips = count_flips(rows);
}

judge::TargetUnit CaseComparison::unit() const {
  const data::Dataset& dataset = prepared_.dataset;
  return {dataset.target_scale, dataset.target_offset, dataset.target_log10};
}

std::optional<double> CaseComparison::quality_now(train::Arm& arm) const {
  std::vector<record::CaseRow> rows = cases_.rows;
  try {
    const std::vector<std::vector<double>> outputs = evaluate(*arm.network, arm.policy, cases_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].output = outputs[i];
      rows[i].output_reference = outputs[i];
      rows[i].output_same_weights = outputs[i];
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    arm.failure =
        train::failure_of(error, "on the frozen cases after step " + std::to_string(arm.tally.counts.attempted));
    return std::nullopt;
  }
  judge::compare(rows, prepared_.decision);
  return judge::quality(rows, metric(), spec::Of::Trained, false, unit());
}

record::Direction CaseComparison::direction() const {
  if (asked_.rules && !asked_.rules->quality.empty() && !asked_.rules->quality.front().direction.empty()) {
    return asked_.rules->quality.front().direction == "higher" ? record::Direction::Higher : record::Direction::Lower;
  }
  return metric() == "accuracy" ? record::Direction::Higher : record::Direction::Lower;
}

std::string CaseComparison::metric() const {
  if (asked_.rules && !asked_.rules->quality.empty() && !asked_.rules->quality.front().metric.empty()) {
    return asked_.rules->quality.front().metric;
  }
  return judge::default_metric(prepared_.dataset.task);
}

std::int64_t CaseComparison::count_flips(const std::vector<record::CaseRow>& rows) const {
  const bool trained = asked_.rules && asked_.rules->flips && asked_.rules->flips->of == spec::Of::Trained;
  return std::count_if(rows.begin(), rows.end(),
                       [trained](const record::CaseRow& row) { return trained ? row.flip : row.flip_same_weights; });
}

}  // namespace mantissa::session
