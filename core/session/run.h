// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/session/run_control.h"
#include "core/spec/experiment.h"

namespace mantissa::archive {
class StepFeed;
}

namespace mantissa::session {

/// Where a run stands; sent at most 20 times a second.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;  ///< planned attempted steps
  double seconds = 0.0;    ///< since the run began or went on, pauses left out
  double remaining_seconds = 0.0;
  double loss_reference = 0.0;
  struct Arm {
    std::string name;
    double loss = 0.0;
    double scale = 0.0;  ///< 0 without a scaler
    std::int64_t skipped = 0;
    bool failed = false;
  };
  std::vector<Arm> arms;
};

/// Hears of a run while it goes on. Called on the thread that runs it, which waits meanwhile.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_note(const std::string& sentence) = 0;  ///< things to know before or during the run
  virtual void on_progress(const Progress& progress) = 0;
  virtual void on_phase(const std::string& phase) = 0;  ///< "loading data", "training", "comparing cases" …

  /// All arms of the run as they stand in the archive before the first step: the reference, the trials, the yardsticks.
  virtual void on_arms(const std::vector<record::TrialRow>& /*arms*/) {}
  virtual void on_evaluation(const record::Evaluation& /*evaluation*/) {}
  virtual void on_checkpoint(std::int64_t /*step*/) {}  ///< the states of all arms are on their way into the archive
  /// An arm has its last row, with its verdict; once more where its gains were measured after that.
  virtual void on_arm_end(const record::TrialRow& /*arm*/) {}
  /// Whether records reach the archive no more at present: the disk is slow, or another program holds it locked. Comes
  /// again and again while they do not, and once when they do.
  virtual void on_waiting(bool /*waits*/) {}
  virtual void on_state(RunState /*state*/) {}  ///< on changes, from the first step on
};

/// How much is measured during a run. Probes never change a bit of the weights (tests).
enum class Probes {
  Off,       ///< loss, scale, skips, norms needed for the step itself, whether there is a gradient that is not zero
  Standard,  ///< also deviation from the reference, norms, weight change, memory
};

/// Whether a run ends with measuring what its arms cost (session/gains.h): on copies, without a trace in the weights.
/// Rejected and failed trials are left out.
enum class MeasureGains {
  Off,
  Short,  ///< 7 repetitions within 5 % of the training's duration, at least 0.2 s and at most 10 s
  Long,   ///< 30 repetitions within a minute
};

/// Whether a run compares what its steps hold with what was expected (session/run_memory.h). It costs a twentieth of
/// the training at most, or a second; no bit of the weights changes (tests). Nothing is compared without probes.
enum class CompareMemory { Off, On };

struct RunOptions {
  std::string archive;                   ///< path of the SQLite file
  std::vector<std::string> only_trials;  ///< names; empty: all
  Probes probes = Probes::Standard;
  MeasureGains gains = MeasureGains::Off;
  CompareMemory memory = CompareMemory::On;
  std::int64_t cases_from = 0;  ///< id of a trial of the archive whose very frozen cases are taken; 0: none
  std::int64_t stop_after = 0;  ///< stops after so many attempted steps, as the user would; 0: not
  std::shared_ptr<archive::StepFeed> feed = nullptr;  ///< hands the records to readers in this process
};

/// Runs an experiment from end to end: reference lock, reference and trials in lock step, frozen cases, verdicts, all
/// of it in the archive. A trial that fails ends as `failed`; the others go on. \throws Error for everything that is
/// wrong before the first step, for a failing archive, and OutOfMemory where no arm can be blamed for it.
record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       const StopToken& stop);

/// The same for a run that is also held and continued.
record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       RunControl& control);

/// Everything `run` checks before its first step, without running: data, model, shapes, device.
/// Returns notes worth showing.
std::vector<std::string> check(const spec::Experiment& experiment);

}  // namespace mantissa::session
