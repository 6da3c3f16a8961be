// SPDX-License-Identifier: Apache-2.0
#include "core/train/lone_step.h"

#include <vector>

#include "core/base/error.h"
#include "core/train/stages.h"

namespace mantissa::train {

bool lone_step(Arm& arm, const Window& window, const std::function<void(record::StepPart)>& on_part) {
  Attempt attempt;
  attempt.on_part = on_part;
  const std::int64_t applied = arm.tally.counts.applied;
  for (const std::vector<Stage>* const stages : {&gradient_stages(), &update_stages()}) {
    run_stages(*stages, arm, window, attempt, {});
    if (!arm.failure) continue;
    const bool memory = arm.failure->reason == "memory";
    throw Error(memory ? ErrorKind::OutOfMemory : ErrorKind::ModelProblem,
                {arm.failure->text, "", 0, 0, arm.name, "", "", ""});
  }
  return arm.tally.counts.applied > applied;
}

}  // namespace mantissa::train
