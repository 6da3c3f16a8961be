// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"

namespace mantissa::archive {

/// Writes one process's runs into an archive, on a thread of its own; several processes may write one archive at once.
///
/// Step records go through a bounded ring that loses nothing: `append` returns at once unless the ring is full. Records
/// are committed at least every second, so a killed process loses at most that. All other calls wait until their row
/// is committed, after every record appended before them. An error on the writer's thread (disk full, archive locked)
/// is thrown by the next call; records that were not committed stay in memory until then.
///
/// Calls come from one thread, the engine's.
class Writer {
 public:
  /// Opens the archive, creates it with its folder if it is not there, and marks dead `running` arms `interrupted`.
  /// \throws Error ArchiveDamaged, ArchiveNewer, ArchiveReadOnly, ArchiveLocked, DiskFull, FileProblem.
  explicit Writer(const std::string& path);

  /// Commits what is left and joins the thread. Errors on this way are lost: call `close()` to see them.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  std::int64_t begin_experiment(const record::ExperimentStart& start);
  std::int64_t begin_trial(const record::TrialStart& start);

  /// The trial's id stands in the record. Waits only while the ring is full.
  void append(const record::StepRecord& step);

  /// Seconds that `append` has waited for the disk so far; more than zero means a visible pause.
  double waited_seconds() const;

  void write_cases(std::int64_t trial, const std::vector<record::CaseRow>& cases);

  /// `at`: "initial" or "final". Tensors are stored as hashed chunks; equal ones once.
  void write_weights(std::int64_t trial, const std::string& at, const std::vector<record::TensorBytes>& tensors);

  /// Final state of an arm: status, counts, quality, verdict, notes.
  void finish_trial(std::int64_t trial, const record::TrialEnd& end);

  /// Commits every record appended so far.
  void flush();

  /// Flushes, truncates the write-ahead log, joins the thread.
  void close();

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace mantissa::archive
