// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/session_engine.h"

#include <optional>
#include <utility>
#include <variant>

#include "core/session/planned_memory.h"
#include "core/session/resume.h"
#include "core/session/run.h"

namespace mantissa::ui::worker {

record::RunSummary SessionEngine::run(const Job& job, session::Observer& observer, session::RunControl& control) {
  if (const auto* work = std::get_if<Job::Run>(&job.work)) {
    return session::run(work->experiment, work->options, observer, control);
  }
  return session::resume(std::get<Job::Resume>(job.work).options, observer, control);
}

session::Preflight SessionEngine::preflight(const Job::Run& work, const session::StopToken& stop,
                                            const session::ArmTeller& tell) {
  return session::preflight(work.experiment, work.options, stop, {}, tell);
}

TracedExperiment SessionEngine::traceMemory(const spec::Experiment& experiment, const session::StopToken& stop,
                                            const TraceTeller& tell) {
  TracedExperiment traced;
  traced.experiment = experiment;
  session::MemoryQuestion question;
  question.with_times = true;
  session::BothTraces both = session::trace_memory_both_ways(experiment, question, stop, tell);
  traced.trace = std::move(both.asked);
  const bool isCheckpointed = experiment.training.activation_checkpointing == spec::ActivationCheckpointing::Blocks;
  traced.forecasts = session::forecasts_of(traced.trace.arms, isCheckpointed);
  for (const session::ArmMemory& arm : traced.trace.arms) {
    if (!arm.failure.empty()) traced.failures.push_back(arm);
  }
  if (!both.other) return traced;
  for (session::ArmForecast& forecast : session::forecasts_of(both.other->arms, !isCheckpointed)) {
    traced.forecasts.push_back(std::move(forecast));
  }
  return traced;
}

}  // namespace mantissa::ui::worker
