// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/rule_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::ui::rules {
namespace {

/// Of a binary floating point format: bits behind the point, and exponents of its normal numbers.
struct Format {
  int bits, smallest, largest;
};

Format formatOf(const std::string& name) {
  if (name == "float16") return {10, -14, 15};
  if (name == "bfloat16") return {7, -126, 127};
  return {23, -126, 127};
}

bool hasOutput(const record::CaseRow& row, spec::Of of) {
  if (of == spec::Of::Trained) return !row.output.empty() || row.position_flips;
  return !row.output_same_weights.empty() || row.position_flips_same_weights;
}

std::vector<std::vector<record::CaseRow>> repeatsOf(const judge::Evidence& evidence, const spec::OutputRule& rule) {
  std::vector<std::vector<record::CaseRow>> repeats;
  for (const auto& rows : rule.of == spec::Of::SameWeights ? evidence.rounding : evidence.spread) {
    repeats.push_back(casesOf(rows, rule.slice));
  }
  return repeats;
}

const spec::Tolerance* toleranceOf(const spec::OutputRule& rule, const std::string& autocast) {
  auto found = rule.tolerances.find(autocast);
  if (found == rule.tolerances.end()) found = rule.tolerances.find("");
  return found == rule.tolerances.end() ? nullptr : &found->second;
}

}  // namespace

double spacing(double size, const std::string& format) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double magnitude = std::abs(size);
  if (!std::isfinite(magnitude)) return kNone;
  const Format is = formatOf(format);
  const int exponent = magnitude > 0 ? std::max(is.smallest, std::ilogb(magnitude)) : is.smallest;
  return exponent > is.largest ? kNone : std::ldexp(1.0, exponent - is.bits);
}

std::optional<Magnitudes> magnitudesOf(const std::vector<record::CaseRow>& cases) {
  Magnitudes found;
  judge::ReferenceScale scale;
  bool isAny = false;
  for (const record::CaseRow& row : cases) {
    scale.add(row.output_reference);
    for (const double output : row.output_reference) {
      const double size = std::abs(output);
      if (!std::isfinite(size)) continue;
      isAny = true;
      found.largest = std::max(found.largest, size);
      if (size > 0 && (found.smallest == 0 || size < found.smallest)) found.smallest = size;
    }
  }
  if (!isAny) return std::nullopt;
  found.rms = scale.rms();
  return found;
}

std::optional<double> allowedAt(const spec::OutputRule& rule, double limit, double size, const std::string& autocast) {
  if (rule.measure == "case_relative" || rule.measure == "rel") return limit * size;
  if (rule.measure == "abs" || rule.measure == "rmse") return limit;
  if (rule.measure == "ulp") return limit * spacing(size, "float32");
  if (rule.measure == "elementwise") {
    const spec::Tolerance* const tolerance = toleranceOf(rule, autocast);
    if (tolerance == nullptr) return std::nullopt;
    return limit * (tolerance->absolute + tolerance->relative * size);
  }
  return std::nullopt;
}

std::optional<double> statedLimit(const spec::OutputRule& rule, const std::string& autocast) {
  auto found = rule.max.find(autocast);
  if (found == rule.max.end()) found = rule.max.find("");
  return found == rule.max.end() ? std::nullopt : std::optional<double>(found->second);
}

std::optional<OutputFigures> outputFigures(const spec::OutputRule& rule, const judge::Evidence& evidence,
                                           std::optional<double> limit) {
  const std::vector<record::CaseRow> cases = casesOf(evidence.cases, rule.slice);
  if (cases.empty() || rule.measure == "float64_rmse") return std::nullopt;
  const bool isMeasured =
      std::all_of(cases.begin(), cases.end(), [&rule](const record::CaseRow& row) { return hasOutput(row, rule.of); });
  const bool needsOutputs = rule.measure == "cosine" || rule.measure == "elementwise";
  if (!isMeasured || (needsOutputs && cases.front().positions)) return std::nullopt;
  OutputFigures found;
  found.cases = static_cast<std::int64_t>(cases.size());
  found.reduced = judge::reduced_measure(cases, rule, evidence.autocast);
  spec::OutputRule single = rule;
  single.reduce = spec::Reduce::Max;
  std::vector<record::CaseRow> one(1);
  for (const record::CaseRow& row : cases) {
    one.front() = row;
    const double value = judge::reduced_measure(one, single, evidence.autocast);
    const bool isFirst = found.worstCase.isEmpty();
    if (isFirst || (std::isnan(value) && !std::isnan(found.worst)) || value > found.worst) {
      found.worst = value;
      found.worstCase = QString::fromStdString(row.id);
    }
    if (limit && !(value <= *limit)) ++found.beyond;
  }
  found.yardstick = judge::yardstick(repeatsOf(evidence, rule), rule, evidence.autocast);
  return found;
}

std::vector<record::CaseRow> casesOf(const std::vector<record::CaseRow>& cases, const std::string& slice) {
  if (slice.empty()) return cases;
  std::vector<record::CaseRow> chosen;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(chosen),
               [&slice](const record::CaseRow& row) { return row.slice == slice; });
  return chosen;
}

std::int64_t mostSkips(double leastApplied, std::int64_t attempted) {
  if (attempted <= 0) return 0;
  const auto total = static_cast<double>(attempted);
  auto applied = static_cast<std::int64_t>(std::ceil(leastApplied * total));
  // 0.98 * 300 may come out a hair above 294.
  if (applied > 0 && static_cast<double>(applied - 1) / total >= leastApplied) --applied;
  return attempted - std::min(applied, attempted);
}

}  // namespace mantissa::ui::rules
