// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/case_set.h"
#include "core/record/checkpoint.h"
#include "core/record/judgement.h"
#include "core/record/memory_comparison.h"
#include "core/record/outcomes.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/record/verdict_context.h"

namespace mantissa::archive {

class Connection;

/// What may change of an arm while others look on.
struct Standing {
  std::int64_t trial = 0;
  std::int64_t experiment = 0;
  std::string started_at;
  record::Status status = record::Status::Running;  ///< `interrupted` where its process is gone
  std::int64_t resumptions = 0;                     ///< how often it went on after an end
};

/// Reads an archive through a read-only connection of its own; works beside writers and on read-only media. Used by one
/// thread at a time; every call sees the commits up to its own begin. Leaves nothing beside the archive that was not
/// there, unless others use it.
class Reader {
 public:
  /// \throws Error FileProblem (no such file), ArchiveDamaged, ArchiveNewer, ArchiveLocked; ArchiveReadOnly where a
  /// killed run's log lies beside an archive in a folder that cannot be written.
  explicit Reader(const std::string& path, std::chrono::milliseconds busy_timeout = std::chrono::milliseconds(5000));
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Every arm, oldest first. An arm whose process is gone shows as `interrupted`. One that runs has the counts of its
  /// last committed step; one that was interrupted or stopped has the quality of its last evaluation, with a note.
  std::vector<record::TrialRow> trials() const;

  /// The same in short, at a small part of the cost: for those who look several times a second.
  std::vector<Standing> standings() const;

  /// A number that is another one after each commit of anybody else.
  std::int64_t version() const;

  /// \throws Error UnknownTrial.
  record::TrialRow trial(std::int64_t id) const;

  /// An id, `experiment/trial`, a name (the newest of that name), `last`, or `reference` (the newest reference).
  /// `choice`, if given, receives a sentence where the text fitted several arms: "newest of 3 named fp16".
  /// \throws Error UnknownTrial with the nearest names.
  record::TrialRow find(const std::string& text, std::string* choice = nullptr) const;

  /// \throws Error UnknownTrial where there is no such experiment.
  record::ExperimentStart experiment(std::int64_t id) const;

  /// When an experiment and its rules were stored, before the first step of any of its arms: UTC, ISO 8601.
  /// \throws Error UnknownTrial where there is no such experiment.
  std::string fixed_at(std::int64_t experiment) const;

  /// Calls `use` for every step of the arm after step `after`, in order; stops when it returns false.
  void steps(std::int64_t trial, const std::function<bool(const record::StepRecord&)>& use,
             std::int64_t after = 0) const;

  /// In the order of the frozen set; empty where the trial has none.
  std::vector<record::CaseRow> cases(std::int64_t trial) const;

  /// TrialEnd::evidence of an arm; nothing where none is kept. \throws Error ArchiveDamaged where it was changed.
  std::optional<std::string> evidence(std::int64_t trial) const;

  /// Judgements of a trial by other rules than those of its run, oldest first.
  std::vector<record::Judgement> judgements(std::int64_t trial) const;

  /// What turned out to be right for cases of a trial, by position.
  std::vector<record::CaseOutcome> outcomes(std::int64_t trial) const;

  /// Which cases are in the frozen set of an experiment; nothing in an archive from before that was kept.
  std::optional<record::CaseSet> case_set(std::int64_t experiment) const;

  /// What was measured of the data beside a reference; nothing where none was, or in an archive from before it was
  /// kept.
  std::optional<record::ReferenceContext> context(std::int64_t reference) const;

  /// Predicted and measured peaks of every reference and trial that has both, oldest first: what
  /// memory/calibration.h asks for. Empty where the archive is from before they were kept.
  std::vector<record::MemoryPair> memory_pairs() const;

  /// `at`: "initial", "final", "best" (of the checkpoints) or a step that has a checkpoint.
  /// \throws Error UnknownTrial where the arm has no such weights, ArchiveDamaged where a chunk's hash does not match.
  std::vector<record::TensorBytes> weights(std::int64_t trial, const std::string& at) const;

  /// Checkpoints, evaluations and resumptions of an arm.
  record::History history(std::int64_t trial) const;

  /// The step of the checkpoint that "best", "final" (the last one) or the text of a step means.
  /// \throws Error UnknownTrial where there is none.
  std::int64_t checkpoint_step(std::int64_t trial, const std::string& at) const;

  /// The whole state of an arm at a checkpoint, verified.
  /// \throws Error UnknownTrial where there is none, ArchiveDamaged, which names what is damaged.
  record::ArmState state(std::int64_t trial, std::int64_t step) const;

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace mantissa::archive
