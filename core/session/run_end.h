// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

  /// A trial whose model fails on the frozen cases ends as failed. Where rules on costs are still to be judged, a trial
  /// that the others do not reject waits for `judge_costs`: nobody sees a verdict before all of its rules.
  /// \param costs_follow  what the arms cost is measured after this. \throws Error for a failing archive.
  void finish(train::PairedRun& paired, bool costs_follow);

  /// Whether this trial of the run (from 0) may be shown what it costs: it finished, and no rule rejects it so far.
  bool is_worth_measuring(std::size_t trial) const;

  /// The last rows of a trial, with what it costs; of one that waits its verdict, too.
  void take_costs(std::size_t trial, const record::Costs& own, const std::optional<record::Gains>& reference);

  /// Judges every trial that waits still, without costs. \param missing  why there are none, as a clause
  void judge_without_costs(const std::string& missing);

 private:
  void finish_yardsticks(train::PairedRun& paired, bool compared);
  void finish_reference(const train::PairedRun& paired, const train::Arm& arm);
  void finish_trial(train::PairedRun& paired, std::size_t index, bool compared, bool costs_follow);
  judge::Evidence evidence_of(const train::PairedRun& paired, std::size_t index, const record::TrialEnd& end,
                              std::vector<record::CaseRow> rows) const;
  /// Where memory does not suffice for the copy, a note says so.
  void keep_weights(std::int64_t id, const train::Arm& arm, record::TrialEnd& end);
  void end_arm(record::TrialRow& row, record::TrialEnd end);
  void judge(record::TrialEnd& end, const judge::Evidence& evidence) const;

  /// A trial whose costs are to be judged.
  struct Waiting {
    judge::Evidence evidence;
    record::TrialEnd end;
  };
  void judge_waiting(std::size_t trial);

  Given given_;
  std::map<std::size_t, Waiting> waiting_;  // by place among the trials
  record::RunSummary& summary_;
  bool reference_moved_ = false;  // away from the weights that it began with
  std::vector<std::string> non_finite_reference_;
};

}  // namespace mantissa::session
