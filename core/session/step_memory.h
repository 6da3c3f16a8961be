// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/memory_trace.h"
#include "core/session/run_control.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// How large a step is.
struct StepSize {
  std::int64_t microbatch = 1;    ///< samples of one forward and backward
  std::int64_t accumulation = 1;  ///< microbatches of the step
};

/// What a step took that nobody watched: the median of a few.
struct StepSeconds {
  StepSize size;
  double seconds = 0.0;
};

/// The memory of one training step of one arm, at every size that it was traced at.
struct ArmMemory {
  std::string name;      ///< "reference", or a trial's
  std::string autocast;  ///< "off", "float16", "bfloat16"
  std::vector<record::StepTrace> traces;
  std::vector<StepSeconds> times;  ///< where they were asked for: of the same sizes
  std::string failure;  ///< why its steps failed, as a sentence; nothing further was traced. Empty: it did not
};

/// The sizes that say most about steps of about this microbatch: half of it, itself and twice as much, once, and
/// accumulated twice and three times. None is below 2: a batch norm cannot train on one sample.
std::vector<StepSize> sizes_around(std::int64_t microbatch);

/// What is to be found out of each arm.
struct MemoryQuestion {
  std::vector<StepSize> sizes;  ///< of the traced steps; none: those around the experiment's own batch
  bool with_times = false;      ///< times them, too, without a trace
};

struct TracedMemory {
  StepSize planned;          ///< what the experiment itself trains with
  std::int64_t updates = 0;  ///< it plans to make, if no step is skipped
  std::vector<StepSize> sizes;
  std::vector<ArmMemory> arms;  ///< the reference first
};

/// Prepares the experiment as `run` does and traces a step of the reference and of every trial at these sizes, whatever
/// its own training.batch and training.accumulate are. Rows of the data are taken again where there are too few.
/// Nothing is stored.
///
/// LBFGS counts with a full history: it is what a long run holds.
///
/// On a CPU: what is traced is the memory of the CPU's allocator. Takes a few steps of every arm at every size.
/// A request to stop ends it after the trace that is under way, with what it has by then.
/// \throws Error as `run` does before its first step; InvalidSetting for a size below 1
TracedMemory trace_memory(const spec::Experiment& experiment, const MemoryQuestion& question, const StopToken& stop);

/// An experiment's steps, and those of the same with the other activation checkpointing.
struct BothTraces {
  TracedMemory asked;
  std::optional<TracedMemory> other;  ///< nothing: its model cannot take it, or there was a request to stop
};

/// As `trace_memory`, both ways; data and model are prepared once. \param tell  hears which way comes next; may be
/// empty
BothTraces trace_memory_both_ways(const spec::Experiment& experiment, const MemoryQuestion& question,
                                  const StopToken& stop, const std::function<void(bool is_other)>& tell = {});

}  // namespace mantissa::session
