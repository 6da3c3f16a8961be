// SPDX-License-Identifier: Apache-2.0
#include "core/train/prefetch.h"

#include <algorithm>
#include <utility>

namespace mantissa::train {

Prefetcher::Prefetcher(std::function<const Window*()> source, std::size_t ahead)
    : source_(std::move(source)), ahead_(std::max<std::size_t>(ahead, 1)), thread_([this] { fetch(); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::fetch() {
  std::exception_ptr error;
  try {
    fetch_until_done();
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  error_ = error;
  done_ = true;
  changed_.notify_all();
}

void Prefetcher::fetch_until_done() {
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || waiting_.size() < ahead_; });
      if (stop_) return;
    }
    const Window* const window = source_();
    if (window == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(*window);
    changed_.notify_all();
  }
}

const Window* Prefetcher::next() {
  // Its tensors are freed here and not under the lock.
  current_ = Window();
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return done_ || !waiting_.empty(); });
  if (waiting_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return nullptr;
  }
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  changed_.notify_all();
  return &current_;
}

}  // namespace mantissa::train
