// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/record/judgement.h"
#include "core/record/trial.h"

namespace mantissa::record {

/// One number or text of a state. A flag is the integer 0 or 1.
using StateValue = std::variant<std::int64_t, double, std::string>;

/// Everything that an arm needs to go on as if it had never stopped, as bytes and numbers under dotted names:
/// "model.fc1.weight", "optimizer.0.exp_avg.fc1.weight", "scaler.scale" (core/train/checkpoint.h lists them).
struct ArmState {
  std::vector<TensorBytes> tensors;
  std::map<std::string, StateValue> values;
};

/// Which of two qualities is the better one.
enum class Direction { Higher, Lower };
std::string_view to_text(Direction direction);
std::optional<Direction> direction_from_text(std::string_view text);

/// The quality of an arm on the frozen cases at one moment of the training.
struct Evaluation {
  std::int64_t trial = 0;
  std::int64_t step = 0;  ///< attempted steps of the run
  std::string metric;     ///< accuracy, rmse, …
  Direction direction = Direction::Higher;
  std::optional<double> value;  ///< NaN and infinities are values, and never the best ones; nothing: not measured
};

/// The state of one arm at one step.
struct Checkpoint {
  std::int64_t trial = 0;
  ArmState state;
};

/// All arms of a run at one step: stored together or not at all.
struct CheckpointSet {
  std::int64_t step = 0;  ///< attempted steps of the run
  std::int64_t keep = 0;  ///< how many sets stay in the archive; 0: all
  std::vector<Checkpoint> arms;
};

/// A checkpoint as the archive lists it.
struct CheckpointRow {
  std::int64_t trial = 0;
  std::int64_t step = 0;
  std::string created_at;  ///< ISO 8601, UTC
  std::int64_t bytes = 0;  ///< of its tensors
  std::optional<Evaluation> evaluation;
  bool best = false;  ///< the arm's best quality among its checkpoints; of equals the earliest
  std::string sha256;
};

/// One `resume`.
struct Resumption {
  std::int64_t step = 0;  ///< where it went on: attempted steps done
  std::string resumed_at;
  std::string overrides;  ///< JSON list of all --set since the first run
};

/// What an archive holds of an arm's way besides its steps.
struct History {
  std::vector<CheckpointRow> checkpoints;  ///< by step
  std::vector<Evaluation> evaluations;     ///< by step
  std::vector<Resumption> resumptions;     ///< oldest first
  std::vector<Judgement> judgements;       ///< by other rules than those of the run, oldest first
};

}  // namespace mantissa::record
