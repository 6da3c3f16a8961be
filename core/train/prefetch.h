// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "core/train/window.h"

namespace mantissa::train {

/// Takes windows from a source on a thread of its own, a few ahead of the one who asks for them, in the source's order.
///
/// The thread starts with the object and is joined with it, whatever it was doing. What the source throws is thrown by
/// the call of next() that would have returned that window, and by every later one. next() is called from one thread;
/// the source runs on the other one alone, so it must not share anything with the caller.
class Prefetcher {
 public:
  /// \param source  the next window, or nothing after the last; called until then or until it throws.
  /// \param ahead  windows that may wait, at least 1.
  Prefetcher(std::function<const Window*()> source, std::size_t ahead);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Waits for the next window. Its tensors stay valid until the call after. Nothing after the last one.
  const Window* next();

 private:
  void fetch();
  void fetch_until_done();

  const std::function<const Window*()> source_;
  const std::size_t ahead_;
  Window current_;  // the caller's

  std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  std::deque<Window> waiting_;
  bool done_ = false;  // the source has no more, or has thrown
  bool stop_ = false;
  std::exception_ptr error_;

  std::thread thread_;  // last: it uses all the others
};

}  // namespace mantissa::train
