// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/caching_allocator.h"
#include "core/memory/replay.h"
#include "core/memory/step_forecast.h"
#include "core/record/memory_trace.h"

namespace mantissa::memory {

/// The device that a step must fit into.
struct Device {
  std::int64_t capacity_bytes = 0;
  std::int64_t reserve_parts = 0;  ///< of kWholeReserve
  /// What the process takes beside PyTorch's allocator: the context, workspaces of libraries, kernels. Nothing: nobody
  /// said, and a ledger without it promises too much.
  std::optional<std::int64_t> outside_bytes;
  AllocatorSettings allocator;  ///< its capacity is set here
};

/// Saved activations of one module.
struct ModuleBytes {
  std::string module;  ///< its path; empty: outside of every module
  std::int64_t bytes = 0;
};

/// What a step takes whatever the device is. All in bytes.
struct StepUse {
  std::int64_t microbatch = 0;
  std::int64_t accumulation = 0;
  StepPeak peak;                       ///< live memory, as asked for
  record::StepPart peak_part{};        ///< what the step was at
  std::string peak_module;             ///< where the allocation that made the peak came from
  std::vector<ModuleBytes> by_module;  ///< saved activations live at the peak, in the order of forward
  Replay replay;                       ///< by PyTorch's caching allocator on an empty device without an end
};

/// \param settings  of the allocator; its capacity is not looked at
/// \throws Error InvalidSetting  as `replay`
StepUse step_use_of(const record::StepTrace& trace, const AllocatorSettings& settings = {});

/// What a step needs of a device, from its trace. All in bytes.
struct ModelLedger : StepUse {
  std::optional<std::int64_t> outside_bytes;
  std::int64_t needed_bytes = 0;    ///< what the allocator reserves, and what is outside of it where that is known
  std::int64_t reserve_bytes = 0;   ///< of the device, rounded up
  std::int64_t usable_bytes = 0;    ///< capacity less reserve
  std::int64_t headroom_bytes = 0;  ///< usable less needed; below 0: over by so much
  bool fits = false;
  /// It fits because the allocator gives back cached segments when the device is full, which costs time each step.
  bool fits_by_release = false;

  /// Whether what is live, rounded to blocks, would fit if nothing were lost between segments.
  bool could_fit() const { return replay.peak.allocated + outside_bytes.value_or(0) <= usable_bytes; }
};

/// \throws Error InvalidSetting  for a capacity below 1, a reserve out of range, negative bytes outside, and as
/// `replay`
ModelLedger model_ledger_of(const record::StepTrace& trace, const Device& device);

/// The same of a step that was looked at before, under the same settings of the allocator: another device costs
/// nothing where the step fits without giving cached memory back, or cannot fit at all.
/// \param replay_within  replays the step's trace under other settings; asked where it has to be seen within the device
ModelLedger model_ledger_of(StepUse use, const Device& device,
                            const std::function<Replay(const AllocatorSettings&)>& replay_within);

}  // namespace mantissa::memory
