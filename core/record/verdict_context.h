// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::record {

/// What a predictor that is not the experiment's model reaches on the frozen set.
struct ContextScore {
  std::string predictor;        ///< "constant", "linear", "written-rule"
  std::string metric;           ///< "accuracy", "rmse", …
  std::optional<double> value;  ///< nothing: not measured
  std::string note;             ///< what it is, as a clause; or why it was not measured
};

/// One input column over the frozen set, in the units in which the model gets it.
struct InputColumn {
  std::int64_t position = 0;  ///< among the inputs, from 0
  std::string name;
  std::optional<double> training_minimum, training_maximum;  ///< of its finite values; nothing: it has none
  bool constant = false;        ///< one value over all frozen cases, of which there are two
  std::int64_t non_finite = 0;  ///< cases
  std::int64_t outside = 0;     ///< cases with a finite value outside the range of the training part
};

/// A frozen case of which at least one input is non-finite or outside the range of the training part.
struct InputCase {
  std::int64_t position = 0;  ///< in the frozen set, from 0
  std::string id;
  std::string slice;
  std::int64_t non_finite = 0;  ///< columns
  std::int64_t outside = 0;     ///< columns
  std::string columns;          ///< the first of them by name: "age, income and 4 more"
};

/// The inputs of the frozen set beside those of the training part.
struct InputQuality {
  std::string missing;  ///< why it was not measured; empty: it was
  std::int64_t cases = 0;
  std::int64_t columns = 0;
  std::vector<InputColumn> noted;  ///< columns that are constant, or somewhere non-finite or outside
  std::vector<InputCase> of_cases;
};

/// What was measured of the data beside a reference, before any output of a trial was read.
struct ReferenceContext {
  std::vector<ContextScore> scores;
  InputQuality inputs;
};

/// How one output is distributed over the frozen cases, beside the reference's.
struct PredictionShift {
  std::int64_t output = 0;            ///< from 0
  std::string of;                     ///< "same_weights", "trained"
  std::int64_t cases = 0;             ///< with both outputs
  double population_stability = 0.0;  ///< over ten bins; NaN where an output is NaN
  double kolmogorov_smirnov = 0.0;    ///< the same
  std::int64_t non_finite_reference = 0, non_finite = 0;
  /// Bars of one width from `low` to `high`, which hold all finite outputs of both sides.
  double low = 0.0, high = 0.0;
  std::vector<std::int64_t> counts_reference, counts;
};

/// Of the cases that have a target: on how many only one side decides rightly.
struct PairedDecisions {
  std::string of;  ///< "same_weights", "trained"
  std::int64_t cases = 0;
  std::int64_t only_reference = 0, only_trial = 0;
  double p_value = 1.0;  ///< McNemar's test, exact and two-sided: shown, never a rule
};

/// One metric of a quality with everything it can be weighed against.
struct WeighedQuality {
  std::string metric;
  bool higher_is_better = true;
  std::optional<double> reference, trial;  ///< of their own weights; nothing: not measured
  std::vector<ContextScore> scores;

  /// How much worse the trial is than the reference, in the metric's unit; below 0: better.
  std::optional<double> drop() const;
  /// That drop as a share of what a predictor lacks to the reference; nothing where it lacks nothing, or one of the
  /// three is not a finite number.
  std::optional<double> drop_of_lack(const ContextScore& score) const;
};

/// Everything beside a verdict that is no rule.
struct VerdictContext {
  std::string missing;  ///< why predictors and inputs were not measured; empty: they were
  std::vector<WeighedQuality> qualities;
  InputQuality inputs;
  std::string shifts_missing;  ///< why distributions were not measured; empty: they were
  std::vector<PredictionShift> shifts;
  std::vector<PairedDecisions> paired;  ///< empty where nothing is decided once a case
};

}  // namespace mantissa::record
