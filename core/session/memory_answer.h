// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/record/trial.h"
#include "core/session/memory_there.h"
#include "core/session/run_memory.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// What is kept free of the memory that was there where the experiment's budget.reserve says nothing: the arithmetic
/// counts the arms' tensors, and a run has records, cases and checkpoints besides.
inline constexpr double kUsualReserve = 0.10;

/// What a run may take: measured before its first step, when its arms have been made.
struct RunMemoryLimit {
  std::optional<MemoryThere> there;  ///< beside what the arms already hold; nothing: nobody knows
  std::int64_t held_bytes = 0;       ///< by all arms: their weights and buffers
};

/// The way out for a run of which an arm ran out of memory: the largest microbatch that fits, and the microbatches and
/// accumulations that keep the samples of an update.
///
/// A run computes one arm's part of a step after another, so what it needs is the peak of one arm and, of each other,
/// what it holds while it waits between gradients and update; all of it is worked out from the steps that were traced
/// before the run. It must fit into what was there. Where the experiment names budget.device_memory, the step of the
/// failed arm alone must fit there, too, as `mantissa-cli ledger` counts it.
///
/// On a CPU malloc loses some of it in holes: eight times the largest block that it takes from its heap is kept for
/// that. Traces at one microbatch a step know nothing of the gradients that further ones find: those are added whole,
/// so such a plan may need less than is said. Nothing is traced here: the process has just run out of memory.
///
/// \param memory  null, or without a forecast of the arm: the answer is the command that finds one
/// \param place   of the arm: 0 the reference, then the trials
record::MemoryAnswer answer_out_of_memory(const spec::Experiment& asked, const RunMemory* memory, std::size_t place,
                                          const StepSize& step, const RunMemoryLimit& limit);

}  // namespace mantissa::session
