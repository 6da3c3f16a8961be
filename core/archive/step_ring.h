// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/record/step_record.h"

namespace mantissa::archive {

/// A bounded queue between one thread that pushes and one that pops. Neither takes a lock, and its slots are made once:
/// the engine's thread allocates nothing. Loses nothing: a push into a full ring says so, and the caller waits.
class StepRing {
 public:
  explicit StepRing(std::size_t capacity) : slots_(capacity) {}

  /// By the pushing thread. False, and nothing taken, where the ring is full.
  bool try_push(const record::StepRecord& step) {
    const std::size_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - popped_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[pushed % slots_.size()] = step;
    pushed_.store(pushed + 1, std::memory_order_release);
    return true;
  }

  /// By the popping thread: moves up to `most` records to the end of `into`, oldest first.
  std::size_t pop(std::vector<record::StepRecord>& into, std::size_t most) {
    const std::size_t popped = popped_.load(std::memory_order_relaxed);
    std::size_t count = pushed_.load(std::memory_order_acquire) - popped;
    if (count > most) count = most;
    for (std::size_t i = 0; i < count; ++i) into.push_back(std::move(slots_[(popped + i) % slots_.size()]));
    popped_.store(popped + count, std::memory_order_release);
    return count;
  }

  /// Exact for a thread that is alone at the moment, a bound otherwise.
  std::size_t size() const {
    const std::size_t popped = popped_.load(std::memory_order_acquire);
    return pushed_.load(std::memory_order_acquire) - popped;
  }

  std::size_t capacity() const { return slots_.size(); }

 private:
  std::vector<record::StepRecord> slots_;
  // On cache lines of their own: each is written by one thread and read by the other.
  alignas(64) std::atomic<std::size_t> pushed_{0};
  alignas(64) std::atomic<std::size_t> popped_{0};
};

}  // namespace mantissa::archive
