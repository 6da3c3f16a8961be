// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/session_engine.h"

#include <variant>

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

}  // namespace mantissa::ui::worker
