// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/record/memory_trace.h"
#include "core/train/arm.h"
#include "core/train/window.h"

namespace mantissa::train {

/// Makes steps of an arm for nothing and writes down the memory of one of them.
///
/// The step that is traced is the first whose update is applied after another one was: gradients and optimizer state
/// are there when it begins, as in every later step. A loss scale that is too high at first takes a few steps more.
/// What the steps compute is what they would without a trace, to the bit. Memory of the device's allocator alone: what
/// lies outside it (context, workspaces of libraries) is not seen.
///
/// \param make_arm     called once, so that the memory of its model is seen
/// \param make_window  called once, likewise: the microbatches of every step
/// \throws Error OutOfMemory, ModelProblem  where the arm fails within the steps; subject is its name
record::StepTrace trace_step(const std::function<std::unique_ptr<Arm>()>& make_arm,
                             const std::function<Window()>& make_window);

}  // namespace mantissa::train
