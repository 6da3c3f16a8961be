// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "core/archive/step_feed.h"
#include "ui/worker/engine.h"
#include "ui/worker/job.h"

namespace mantissa::test {

/// Does what a test says instead of training.
class StubEngine : public ui::worker::Engine {
 public:
  using Run = std::function<record::RunSummary(const ui::worker::Job&, session::Observer&, session::RunControl&)>;
  using LookAhead = std::function<session::Preflight(const ui::worker::Job::Run&, const session::StopToken&,
                                                     const session::ArmTeller&)>;
  using Trace = std::function<ui::worker::TracedExperiment(const spec::Experiment&, const session::StopToken&,
                                                           const ui::worker::TraceTeller&)>;
  explicit StubEngine(Run run, LookAhead look_ahead = {}, Trace trace = {})
      : m_run(std::move(run)), m_look_ahead(std::move(look_ahead)), m_trace(std::move(trace)) {}

  record::RunSummary run(const ui::worker::Job& job, session::Observer& observer,
                         session::RunControl& control) override {
    return m_run(job, observer, control);
  }

  session::Preflight preflight(const ui::worker::Job::Run& work, const session::StopToken& stop,
                               const session::ArmTeller& tell) override {
    return m_look_ahead ? m_look_ahead(work, stop, tell) : session::Preflight();
  }

  ui::worker::TracedExperiment traceMemory(const spec::Experiment& experiment, const session::StopToken& stop,
                                           const ui::worker::TraceTeller& tell) override {
    return m_trace ? m_trace(experiment, stop, tell) : ui::worker::TracedExperiment();
  }

 private:
  Run m_run;
  LookAhead m_look_ahead;
  Trace m_trace;
};

inline ui::worker::EngineFactory stub(StubEngine::Run run, StubEngine::LookAhead look_ahead = {},
                                      StubEngine::Trace trace = {}) {
  return [run = std::move(run), look_ahead = std::move(look_ahead), trace = std::move(trace)] {
    return std::make_unique<StubEngine>(run, look_ahead, trace);
  };
}

inline archive::StepFeed& feed_of(const ui::worker::Job& job) {
  return *std::visit([](const auto& work) { return work.options.feed; }, job.work);
}

/// Goes through the requests between two steps as a run does. False where it is to end.
class StubControlPoint {
 public:
  /// \param checkpointEvery  steps between two checkpoints
  StubControlPoint(session::Observer& observer, session::RunControl& control, std::int64_t checkpointEvery = 1)
      : m_observer(observer), m_control(control), m_checkpointEvery(checkpointEvery) {}

  bool before_step(const session::Progress& progress) {
    if (m_control.is_paused()) {
      m_observer.on_progress(progress);
      tell(session::RunState::Paused);
      m_control.wait();
    }
    const bool isCheckpoint = progress.step % m_checkpointEvery == 0;
    if (m_control.stop_token().requested() || (isCheckpoint && m_control.stops_at_checkpoint())) {
      tell(session::RunState::Stopping);
      return false;
    }
    if (!m_control.is_paused()) tell(session::RunState::Running);
    return true;
  }

 private:
  void tell(session::RunState state) {
    if (m_told && m_last == state) return;
    m_told = true;
    m_last = state;
    m_observer.on_state(state);
  }

  session::Observer& m_observer;
  session::RunControl& m_control;
  std::int64_t m_checkpointEvery;
  bool m_told = false;
  session::RunState m_last = session::RunState::Running;
};

/// Makes steps of arm 1 until the run is stopped or has made `steps` of them, and tells of each.
inline record::RunSummary make_steps(const ui::worker::Job& job, session::Observer& observer,
                                     session::RunControl& control, std::int64_t steps) {
  record::RunSummary summary;
  summary.reference.id = 1;
  observer.on_phase("preparing");
  observer.on_arms({summary.reference});
  observer.on_phase("training");
  StubControlPoint control_point(observer, control);
  session::Progress progress;
  progress.steps = steps;
  while (progress.step < steps) {
    if (!control_point.before_step(progress)) {
      summary.reference.end.status = record::Status::Stopped;
      break;
    }
    ++progress.step;
    record::StepRecord step;
    step.trial = summary.reference.id;
    step.step = progress.step;
    feed_of(job).publish(&step, 1);
    observer.on_progress(progress);
  }
  summary.reference.end.counts.attempted = progress.step;
  observer.on_arm_end(summary.reference);
  return summary;
}

}  // namespace mantissa::test
