// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/record/memory_trace.h"

namespace mantissa::record {

/// Bytes by category, in the order of MemoryCategory.
using CategoryBytes = std::array<std::int64_t, kMemoryCategories>;

/// What a step of an arm holds where it holds most, its inputs left out: they belong to the data, of which a run has
/// one copy for all arms.
struct MemoryPeak {
  std::int64_t bytes = 0;       ///< the sum of the categories
  CategoryBytes by_category{};  ///< that of Inputs is 0
};

/// What a step of an arm was expected to hold, before the run, beside what its steps held in it.
///
/// `predicted` comes from steps that were traced at other microbatches than the run's own; `measured` from one step of
/// the run itself, traced while it was trained, and `peak_bytes` from all of its steps, untraced ones included. On a
/// CPU they are bytes of live tensors, on a GPU what PyTorch's allocator was asked for.
struct MemoryComparison {
  std::int64_t microbatch = 0;    ///< samples of a full one
  std::int64_t accumulation = 0;  ///< microbatches of a full step

  std::optional<MemoryPeak> predicted;
  std::string predicted_from;  ///< the traced microbatches: "32, 48"; empty where nothing is predicted

  std::optional<MemoryPeak> measured;  ///< of the traced step
  std::int64_t measured_step = 0;      ///< its number, from 1; 0: none was traced
  /// The most that any step held which found its optimizers' state there; nothing where there was none.
  std::optional<std::int64_t> peak_bytes;

  std::string missing;  ///< why one of them is not there, as sentences; empty where nothing is missing

  /// predicted->bytes / *peak_bytes - 1: above 0 where more was expected than was held. Nothing where one is missing.
  std::optional<double> error() const;

  /// The same of one category of the traced step; nothing, too, where the step held none of it.
  std::optional<double> error(MemoryCategory category) const;
};

/// The two peaks of one arm: a point of the calibration.
struct MemoryPair {
  std::int64_t trial = 0;  ///< the archive's id
  std::string experiment;
  std::string name;
  std::string autocast;  ///< "off", "float16", "bfloat16"
  std::string device;    ///< "cpu", "cuda"
  std::int64_t predicted_bytes = 0;
  std::int64_t measured_bytes = 0;  ///< MemoryComparison::peak_bytes
};

}  // namespace mantissa::record
