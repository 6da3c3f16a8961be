// SPDX-License-Identifier: Apache-2.0
#include "core/archive/writer_thread.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/archive/clock.h"
#include "core/archive/trial_rows.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

// Other processes wait while a transaction is open: end it after this time, well below 50 ms, whatever is left.
constexpr std::chrono::milliseconds kTransactionTime{25};
constexpr std::size_t kTransactionRecords = 4096;
constexpr std::size_t kRecordsBetweenClocks = 64;
constexpr std::chrono::seconds kHeartbeatInterval{1};
constexpr std::chrono::milliseconds kRetryPause{5};
constexpr std::chrono::milliseconds kFeedInterval{30};  // a frame of a window
constexpr std::chrono::milliseconds kTellInterval{500};
constexpr std::chrono::seconds kLongWrite{1};

/// Says when a write began, until it has ended.
class WriteClock {
 public:
  using Clock = std::chrono::steady_clock;
  explicit WriteClock(std::atomic<Clock::rep>& since) : since_(since) {
    since_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  ~WriteClock() { since_.store(0, std::memory_order_relaxed); }
  WriteClock(const WriteClock&) = delete;
  WriteClock& operator=(const WriteClock&) = delete;

 private:
  std::atomic<Clock::rep>& since_;
};

}  // namespace

WriterThread::WriterThread(std::unique_ptr<Connection> connection, const WriterOptions& options)
    : options_(options),
      connection_(std::move(connection)),
      insert_(*connection_),
      ownership_(*connection_),
      file_watch_(*connection_),
      ring_(std::max<std::size_t>(options.ring_capacity, 2)) {
  batch_.reserve(kTransactionRecords);
  connection_->set_guard([this] {
    file_watch_.look();
    ownership_.check();
  });
  thread_ = std::thread([this] { work(); });
}

WriterThread::~WriterThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void WriterThread::check() const {
  if (!has_failed()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void WriterThread::append(const record::StepRecord& step) {
  check();
  if (!ring_.try_push(step)) {
    const Clock::time_point began = Clock::now();
    std::unique_lock<std::mutex> lock(mutex_);
    work_.notify_one();
    wait(lock, space_, [this] { return error_ != nullptr || ring_.size() < ring_.capacity(); });
    waited_seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
    if (error_ != nullptr) std::rethrow_exception(error_);
    ring_.try_push(step);  // there is room: only this thread takes it
    return;
  }
  // Wake the thread once, when half of the ring is full; until then its own clock is enough.
  if (ring_.size() == ring_.capacity() / 2) {
    { const std::lock_guard<std::mutex> lock(mutex_); }
    work_.notify_one();
  }
}

void WriterThread::call(const Job& job) { submit(&job, Before::Records); }
void WriterThread::call_after_all(const Job& job) { submit(&job, Before::RecordsAndLongWork); }
void WriterThread::call_without_flush(const Job& job) { submit(&job, Before::Nothing); }

void WriterThread::wait_for_long_work() {
  const Clock::time_point began = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  wait(lock, done_, [this] { return !has_long_work_ || error_ != nullptr; });
  waited_seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void WriterThread::hand_over(LongWork work, std::string lost) {
  wait_for_long_work();
  const std::lock_guard<std::mutex> lock(mutex_);
  lost_text_ = std::move(lost);
  long_work_ = std::move(work);
  has_long_work_ = true;
  work_.notify_one();
}

std::optional<std::string> WriterThread::take_lost_work() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(lost_work_, std::nullopt);
}

void WriterThread::submit(const Job* job, Before before) {
  std::unique_lock<std::mutex> lock(mutex_);
  job_ = job;
  before_ = before;
  job_error_ = nullptr;
  requested_ = true;
  work_.notify_one();
  wait(lock, done_, [this] { return !requested_; });
  if (job_error_ != nullptr) std::rethrow_exception(std::exchange(job_error_, nullptr));
}

void WriterThread::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                        const std::function<bool()>& is_over) {
  bool told = false;
  while (!changed.wait_for(lock, kTellInterval, is_over)) {
    if (!options_.waits) continue;
    lock.unlock();
    options_.waits();
    lock.lock();
    told = true;
  }
  if (!told) return;
  lock.unlock();  // what was waited for stays: one thread calls
  options_.waits();
  lock.lock();
}

Waiting WriterThread::waiting() const {
  if (locked_.load(std::memory_order_relaxed)) return Waiting::Lock;
  const Clock::rep since = writes_since_.load(std::memory_order_relaxed);
  if (since == 0) return Waiting::Nothing;
  return Clock::now() - Clock::time_point(Clock::duration(since)) > kLongWrite ? Waiting::Disk : Waiting::Nothing;
}

void WriterThread::came_through() {
  locked_since_.reset();
  locked_.store(false, std::memory_order_relaxed);
}

void WriterThread::add_running(const ArmOwner& arm) {
  running_.push_back(arm.trial);
  ownership_.add(arm);
}

void WriterThread::remove_running(std::int64_t trial) {
  running_.erase(std::remove(running_.begin(), running_.end(), trial), running_.end());
}

bool WriterThread::has_readers() const { return options_.feed != nullptr && options_.feed->has_subscribers(); }

WriterThread::Clock::duration WriterThread::wait_time() const {
  return has_readers() ? std::min<Clock::duration>(kFeedInterval, options_.commit_interval) : options_.commit_interval;
}

bool WriterThread::commit_is_due() {
  return !has_readers() || batch_.size() >= kTransactionRecords / 2 || has_long_work() ||
         Clock::now() - last_commit_ >= options_.commit_interval;
}

void WriterThread::work() {
  for (;;) {
    bool stop = false;
    bool requested = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      work_.wait_for(lock, wait_time(), [this] {
        return stop_ || requested_ || (error_ == nullptr && (has_long_work_ || ring_.size() >= ring_.capacity() / 2));
      });
      stop = stop_;
      requested = requested_;
    }
    if (requested) {
      serve_request();
    } else if (stop) {
      return;
    } else if (!failed_.load(std::memory_order_relaxed)) {
      try {
        look_at_file();
        take_records();
        if (commit_is_due()) {
          commit_waiting_records();
          if (has_long_work()) do_a_piece();
        }
      } catch (...) {
        // Kept in error_, where it is no lock that may pass: the engine's next call throws it.
      }
      if (!locked_since_) keep_heartbeat();
    }
  }
}

