// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/step_feed.h"
#include "core/record/case_row.h"
#include "core/record/case_set.h"
#include "core/record/checkpoint.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/record/verdict_context.h"

namespace mantissa::archive {

class WriterThread;

/// How long a run waits for another process that holds the archive locked, rather than losing its final state.
inline constexpr std::chrono::milliseconds kWriterPatience{60000};

/// Why records do not reach the archive at present.
enum class Waiting {
  Nothing,  ///< they do
  Disk,     ///< a commit has taken more than a second so far
  Lock,     ///< another program holds the archive locked
};

struct WriterOptions {
  std::chrono::milliseconds busy_timeout{5000};               ///< at opening: how long to wait for another process
  std::chrono::milliseconds patience = kWriterPatience;       ///< the same while an arm runs: much is at stake
  std::chrono::milliseconds commit_interval{250};             ///< records are committed at least this often
  std::size_t ring_capacity = 8192;                           ///< records between the engine and the disk
  std::int64_t largest_state_inside = std::int64_t{2} << 30;  ///< bytes; larger states go into files beside the archive
  std::shared_ptr<StepFeed> feed = nullptr;                   ///< hands the records to readers in this process
  /// Called on the caller's thread twice a second while a call waits for the disk or a lock, and once after that.
  std::function<void()> waits = {};
};

/// Writes one process's runs into an archive, on a thread of its own; several processes may write one archive at once.
///
/// Step records go through a bounded ring that loses nothing: `append` returns at once unless the ring is full. Records
/// are committed four times a second, so a killed process loses less than a second. All other calls wait until their
/// row is committed, after every record appended before them. Where another process holds the archive locked while an
/// arm runs, the records wait for it in the ring, and the engine with them once that is full, up to `patience`. An
/// error on the writer's thread (disk full, archive locked) is thrown by the next call; records that were not committed
/// stay in memory, and every call but `append` tries again to commit them first: where space has returned, nothing is
/// lost.
///
/// Where the archive's file was deleted, moved or replaced meanwhile, or another process took this one for dead and
/// went on with one of its arms, nothing more is written: calls throw WriteFailed, which says what is lost. That is
/// known within a second, whether records come or not: see `check`.
///
/// Calls come from one thread, the engine's. After `close()` they are CallOrder.
class Writer {
 public:
  /// Opens the archive, creates it in a folder that exists if it is not there, and marks dead `running` arms
  /// `interrupted`. \throws Error ArchiveDamaged, ArchiveNewer, ArchiveReadOnly, ArchiveLocked, DiskFull, FileProblem.
  explicit Writer(const std::string& path, const WriterOptions& options = {});

  /// Commits what is left and joins the thread. Errors on this way are lost: call `close()` to see them. Where it
  /// cannot be committed now, it is tried again later (late_writers.h).
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  std::int64_t begin_experiment(const record::ExperimentStart& start);

  /// `started_at`, if given, receives the time as it stands in the archive.
  std::int64_t begin_trial(const record::TrialStart& start, std::string* started_at = nullptr);

  /// The trial's id stands in the record. Waits only while the ring is full. Where it throws, it has not taken the
  /// record.
  void append(const record::StepRecord& step);

  /// \throws what the next `append` would throw. For a run that waits between two records.
  void check() const;
  /// Whether `check` throws. From any thread.
  bool has_failed() const;

  /// From any thread. Records wait in the ring, and readers in this process see none of them.
  Waiting waiting() const;

  /// Seconds that `append` has waited for the disk so far; more than zero means a visible pause.
  double waited_seconds() const;

  /// All of a trial's cases at once; a reader sees all or none. Replaces what stood there.
  void write_cases(std::int64_t trial, const std::vector<record::CaseRow>& cases);

  /// Which cases are in the frozen set of an experiment; stored with the present time. Replaces what stood there.
  void write_case_set(std::int64_t experiment, const record::CaseSet& set);

  /// `at`: "initial" or "final". Tensors are stored as hashed chunks; equal ones once.
  void write_weights(std::int64_t trial, const std::string& at, const std::vector<record::TensorBytes>& tensors);

  /// Hands over the states of all arms of a run, to be written between the records while the run goes on: all of them
  /// will show together, after every record appended before, or none. Waits where an earlier set is still being
  /// written. Then removes what the set need not keep. Calls that end something
  /// (`finish_trial`, `flush`, `close`) wait until it is there.
  void write_checkpoint(record::CheckpointSet set);

  /// Why a set handed over before is not in the archive: memory did not suffice to write it. It is left out, and is no
  /// error of other calls. Each is told once.
  std::optional<std::string> take_lost_checkpoint();

  /// Waits until no set is being written: called before states are copied, memory holds one copy at a time.
  void wait_for_checkpoint();

  void write_evaluation(const record::Evaluation& evaluation);

  /// Goes on with arms that have ended, from their checkpoints at `step`: steps, evaluations and checkpoints after it
  /// are gone, and what was made of the arms' end; that they went on is noted. \param overrides  JSON list of every
  /// --set since the first run.
  /// \throws Error InvalidSetting where one of them still runs.
  void resume_trials(const std::vector<std::int64_t>& trials, std::int64_t step, const std::string& overrides);

  /// All policy changes of an arm so far; replaces those that stood there. `finish_trial` writes them, too.
  void write_policy_changes(std::int64_t trial, const std::vector<record::PolicyChange>& changes);

  /// Final state of an arm: status, counts, quality, verdict, notes. `finished_at`, if given, receives the time as it
  /// stands in the archive.
  void finish_trial(std::int64_t trial, const record::TrialEnd& end, std::string* finished_at = nullptr);

  /// What was measured of the data beside a reference. Replaces what stood there.
  void write_context(std::int64_t reference, const record::ReferenceContext& context);

  /// What the arm costs, measured after its training: gains and latency in one transaction. Replaces what stood there,
  /// but for a part that was not measured.
  void write_costs(std::int64_t trial, const record::Costs& costs);

  /// What the arm's steps were expected to hold and what they hold, as far as that is known by now. Replaces what stood
  /// there.
  void write_memory(std::int64_t trial, const record::MemoryComparison& memory);

  /// Commits every record appended and every checkpoint handed over so far.
  void flush();

  /// The archive shall not grow beyond this (0: no limit): as with a full disk, what does not fit is DiskFull and stays
  /// in memory. Raising the limit and `flush()` bring it in.
  void limit_size(std::int64_t bytes);

  /// Flushes, marks arms that were never finished `interrupted`, truncates the write-ahead log, joins the thread. Where
  /// it throws, the writer stays open and may be flushed or closed again.
  void close();

 private:
  WriterThread& thread() const;

  std::unique_ptr<WriterThread> thread_;
  std::int64_t largest_state_inside_;
  double waited_seconds_ = 0.0;  // after close
};

/// Marks the arms that this process still runs `interrupted`: for one that is about to end although a step of its run
/// does not. Nothing may be written after it. \throws Error as the Writer does at opening.
void interrupt_arms_of_this_process(const std::string& path);

}  // namespace mantissa::archive
