// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/archive/file_watch.h"
#include "core/archive/ownership.h"
#include "core/archive/sqlite.h"
#include "core/archive/step_ring.h"
#include "core/archive/step_rows.h"
#include "core/archive/writer.h"

namespace mantissa::archive {

/// The thread behind a Writer: takes records out of the ring and commits them in short transactions, runs jobs between
/// them, and keeps the heartbeat of the arms that run.
class WriterThread {
 public:
  using Job = std::function<void(Connection&)>;
  /// Does a piece of its work at each call and says whether there is more; may be called again after an exception.
  using LongWork = std::function<bool(Connection&)>;

  WriterThread(std::unique_ptr<Connection> connection, const WriterOptions& options);
  ~WriterThread();  ///< joins; what could not be committed is lost
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  void append(const record::StepRecord& step);
  double waited_seconds() const { return waited_seconds_; }

  /// Commits every record, then runs the job on the thread; both throw here.
  void call(const Job& job);

  /// The same, and long work is done before.
  void call_after_all(const Job& job);

  /// Work to be done in pieces between the records, the first after every record appended so far; waits for an earlier
  /// one to end. Where memory does not suffice for it, it is given up, and `lost` says so to `take_lost_work`.
  void hand_over(LongWork work, std::string lost);
  std::optional<std::string> take_lost_work();
  void wait_for_long_work();

  /// Runs the job although records may be waiting that cannot be committed.
  void call_without_flush(const Job& job);

  /// \throws the error of the last commit, or of a look at the file, where one stands.
  void check() const;
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  Waiting waiting() const;

  /// Whether what could not be committed may still be: the file is somewhere, and its arms are this process's.
  /// Between two calls.
  bool has_hope() const { return !file_watch_.is_deleted() && !ownership_.is_lost(); }

  /// The path, where another file stands under it by now; else empty. Between two calls.
  std::string replaced_file() const { return file_watch_.is_replaced() ? connection_->file() : std::string(); }

  /// Arms whose heartbeat the thread keeps. From jobs only.
  void add_running(const ArmOwner& arm);
  void remove_running(std::int64_t trial);
  const std::vector<std::int64_t>& running() const { return running_; }
  void forget_running() { running_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  bool has_readers() const;
  Clock::duration wait_time() const;
  /// Moves records out of the ring, up to a transaction's worth, and shows them to the feed.
  void take_records();
  bool commit_is_due();
  /// What is done before a job.
  enum class Before { Nothing, Records, RecordsAndLongWork };
  void submit(const Job* job, Before before);
  void serve_request();
  /// Commits all there is; keeps what is left, and the error, where it fails.
  void commit_waiting_records();
  void commit_all_batches();
  /// Called where a lock was met. False where it is time to give up: at opening, or without patience left.
  bool wait_for_the_lock();
  /// Calls it again and again while another process holds the archive and there is patience left.
  void patiently(const std::function<void()>& write);
  void commit_batch();
  void do_a_piece();
  void finish_long_work();
  void give_up_long_work();
  bool has_long_work();
  void keep_error(const std::exception_ptr& error);
  /// The caller's side: waits, and tells of it.
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, const std::function<bool()>& is_over);
  /// A write went well.
  void came_through();
  void keep_heartbeat();
  void look_at_file();

  const WriterOptions options_;
  std::unique_ptr<Connection> connection_;
  StepInsert insert_;
  Ownership ownership_;
  FileWatch file_watch_;
  StepRing ring_;
  std::vector<record::StepRecord> batch_;  // out of the ring, not yet committed
  std::vector<std::int64_t> running_;
  Clock::time_point last_heartbeat_ = Clock::now();
  Clock::time_point last_commit_ = Clock::now();
  std::optional<Clock::time_point> locked_since_;  // since the last write that went well; nothing: it did
  double waited_seconds_ = 0.0;                    // the engine's side

  mutable std::mutex mutex_;
  std::condition_variable work_;   // something for the thread
  std::condition_variable space_;  // room in the ring, or a failure
  std::condition_variable done_;   // the request has been served
  // Guarded by mutex_:
  bool requested_ = false;
  Before before_ = Before::Records;
  const Job* job_ = nullptr;
  std::exception_ptr job_error_;
  std::exception_ptr error_;  // of the last commit; records wait in batch_ and ring_ while it stands
  bool stop_ = false;
  bool has_long_work_ = false;

  std::string lost_text_;                 // of long_work_
  std::optional<std::string> lost_work_;  // of work that was given up

  LongWork long_work_;  // the engine's while has_long_work_ is false, the thread's while it is true

  std::atomic<bool> failed_{false};          // error_ stands
  std::atomic<bool> locked_{false};          // locked_since_ is set
  std::atomic<Clock::rep> writes_since_{0};  // when the write at hand began; 0: there is none
  std::thread thread_;                       // last: starts when everything above is there
};

}  // namespace mantissa::archive
