// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/worker/engine.h"

namespace mantissa::ui::worker {

/// The real engine: session::run, session::resume, session::preflight and session::trace_memory.
class SessionEngine : public Engine {
 public:
  record::RunSummary run(const Job& job, session::Observer& observer, session::RunControl& control) override;
  session::Preflight preflight(const Job::Run& work, const session::StopToken& stop,
                               const session::ArmTeller& tell) override;
  TracedExperiment traceMemory(const spec::Experiment& experiment, const session::StopToken& stop,
                               const TraceTeller& tell) override;
};

}  // namespace mantissa::ui::worker
