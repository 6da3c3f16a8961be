// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/step_columns.h"

namespace mantissa::record {

/// Why an optimizer update was refused.
enum class SkipCause {
  None,
  Calibration,    ///< overflow before the first applied update: the scale finds its level
  GrowthProbe,    ///< overflow at the first attempt after the scale grew
  Overflow,       ///< any other non-finite gradient
  Input,          ///< the inputs were non-finite already
  Loss,           ///< the loss was non-finite while the inputs and weights were finite
  Weights,        ///< the weights were non-finite before the step
  Rule,           ///< refused by a rule of the experiment
  NoGradient,     ///< no parameter of the optimizer got a gradient
  ScaleTooSmall,  ///< finite before unscaling, non-finite after it
};

/// "calibration", "growth-probe", …; empty for None.
std::string_view to_text(SkipCause cause);

/// The reverse of `to_text`; nothing for an unknown word.
std::optional<SkipCause> skip_cause_from_text(std::string_view text);

namespace step_types {
using Count = std::int64_t;
using Flag = bool;
using Cause = SkipCause;
using Text = std::string;
using Real = std::optional<double>;
using OptionalCount = std::optional<std::int64_t>;
}  // namespace step_types

/// What one of several optimizers did in a step.
struct OptimizerStep {
#define MANTISSA_OPTIMIZER_MEMBER(name, type, description) step_types::type name{};
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_OPTIMIZER_MEMBER)
#undef MANTISSA_OPTIMIZER_MEMBER
};

/// One attempted step of one arm (the reference or a trial). Crosses threads by value.
struct StepRecord {
  std::int64_t trial = 0;  ///< the archive's id of the arm that made the step

#define MANTISSA_STEP_MEMBER(name, type, description) step_types::type name{};
  MANTISSA_STEP_COLUMNS(MANTISSA_STEP_MEMBER)
#undef MANTISSA_STEP_MEMBER

  std::vector<OptimizerStep> optimizers;  ///< by index; empty where the arm has one: the columns above say it all
};

}  // namespace mantissa::record
