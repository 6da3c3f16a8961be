// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::memory {

/// The reserve is counted in parts of this whole: exact for every share with up to nine decimals.
inline constexpr std::int64_t kWholeReserve = 1'000'000'000;

/// A table of more lines helps nobody.
inline constexpr std::int64_t kMostBlocks = 100'000;

/// What is held whatever the microbatch: parameters, gradients, optimizer moments, master copies, buffers, or one sum.
struct Category {
  std::string name;
  std::int64_t bytes = 0;
};

/// What a ledger is made of. All sizes are whole bytes; see size_text.h for how typed sizes become such.
struct LedgerInput {
  std::vector<Category> fixed;
  std::int64_t per_sample_bytes = 0;  ///< activations of one sample, at least 1
  std::int64_t capacity_bytes = 0;    ///< of the device, at least 1
  std::int64_t reserve_parts = 0;     ///< of the capacity, from 0 to below kWholeReserve
  std::int64_t microbatch = 1;        ///< samples of one forward and backward
  std::int64_t accumulation = 1;      ///< microbatches of one optimizer step; needs no memory of its own
  std::int64_t blocks = 1;            ///< equal parts of the model, from its input; 1 to kMostBlocks
};

/// The state after the forward of one block: the fixed state and the activations of all blocks so far.
struct BlockLine {
  std::int64_t block = 0;              ///< from 1
  std::int64_t activations_bytes = 0;  ///< cumulative
  std::int64_t total_bytes = 0;        ///< with the fixed state
  std::int64_t exceeds_bytes = 0;      ///< above what is usable; 0: resident
};

/// The largest value of one field that fits, all others as they are (of the capacity: the smallest). Nothing where no
/// value of that field fits.
///
/// Accumulation and blocks have none: neither changes what a step needs.
struct Limits {
  std::optional<std::int64_t> microbatch;
  std::optional<std::int64_t> per_sample_bytes;
  std::optional<std::int64_t> fixed_bytes;
  std::optional<std::int64_t> reserve_parts;
  std::optional<std::int64_t> capacity_bytes;
};

struct Ledger {
  LedgerInput input;
  std::int64_t fixed_bytes = 0;
  std::int64_t activations_bytes = 0;  ///< per_sample_bytes * microbatch
  std::int64_t total_bytes = 0;        ///< fixed_bytes + activations_bytes
  std::int64_t reserve_bytes = 0;      ///< rounded up: a reserve is never less than what was asked for
  std::int64_t usable_bytes = 0;       ///< capacity_bytes - reserve_bytes
  std::int64_t headroom_bytes = 0;     ///< usable_bytes - total_bytes; negative: over by so much
  std::int64_t effective_batch = 0;    ///< microbatch * accumulation
  std::int64_t resident_blocks = 0;    ///< the first so many blocks fit
  std::vector<BlockLine> blocks;
  Limits limits;

  bool fits() const { return headroom_bytes >= 0; }
  bool fits_at_any_microbatch() const { return limits.microbatch.has_value(); }
};

/// What stays free of a device: capacity_bytes * reserve_parts / kWholeReserve, rounded up.
/// \throws Error InvalidSetting  for a capacity below 1 (`device`) and parts out of range (`reserve`)
std::int64_t reserve_of(std::int64_t capacity_bytes, std::int64_t reserve_parts);

/// The ledger of one training step, in exact integers. A block's share that is no whole number of bytes is rounded up,
/// so that no line promises a byte that is not there; the last line is exact.
///
/// What does not fit is an answer, not an error.
/// \throws Error InvalidSetting  for a value outside its range and for sums beyond 64 bits. Its subject is the field:
///         `fixed`, `per-sample`, `device`, `reserve`, `microbatch`, `accumulation`, `blocks`, or a category's name.
Ledger ledger_of(const LedgerInput& input);

}  // namespace mantissa::memory
