// SPDX-License-Identifier: Apache-2.0
#include "core/judge/prediction_shift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/judge/case_evidence.h"
#include "core/judge/distributions.h"
#include "core/judge/paired_tests.h"
#include "core/judge/rules.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

constexpr int kStabilityBins = 10;  // by custom

std::int64_t non_finite_in(const std::vector<double>& values) {
  return std::count_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
}

void widen(const std::vector<double>& values, std::optional<double>& low, std::optional<double>& high) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = low ? std::min(*low, value) : value;
    high = high ? std::max(*high, value) : value;
  }
}

std::vector<std::int64_t> counts_of(const std::vector<double>& values, double low, double high) {
  std::vector<std::int64_t> counts(shift_bins, 0);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    // Halves, because the difference of two large numbers may overflow.
    const double share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.0;
    const auto bin = static_cast<std::size_t>(share * static_cast<double>(shift_bins));
    ++counts[std::min(bin, shift_bins - 1)];
  }
  return counts;
}

record::PredictionShift shift_of(const std::vector<double>& reference, const std::vector<double>& trial) {
  record::PredictionShift shift;
  shift.cases = static_cast<std::int64_t>(trial.size());
  shift.population_stability = population_stability(reference, trial, kStabilityBins);
  shift.kolmogorov_smirnov = kolmogorov_smirnov_distance(reference, trial);
  shift.non_finite_reference = non_finite_in(reference);
  shift.non_finite = non_finite_in(trial);
  std::optional<double> low;
  std::optional<double> high;
  widen(reference, low, high);
  widen(trial, low, high);
  shift.low = low.value_or(0.0);
  shift.high = high.value_or(0.0);
  shift.counts_reference = counts_of(reference, shift.low, shift.high);
  shift.counts = counts_of(trial, shift.low, shift.high);
  return shift;
}

const std::optional<bool>& correct_of(const record::CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.correct : row.correct_same_weights;
}

std::optional<record::PairedDecisions> paired_of(const std::vector<record::CaseRow>& rows, spec::Of of) {
  record::PairedDecisions paired;
  paired.of = to_text(of);
  for (const record::CaseRow& row : rows) {
    if (row.positions) return std::nullopt;
    if (!row.correct_reference) continue;
    const std::optional<bool>& correct = correct_of(row, of);
    if (!correct) return std::nullopt;
    ++paired.cases;
    if (*row.correct_reference && !*correct) ++paired.only_reference;
    if (!*row.correct_reference && *correct) ++paired.only_trial;
  }
  if (paired.cases == 0) return std::nullopt;
  paired.p_value = mcnemar(paired.only_reference, paired.only_trial);
  return paired;
}

}  // namespace

std::string shifts_missing(const std::vector<record::CaseRow>& rows, spec::Of of) {
  if (rows.empty()) return "no frozen cases were compared";
  if (rows.front().positions) return "the outputs of a language model are not kept";
  const std::size_t width = rows.front().output_reference.size();
  for (const record::CaseRow& row : rows) {
    if (output_of(row, of).empty()) return "the outputs of " + to_text(of) + " are not there";
    if (output_of(row, of).size() != width || row.output_reference.size() != width) {
      return "the cases have outputs of different lengths";
    }
  }
  if (width > most_shifted_outputs) {
    return "the model has " + count(static_cast<std::int64_t>(width)) + " outputs, and no more than " +
           count(static_cast<std::int64_t>(most_shifted_outputs)) + " are compared one by one";
  }
  return {};
}

std::vector<record::PredictionShift> prediction_shifts(const std::vector<record::CaseRow>& rows, spec::Of of) {
  std::vector<record::PredictionShift> shifts;
  if (!shifts_missing(rows, of).empty()) return shifts;
  for (std::size_t output = 0; output < rows.front().output_reference.size(); ++output) {
    std::vector<double> reference;
    std::vector<double> trial;
    for (const record::CaseRow& row : rows) {
      reference.push_back(row.output_reference[output]);
      trial.push_back(output_of(row, of)[output]);
    }
    record::PredictionShift& shift = shifts.emplace_back(shift_of(reference, trial));
    shift.output = static_cast<std::int64_t>(output);
    shift.of = to_text(of);
  }
  return shifts;
}

std::vector<record::PairedDecisions> paired_decisions(const std::vector<record::CaseRow>& rows) {
  std::vector<record::PairedDecisions> all;
  for (const spec::Of of : {spec::Of::SameWeights, spec::Of::Trained}) {
    if (const auto paired = paired_of(rows, of)) all.push_back(*paired);
  }
  return all;
}

}  // namespace mantissa::judge
