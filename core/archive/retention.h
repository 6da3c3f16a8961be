// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/record/checkpoint.h"

namespace mantissa::archive {

/// What decides whether a set of checkpoints stays.
struct SetQuality {
  std::int64_t step = 0;
  bool not_a_number = false;  ///< the quality of one of its arms is NaN
  bool best = false;          ///< it holds the best checkpoint of one of its arms
};

/// The steps of the sets to remove so that `keep` are left (0: all stay): those with NaN first, then the oldest; never
/// the best of an arm, and never the newest, from which the run would go on. \param sets  by step.
std::vector<std::int64_t> sets_to_remove(const std::vector<SetQuality>& sets, std::int64_t keep);

/// The step with the best finite value, the earliest of equals; nothing where no value is finite. \param evaluations of
/// one arm, by step.
std::optional<std::int64_t> best_step(const std::vector<record::Evaluation>& evaluations);

}  // namespace mantissa::archive
