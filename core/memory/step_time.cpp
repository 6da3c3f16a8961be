// SPDX-License-Identifier: Apache-2.0
#include "core/memory/step_time.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::memory {
namespace {

constexpr std::size_t kParts = 3;
using Parts = std::array<double, kParts>;  // update, microbatch, sample

/// What each part is multiplied with in a step.
Parts multiples_of(std::int64_t microbatch, std::int64_t accumulation) {
  const auto microbatches = static_cast<double>(accumulation);
  return {1.0, microbatches, microbatches * static_cast<double>(microbatch)};
}

double sum_of_products(const Parts& a, const Parts& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The parts in `used` that fit the steps best, the others 0: the normal equations by Gauss and Jordan. Nothing where
/// the steps cannot tell the parts apart.
std::optional<Parts> best_of(const std::vector<Parts>& rows, const std::vector<std::size_t>& used) {
  std::array<std::array<double, kParts + 1>, kParts> system{};
  const std::size_t count = used.size();
  for (const Parts& row : rows) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) system[i][j] += row[used[i]] * row[used[j]];
      system[i][count] += row[used[i]];  // every row is divided by its seconds: the right side is 1
    }
  }
  constexpr double kDependent = 1e-9;  // of what a column had at first: below it is rounding
  for (std::size_t i = 0; i < count; ++i) {
    double whole = 0.0;
    for (const Parts& row : rows) whole += row[used[i]] * row[used[i]];
    if (system[i][i] <= kDependent * whole) return std::nullopt;
    for (std::size_t other = 0; other < count; ++other) {
      if (other == i) continue;
      const double times = system[other][i] / system[i][i];
      for (std::size_t j = i; j <= count; ++j) system[other][j] -= times * system[i][j];
    }
  }
  Parts parts{};
  for (std::size_t i = 0; i < count; ++i) parts[used[i]] = system[i][count] / system[i][i];
  return parts;
}

[[noreturn]] void refuse(const char* field, const std::string& found, const char* expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, found, expected, ""});
}

}  // namespace

double StepTime::at(std::int64_t microbatch, std::int64_t accumulation) const {
  return sum_of_products({update_seconds, microbatch_seconds, sample_seconds}, multiples_of(microbatch, accumulation));
}

StepTime step_time_of(const std::vector<TimedStep>& steps) {
  if (steps.empty()) refuse("seconds", "none", "at least one timed step");
  std::vector<Parts> rows;
  for (const TimedStep& step : steps) {
    if (step.microbatch < 1) refuse("microbatch", std::to_string(step.microbatch), "at least 1");
    if (step.accumulation < 1) refuse("accumulation", std::to_string(step.accumulation), "at least 1");
    if (!(step.seconds > 0.0) || !std::isfinite(step.seconds)) {
      refuse("seconds", to_text(step.seconds), "a finite number above 0");
    }
    Parts row = multiples_of(step.microbatch, step.accumulation);
    for (double& value : row) value /= step.seconds;
    rows.push_back(row);
  }
  // Where no part may be below zero, the best fit is that of one of these choices. An earlier one wins a tie.
  static const std::vector<std::vector<std::size_t>> kChoices = {{2}, {1}, {0}, {1, 2}, {0, 2}, {0, 1}, {0, 1, 2}};
  constexpr double kTie = 1e-12;
  Parts best{};
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<std::size_t>& choice : kChoices) {
    const std::optional<Parts> parts = best_of(rows, choice);
    if (!parts || (*parts)[0] < 0.0 || (*parts)[1] < 0.0 || (*parts)[2] < 0.0) continue;
    double error = 0.0;
    for (const Parts& row : rows) error += std::pow(sum_of_products(row, *parts) - 1.0, 2);
    if (error >= least - kTie) continue;
    least = error;
    best = *parts;
  }
  return {best[0], best[1], best[2]};
}

}  // namespace mantissa::memory