void WriterThread::serve_request() {
  std::exception_ptr error;
  try {
    // What ends something says that it is kept.
    if (before_ == Before::RecordsAndLongWork) file_watch_.look_now();
    // A job that fails has rolled back what it did, so it may be run again from the beginning.
    if (before_ != Before::Nothing) patiently([this] { commit_waiting_records(); });
    if (before_ == Before::RecordsAndLongWork) {
      while (has_long_work()) patiently([this] { do_a_piece(); });
    }
    patiently([this] { (*job_)(*connection_); });
    came_through();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job_error_ = std::move(error);
    requested_ = false;
  }
  done_.notify_one();
}

void WriterThread::commit_waiting_records() {
  std::exception_ptr error;
  try {
    commit_all_batches();
  } catch (const Error& failure) {
    error = std::current_exception();
    if (failure.kind() == ErrorKind::ArchiveLocked && wait_for_the_lock()) throw;  // the engine need not know yet
  } catch (...) {
    error = std::current_exception();
  }
  keep_error(error);
  if (error != nullptr) std::rethrow_exception(error);
}

void WriterThread::keep_error(const std::exception_ptr& error) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = error;
    failed_.store(error != nullptr, std::memory_order_release);
  }
  if (error == nullptr) return;
  space_.notify_one();
  done_.notify_one();
}

bool WriterThread::has_long_work() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return has_long_work_;
}

void WriterThread::do_a_piece() {
  try {
    if (!long_work_(*connection_)) finish_long_work();
    came_through();
  } catch (const Error& failure) {
    if (failure.kind() == ErrorKind::OutOfMemory) return give_up_long_work();
    if (failure.kind() != ErrorKind::ArchiveLocked || !wait_for_the_lock()) keep_error(std::current_exception());
    throw;
  } catch (const std::bad_alloc&) {
    give_up_long_work();
  } catch (...) {
    keep_error(std::current_exception());
    throw;
  }
}

void WriterThread::give_up_long_work() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_work_ = std::move(lost_text_);
  }
  finish_long_work();
}

void WriterThread::finish_long_work() {
  long_work_ = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_long_work_ = false;
  }
  done_.notify_one();
}

void WriterThread::take_records() {
  const std::size_t waiting = batch_.size();
  if (waiting >= kTransactionRecords || (waiting > 0 && !has_readers())) return;
  if (ring_.pop(batch_, kTransactionRecords - waiting) == 0) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }
  space_.notify_one();
  if (options_.feed != nullptr) options_.feed->publish(batch_.data() + waiting, batch_.size() - waiting);
}

void WriterThread::commit_all_batches() {
  for (;;) {
    take_records();
    if (batch_.empty()) break;
    commit_batch();
    came_through();
  }
  last_commit_ = Clock::now();
}

bool WriterThread::wait_for_the_lock() {
  if (running_.empty()) return false;
  const Clock::time_point now = Clock::now();
  if (!locked_since_) locked_since_ = now - options_.busy_timeout;  // SQLite has waited already
  locked_.store(true, std::memory_order_relaxed);
  if (now - *locked_since_ >= options_.patience) return false;
  std::this_thread::sleep_for(kRetryPause);  // some locks are told at once, without the busy timeout
  return true;
}

void WriterThread::patiently(const std::function<void()>& write) {
  for (;;) {
    try {
      write();
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::ArchiveLocked || !wait_for_the_lock()) throw;
    }
  }
}

// Commits the first records of the batch, as many as the time allows.
void WriterThread::commit_batch() {
  const WriteClock clock(writes_since_);
  Transaction transaction(*connection_);
  const Clock::time_point deadline = Clock::now() + kTransactionTime;
  std::size_t count = 0;
  while (count < batch_.size()) {
    insert_.run(batch_[count++]);
    if (count % kRecordsBetweenClocks == 0 && Clock::now() >= deadline) break;
  }
  transaction.commit();
  batch_.erase(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(count));
}

// A run that is held, or in a long step, commits nothing that would show it.
void WriterThread::look_at_file() {
  if (running_.empty()) return;
  try {
    file_watch_.look();
  } catch (...) {
    keep_error(std::current_exception());
    throw;
  }
}

void WriterThread::keep_heartbeat() {
  const Clock::time_point now = Clock::now();
  if (running_.empty() || now - last_heartbeat_ < kHeartbeatInterval) return;
  last_heartbeat_ = now;
  try {
    Transaction transaction(*connection_);
    renew_heartbeat(*connection_, running_, utc_now());
    transaction.commit();
  } catch (...) {
    // A missed beat loses nothing; what is wrong with the disk shows at the next commit of records.
    if (ownership_.is_lost()) keep_error(std::current_exception());
  }
}

}  // namespace mantissa::archive
