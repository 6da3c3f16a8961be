// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::record {

/// What a training step is at. The order is that of one step.
enum class StepPart : std::uint8_t { BeforeForward, Forward, Backward, Unscale, FiniteCheck, Clip, Update };

/// What memory is for.
enum class MemoryCategory : std::uint8_t {
  Parameters,        ///< FP32 under autocast, which shrinks none of them
  Buffers,           ///< the model's: running statistics, masks
  OptimizerState,    ///< moments, master copies
  Gradients,         ///< of parameters
  Inputs,            ///< the microbatches of the step, targets included
  SavedActivations,  ///< made in forward and there when it ends: what backward needs, and the outputs; of a block that
                     ///< backward computes again, what is there when it has been
  CastCopies,        ///< parameters in the dtype of autocast, as its cache or a saved activation holds them
  Temporaries,       ///< everything else
};
inline constexpr std::size_t kMemoryCategories = 8;

/// "parameters", "saved_activations", …: the words of archive and exports.
std::string_view to_text(MemoryCategory category);
std::optional<MemoryCategory> memory_category_from_text(std::string_view text);

/// One call of an allocator. Blocks are numbered from 0 in the order of their allocations and never again.
struct MemoryEvent {
  enum class Kind : std::uint8_t { Allocate, Free };

  Kind kind = Kind::Allocate;
  StepPart part = StepPart::BeforeForward;  ///< of the step that the call belongs to
  std::int64_t block = 0;
  std::int64_t bytes = 0;  ///< as asked for, before any rounding; of a Free: 0
};

/// What was asked of an allocator, in order. Memory from before the first event stands at its beginning as
/// allocations.
using MemoryTrace = std::vector<MemoryEvent>;

/// One block of a trace.
struct MemoryBlock {
  MemoryCategory category = MemoryCategory::Temporaries;
  std::int32_t module = 0;  ///< where it was allocated: an index into StepTrace::modules
};

/// The memory of one training step that is not the first: gradients of the one before are there when it begins, and
/// optimizers have their state.
struct StepTrace {
  std::int64_t microbatch = 0;    ///< samples
  std::int64_t microbatches = 0;  ///< of the step
  bool has_update = false;        ///< false: every step that was tried was skipped, so the update is missing
  std::size_t held = 0;           ///< the first so many events allocate what is there before the step
  MemoryTrace events;
  std::vector<MemoryBlock> blocks;   ///< by their numbers
  std::vector<std::string> modules;  ///< paths; the first is empty: the model's root, and outside of it
};

}  // namespace mantissa::record
