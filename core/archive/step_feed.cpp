// SPDX-License-Identifier: Apache-2.0
#include "core/archive/step_feed.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

namespace mantissa::archive {

/// What one subscription has not taken yet. Guarded by the mutex of all subscribers.
struct StepFeed::Subscription::Waiting {
  explicit Waiting(std::size_t most) : capacity(most) {}

  /// \param let_go  receives what has no room, to be freed without the mutex.
  void add(const StepChunk& chunk, std::vector<StepChunk>& let_go) {
    chunks.push_back(chunk);
    records += chunk->size();
    while (records > capacity && chunks.size() > 1) {  // a chunk larger than the capacity stays alone
      let_go.push_back(chunks.front());
      records -= chunks.front()->size();
      missed += static_cast<std::int64_t>(chunks.front()->size());
      chunks.pop_front();
    }
  }

  /// Missed is what lies before the first chunk: what was kept so far is missed, too.
  void miss(std::size_t count) {
    missed += static_cast<std::int64_t>(records + count);
    chunks.clear();
    records = 0;
  }

  const std::size_t capacity;
  std::deque<StepChunk> chunks;
  std::size_t records = 0;  // in the chunks
  std::int64_t missed = 0;
};

struct StepFeed::Subscription::Subscribers {
  std::mutex mutex;  // held for the moving of pointers only
  std::vector<std::shared_ptr<Waiting>> all;
  std::atomic<std::size_t> count{0};  // of `all`, for the writer's look without the mutex
};

StepFeed::Subscription::Subscription(const StepFeed& feed, std::size_t capacity)
    : subscribers_(feed.subscribers_), waiting_(std::make_shared<Waiting>(capacity)) {
  const std::lock_guard<std::mutex> lock(subscribers_->mutex);
  subscribers_->all.push_back(waiting_);
  subscribers_->count.store(subscribers_->all.size(), std::memory_order_relaxed);
}

StepFeed::Subscription::~Subscription() {
  // The records themselves are let go with `waiting_`, when the mutex is free again.
  const std::lock_guard<std::mutex> lock(subscribers_->mutex);
  auto& all = subscribers_->all;
  all.erase(std::remove(all.begin(), all.end(), waiting_), all.end());
  subscribers_->count.store(all.size(), std::memory_order_relaxed);
}

StepFeed::Subscription::Taken StepFeed::Subscription::take() {
  std::deque<StepChunk> chunks;
  Taken taken;
  {
    const std::lock_guard<std::mutex> lock(subscribers_->mutex);
    chunks.swap(waiting_->chunks);
    waiting_->records = 0;
    taken.missed = std::exchange(waiting_->missed, 0);
  }
  taken.chunks.assign(std::make_move_iterator(chunks.begin()), std::make_move_iterator(chunks.end()));
  return taken;
}

StepFeed::StepFeed() : subscribers_(std::make_shared<Subscription::Subscribers>()) {}
StepFeed::~StepFeed() = default;

bool StepFeed::has_subscribers() const noexcept { return subscribers_->count.load(std::memory_order_relaxed) > 0; }

void StepFeed::publish(const record::StepRecord* records, std::size_t count) noexcept {
  if (count == 0 || !has_subscribers()) return;
  std::vector<StepChunk> let_go;
  std::size_t served = 0;
  try {
    const auto chunk = std::make_shared<const std::vector<record::StepRecord>>(records, records + count);
    const std::lock_guard<std::mutex> lock(subscribers_->mutex);
    for (const auto& waiting : subscribers_->all) {
      waiting->add(chunk, let_go);
      ++served;
    }
  } catch (const std::bad_alloc&) {
    const std::lock_guard<std::mutex> lock(subscribers_->mutex);
    for (std::size_t i = served; i < subscribers_->all.size(); ++i) subscribers_->all[i]->miss(count);
  }
}

}  // namespace mantissa::archive
