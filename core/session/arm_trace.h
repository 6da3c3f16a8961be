// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/record/memory_trace.h"
#include "core/session/prepared.h"
#include "core/session/step_memory.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"
#include "core/train/window.h"

namespace mantissa::session {

/// Rows from the beginning of the data, from the beginning again where there are too few, in tensors of their own.
train::Window window_of(const Prepared& prepared, const StepSize& size);

/// The memory of one step of an arm at this size (train::trace_step). LBFGS counts with a full history, which is what a
/// long run holds. The process's random stream is left as it was.
///
/// \param goes_on  asked between the steps that it takes: false gives it up. Empty: it goes on
/// \return nothing where `goes_on` said no
/// \throws Error OutOfMemory, ModelProblem  where the arm fails; subject is its name
std::optional<record::StepTrace> trace_arm_step(const Prepared& prepared, const spec::Trial* trial,
                                                const StepSize& size, const std::function<bool()>& goes_on = {});

/// Whether what the arm's optimizers remember of steps is all that they are going to: LBFGS fills a history.
bool history_is_full(const spec::Experiment& experiment, const train::Arm& arm);

}  // namespace mantissa::session
