// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/writer.h"
#include "core/judge/judge.h"
#include "core/record/trial.h"
#include "core/session/case_comparison.h"
#include "core/session/checkpointing.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/session/reference_yardsticks.h"
#include "core/session/run.h"
#include "core/session/run_memory.h"
#include "core/spec/experiment.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// What follows the last step: frozen cases, yardsticks, verdicts and the last rows of every arm in the archive.
///
/// The rules on steps judge the steps that a trial made itself. A child begins where it left its parent: its counts,
/// its gradients and whether its weights moved are looked at from there on, and so are the reference's beside it. A
/// trial that went on under another policy within its run (at_floor = "switch:…") is one trial from its first step on.
class RunEnd {
 public:
  /// The run as its training left it; all of it must outlive the end.
  struct Given {
    const spec::Experiment& asked;  ///< holds the rules
    const Prepared& prepared;
    const FrozenCases& cases;
    CaseComparison& comparison;
    ReferenceYardsticks* yardsticks;  ///< null where probes are off
    archive::Writer& writer;
    Checkpointing& checkpointing;
    const std::vector<std::int64_t>& ids;           ///< reference, trials, yardsticks
    const std::vector<const spec::Trial*>& trials;  ///< of this run
    const std::string& rules_sha256;
    const std::vector<std::string>& began_with;  ///< `state_sha256` of what the reference and each trial began with
    double seconds;                              ///< duration of the training
    const RunMemory* memory;                     ///< null where it is not compared
    Observer& observer;
    const std::string& archive;     ///< where runs with other seeds are
    std::int64_t cases_taken_from;  ///< the trial whose frozen cases these are; 0: none
  };

  /// \param summary  its rows are open in the archive; it receives what they end with.
  RunEnd(const Given& given, record::RunSummary& summary) : given_(given), summary_(summary) {}

  /// A trial whose model fails on the frozen cases ends as failed. \throws Error for a failing archive.
  void finish(train::PairedRun& paired);

 private:
  void finish_yardsticks(train::PairedRun& paired, bool compared);
  void finish_reference(const train::PairedRun& paired, const train::Arm& arm);
  void finish_trial(train::PairedRun& paired, std::size_t index, bool compared);
  judge::Evidence evidence_of(const train::PairedRun& paired, std::size_t index, const record::TrialEnd& end,
                              std::vector<record::CaseRow> rows) const;
  /// Where memory does not suffice for the copy, a note says so.
  void keep_weights(std::int64_t id, const train::Arm& arm, record::TrialEnd& end);
  void end_arm(record::TrialRow& row, record::TrialEnd end);

  Given given_;
  record::RunSummary& summary_;
  bool reference_moved_ = false;  // away from the weights that it began with
  std::vector<std::string> non_finite_reference_;
};

}  // namespace mantissa::session
