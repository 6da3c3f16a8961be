// SPDX-License-Identifier: Apache-2.0
#include "core/archive/late_writers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/archive/writer_thread.h"

namespace mantissa::archive {
namespace {

constexpr std::chrono::seconds kBetweenTries{1};

struct LateWriter {
  std::unique_ptr<WriterThread> writer;
  std::function<void(WriterThread&)> finish;
};

class LateWriters {
 public:
  LateWriters() = default;
  LateWriters(const LateWriters&) = delete;
  LateWriters& operator=(const LateWriters&) = delete;

  ~LateWriters() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void add(LateWriter writer) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      new_.push_back(std::move(writer));
      ++waiting_;
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_one();
  }

  std::size_t waiting() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiting_;
  }

 private:
  void work() {
    std::vector<LateWriter> writers;  // the thread's own: a try may take long
    for (bool ends = false; !ends;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto is_awake = [this] { return ends_ || !new_.empty(); };
        if (writers.empty()) {
          changed_.wait(lock, is_awake);
        } else {
          changed_.wait_for(lock, kBetweenTries, is_awake);
        }
        for (LateWriter& writer : new_) writers.push_back(std::move(writer));
        new_.clear();
        ends = ends_;
      }
      writers.erase(std::remove_if(writers.begin(), writers.end(), is_over), writers.end());
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_ = writers.size() + new_.size();
    }
  }

  static bool is_over(const LateWriter& late) {
    try {
      late.finish(*late.writer);
      return true;
    } catch (...) {
      return !late.writer->has_hope();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::vector<LateWriter> new_;
  std::size_t waiting_ = 0;
  bool ends_ = false;

  std::thread thread_;  // begun by `add`, whose calls come from one thread at a time
};

LateWriters& late_writers() {
  static LateWriters writers;
  return writers;
}

}  // namespace

void finish_later(std::unique_ptr<WriterThread> writer, std::function<void(WriterThread&)> finish) {
  late_writers().add({std::move(writer), std::move(finish)});
}

std::size_t writers_that_wait() { return late_writers().waiting(); }

}  // namespace mantissa::archive
