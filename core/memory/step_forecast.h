// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/record/memory_comparison.h"
#include "core/record/memory_trace.h"

namespace mantissa::memory {

using record::CategoryBytes;

/// What a step holds where it holds most.
struct StepPeak {
  std::int64_t bytes = 0;       ///< live at most, as asked for
  std::int64_t event = -1;      ///< the first event with as much, counted from 0; -1: an empty trace
  CategoryBytes by_category{};  ///< their sum is `bytes`
};

/// The peak of a trace. O(events).
StepPeak peak_of(const record::StepTrace& trace);

/// Makes a step hold more from its beginning on: `times` blocks of each category's bytes, as an allocator would see
/// them, but in no more than 512 pieces of a kind. Products must stay within 64 bits.
void hold_more(record::StepTrace& trace, const CategoryBytes& of_one, std::int64_t times);

/// The memory of a step at microbatches that were never traced, from traces at others.
///
/// One step calls the same operators at every microbatch, so event by event its allocations are the same ones, each of
/// a size that is linear in the number of samples. Traces that agree in their events are therefore joined event by
/// event: between and beyond the traced microbatches every block is interpolated from the two nearest ones, and the
/// peak is that of the joined trace, wherever it falls. Operators that take another way at another size (a kernel for a
/// single row, a padded block) break the agreement; see `is_joined`.
class StepForecast {
 public:
  /// \param traces  at two or more different microbatches, of one step under one policy, with equal accumulation
  /// \throws Error InvalidSetting  for fewer than two different microbatches, or another accumulation
  explicit StepForecast(std::vector<record::StepTrace> traces);

  /// Whether two traces at least agree event by event.
  bool is_joined() const { return joined_.size() >= 2; }

  /// Of the longest trace.
  std::size_t events() const;

  /// The microbatches that are joined, in rising order.
  std::vector<std::int64_t> microbatches() const;

  /// The step at this microbatch. Of traces that are not joined it is the one at the nearest microbatch, all that is
  /// neither a parameter nor its gradient, buffer or state scaled by the samples.
  /// \throws Error InvalidSetting  for a microbatch below 1, or sizes beyond 64 bits
  record::StepTrace at(std::int64_t microbatch) const;

 private:
  std::vector<record::StepTrace> traces_;  // by microbatch
  std::vector<std::size_t> joined_;        // places in traces_
};

}  // namespace mantissa::memory
