// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/error.h"
#include "core/judge/judge.h"

namespace mantissa::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double>& output_of(const record::CaseRow& row, spec::Of of, bool reference) {
  if (reference) return row.output_reference;
  return of == spec::Of::Trained ? row.output : row.output_same_weights;
}

const std::optional<bool>& correct_of(const record::CaseRow& row, spec::Of of, bool reference) {
  if (reference) return row.correct_reference;
  return of == spec::Of::Trained ? row.correct : row.correct_same_weights;
}

double accuracy(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  std::size_t right = 0;
  std::size_t count = 0;
  for (const record::CaseRow& row : rows) {
    if (output_of(row, of, reference).empty()) return kNan;
    const std::optional<bool>& correct = correct_of(row, of, reference);
    if (!correct) continue;  // no target, or one to be ignored
    ++count;
    if (*correct) ++right;
  }
  return count == 0 ? kNan : static_cast<double>(right) / static_cast<double>(count);
}

/// The share of positions that decide for their target.
double accuracy_of_positions(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  std::int64_t right = 0;
  std::int64_t count = 0;
  for (const record::CaseRow& row : rows) {
    const auto& correct = reference                 ? row.positions_correct_reference
                          : of == spec::Of::Trained ? row.positions_correct
                                                    : row.positions_correct_same_weights;
    if (!correct) return kNan;
    right += *correct;
    count += *row.positions;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

double perplexity(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const record::CaseRow& row : rows) {
    const auto& nll = reference ? row.nll_reference : of == spec::Of::Trained ? row.nll : row.nll_same_weights;
    if (!nll) return kNan;
    sum += *nll * static_cast<double>(*row.positions);
    count += *row.positions;
  }
  return count == 0 ? kNan : std::exp(sum / static_cast<double>(count));
}

double in_own_unit(double value, std::size_t element, const TargetUnit& unit) {
  if (!unit.scale.empty()) value *= unit.scale[element % unit.scale.size()];
  if (!unit.offset.empty()) value += unit.offset[element % unit.offset.size()];
  return unit.log10 ? std::pow(10.0, value) : value;
}

double mean_error(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference, const TargetUnit& unit,
                  bool squared) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return kNan;
    if (row.target.empty()) continue;
    if (row.target.size() != output.size()) {
      throw Error(ErrorKind::DataProblem,
                  {"a target of another size than the output", "", 0, 0, "case " + row.id,
                   std::to_string(row.target.size()) + " target elements", std::to_string(output.size()), ""});
    }
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double error = in_own_unit(output[i], i, unit) - in_own_unit(row.target[i], i, unit);
      sum += squared ? error * error : std::fabs(error);
      ++count;
    }
  }
  return count == 0 ? kNan : sum / static_cast<double>(count);
}

}  // namespace

double quality(const std::vector<record::CaseRow>& rows, const std::string& metric, spec::Of of, bool reference,
               const TargetUnit& unit) {
  const bool by_position = !rows.empty() && rows.front().positions.has_value();
  if (metric == "accuracy" && by_position) return accuracy_of_positions(rows, of, reference);
  if (metric == "accuracy") return accuracy(rows, of, reference);
  if (metric == "perplexity") return perplexity(rows, of, reference);
  if (metric == "rmse") return std::sqrt(mean_error(rows, of, reference, unit, true));
  if (metric == "mae") return mean_error(rows, of, reference, unit, false);
  throw Error(ErrorKind::InvalidSetting,
              {"", "", 0, 0, "rules.quality.metric", '\'' + metric + '\'', "accuracy, rmse, mae or perplexity", ""});
}

}  // namespace mantissa::judge
