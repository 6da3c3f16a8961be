// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/record/memory_trace.h"
#include "core/train/arm.h"
#include "core/train/window.h"

namespace mantissa::train {

/// One attempted step of one arm without a run around it: for measuring what a step takes.
/// \param on_part  told of every part that begins; empty: nobody listens
/// \return whether an update was applied
/// \throws Error OutOfMemory, ModelProblem  where the arm fails; subject is its name
bool lone_step(Arm& arm, const Window& window, const std::function<void(record::StepPart)>& on_part = {});

}  // namespace mantissa::train
