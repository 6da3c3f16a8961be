// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/record/step_record.h"

namespace mantissa::archive {

/// Records that were published together, in the order in which the engine made them; arms of a run stand mixed. Shared
/// by all who listen, and never changed.
using StepChunk = std::shared_ptr<const std::vector<record::StepRecord>>;

/// Hands the step records of a run to readers in the same process while the archive is written.
///
/// The writer's thread publishes what it takes out of its ring about every 30 ms, before and apart from the commits:
/// a reader may see a record a moment before the archive has it, and sees it once. Without a subscription nothing is
/// copied and nothing kept. A reader never makes the writer wait: where it does not take what is new, its oldest
/// records are let go (and counted), and the archive has them all.
///
/// A feed serves one writer at a time and may outlive it. Everything here may be called from any thread, `publish`
/// from one at a time.
class StepFeed {
 public:
  /// Records that a subscription keeps for a reader that is late: ten seconds of a very fast run, about 90 MB.
  static constexpr std::size_t kCapacity = 131072;

  /// Keeps what is published from now on until it is taken. Used by one thread at a time; may outlive its feed.
  class Subscription {
   public:
    explicit Subscription(const StepFeed& feed, std::size_t capacity = kCapacity);

    struct Taken {
      std::vector<StepChunk> chunks;  ///< oldest first
      std::int64_t missed = 0;        ///< records let go before the first of them; read them from the archive
    };

    ~Subscription();  ///< what was not taken is let go
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// What is new since the last call. Waits for nothing.
    Taken take();

   private:
    friend class StepFeed;
    struct Waiting;
    struct Subscribers;

    std::shared_ptr<Subscribers> subscribers_;
    std::shared_ptr<Waiting> waiting_;
  };

  StepFeed();
  ~StepFeed();
  StepFeed(const StepFeed&) = delete;
  StepFeed& operator=(const StepFeed&) = delete;

  bool has_subscribers() const noexcept;

  /// By the writer's thread. Where there is no memory for a copy, its records count as missed.
  void publish(const record::StepRecord* records, std::size_t count) noexcept;

 private:
  std::shared_ptr<Subscription::Subscribers> subscribers_;
};

}  // namespace mantissa::archive
