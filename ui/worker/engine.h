// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "core/record/trial.h"
#include "core/session/preflight.h"
#include "core/session/run.h"
#include "ui/worker/job.h"
#include "ui/worker/traced_experiment.h"

namespace mantissa::ui::worker {

/// What does the work of a job. All calls come from the engine's thread, one after another.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Runs the job from end to end and tells the observer of its way. A stopped run is an outcome like any other.
  /// \throws whatever the run throws.
  virtual record::RunSummary run(const Job& job, session::Observer& observer, session::RunControl& control) = 0;

  /// Finds out what a run would be (core/session/preflight.h). \throws whatever that throws.
  virtual session::Preflight preflight(const Job::Run& work, const session::StopToken& stop,
                                       const session::ArmTeller& tell) = 0;

  /// Traces and times steps of every arm (core/session/step_memory.h), with activation checkpointing and without where
  /// the model can take both. A request to stop leaves out what was not traced by then. \throws whatever that throws.
  virtual TracedExperiment traceMemory(const spec::Experiment& experiment, const session::StopToken& stop,
                                       const TraceTeller& tell) = 0;
};

/// Makes the engine when the first job needs it, on the engine's thread: what loads LibTorch need not be there before.
using EngineFactory = std::function<std::unique_ptr<Engine>()>;

}  // namespace mantissa::ui::worker
