// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"

namespace mantissa::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The doubles that storage tends to lose, and nothing.
inline const std::vector<std::optional<double>>& awkward_reals() {
  static const std::vector<std::optional<double>> reals = {0.1,
                                                           kNan,
                                                           kInfinity,
                                                           -kInfinity,
                                                           std::nullopt,
                                                           -0.0,
                                                           0.0,
                                                           5e-324,
                                                           -1e-310,
                                                           1.7976931348623157e308,
                                                           -65536.0,
                                                           1.0 / 3.0,
                                                           9007199254740993.0};
  return reals;
}

/// A step in which every column has a value of its own, so that exchanged columns show; `turn` shifts which real column
/// gets which awkward number.
inline record::StepRecord awkward_step(std::int64_t trial, std::int64_t step, std::size_t turn) {
  record::StepRecord out;
  out.trial = trial;
  std::int64_t column = static_cast<std::int64_t>(turn);
  const auto fill = [&column](auto& value) {
    using Value = std::decay_t<decltype(value)>;
    ++column;
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = (std::int64_t{1} << 40) + column;
    } else if constexpr (std::is_same_v<Value, bool>) {
      value = column % 2 == 0;
    } else if constexpr (std::is_same_v<Value, record::SkipCause>) {
      value = static_cast<record::SkipCause>(column % 10);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = column % 3 == 0 ? std::string() : "blocks." + std::to_string(column) + ".\"gewicht\", ß";
    } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
      value = awkward_reals()[static_cast<std::size_t>(column) % awkward_reals().size()];
    } else {
      if (column % 4 != 0) value = column * 1000003;
    }
  };
#define MANTISSA_FILL(name, type, description) fill(out.name);
  MANTISSA_STEP_COLUMNS(MANTISSA_FILL)
#undef MANTISSA_FILL
  out.step = step;
  for (std::size_t i = 0; i < turn % 4; ++i) {  // none, one, two or three: an archive holds arms of each kind
    record::OptimizerStep& optimizer = out.optimizers.emplace_back();
#define MANTISSA_FILL(name, type, description) fill(optimizer.name);
    MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_FILL)
#undef MANTISSA_FILL
  }
  return out;
}

/// An ordinary step.
inline record::StepRecord plain_step(std::int64_t trial, std::int64_t step) {
  record::StepRecord out;
  out.trial = trial;
  out.step = step;
  out.iteration = step;
  out.loss = 1.0 / static_cast<double>(step);
  return out;
}

/// Equal also where == says no: NaN equals NaN, a zero keeps its sign.
inline bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}
inline bool same(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}
template <class Value>
bool same(const Value& a, const Value& b) {
  return a == b;
}

inline bool same(const record::OptimizerStep& a, const record::OptimizerStep& b) {
  bool all = true;
#define MANTISSA_SAME(name, type, description) all = all && same(a.name, b.name);
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_SAME)
#undef MANTISSA_SAME
  return all;
}
inline bool same(const std::vector<record::OptimizerStep>& a, const std::vector<record::OptimizerStep>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

inline record::ExperimentStart sample_experiment(const std::string& name = "digits-mlp") {
  record::ExperimentStart start;
  start.name = name;
  start.file = "experiments/digits-mlp.toml";
  start.text = "mantissa = 1\n# Größe\n";
  start.resolved = "{\"name\":\"digits-mlp\"}";
  start.sha256 = std::string(64, 'a');
  start.rules = "{\"target\":\"as-run\"}";
  start.rules_sha256 = std::string(64, 'b');
  start.cases_sha256 = std::string(64, 'c');
  start.lock = "{\"seed\":1}";
  start.lock_sha256 = std::string(64, 'd');
  return start;
}

inline record::TrialStart sample_trial(std::int64_t experiment, const std::string& name, std::int64_t reference = 0) {
  record::TrialStart start;
  start.experiment = experiment;
  start.reference = reference;
  start.kind = reference == 0 ? record::TrialKind::Reference : record::TrialKind::Trial;
  start.name = name;
  start.autocast = reference == 0 ? "off" : "float16";
  start.cast_policy = "device";
  start.device = "cpu";
  start.policy = reference == 0 ? "" : "{\"autocast\":\"float16\"}";
  return start;
}

}  // namespace mantissa::test
