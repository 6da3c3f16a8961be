// SPDX-License-Identifier: Apache-2.0
#include "core/archive/retention.h"

#include <cmath>

namespace mantissa::archive {

std::vector<std::int64_t> sets_to_remove(const std::vector<SetQuality>& sets, std::int64_t keep) {
  std::vector<std::int64_t> removed;
  if (keep <= 0) return removed;
  auto left = static_cast<std::int64_t>(sets.size());
  for (const bool not_a_number : {true, false}) {
    for (std::size_t i = 0; i + 1 < sets.size() && left > keep; ++i) {
      if (sets[i].best || sets[i].not_a_number != not_a_number) continue;
      removed.push_back(sets[i].step);
      --left;
    }
  }
  return removed;
}

std::optional<std::int64_t> best_step(const std::vector<record::Evaluation>& evaluations) {
  const record::Evaluation* best = nullptr;
  for (const record::Evaluation& evaluation : evaluations) {
    if (!evaluation.value || !std::isfinite(*evaluation.value)) continue;
    const bool higher = evaluation.direction == record::Direction::Higher;
    if (best == nullptr || (higher ? *evaluation.value > *best->value : *evaluation.value < *best->value)) {
      best = &evaluation;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->step;
}

}  // namespace mantissa::archive
