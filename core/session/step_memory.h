// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/memory_trace.h"
#include "core/session/run_control.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The memory of one training step of one arm, at every microbatch that it was traced at.
struct ArmMemory {
  std::string name;      ///< "reference", or a trial's
  std::string autocast;  ///< "off", "float16", "bfloat16"
  std::vector<record::StepTrace> traces;
  std::string failure;  ///< why its steps failed, as a sentence, and there are no further traces; empty: they did not
};

/// Prepares the experiment as `run` does and traces a step of the reference and of every trial at these microbatches;
/// training.accumulate stays. Rows of the data are taken again where there are too few. Nothing is stored.
///
/// On a CPU: what is traced is the memory of the CPU's allocator. Takes a few steps of every arm at every microbatch.
/// A request to stop ends it after the trace that is under way, with what it has by then.
/// \param microbatches  each at least 1
/// \throws Error as `run` does before its first step; InvalidSetting for a microbatch below 1
std::vector<ArmMemory> trace_memory(const spec::Experiment& experiment, const std::vector<std::int64_t>& microbatches,
                                    const StopToken& stop);

}  // namespace mantissa::session
