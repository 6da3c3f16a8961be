// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QMetaType>

#include "core/session/planned_memory.h"
#include "core/session/step_memory.h"
#include "core/spec/experiment.h"

namespace mantissa::ui::worker {

/// What steps of an experiment's arms hold and take: enough for any microbatch and accumulation.
struct TracedExperiment {
  spec::Experiment experiment;
  session::TracedMemory trace;                  ///< as the experiment asks for it
  std::vector<session::ArmForecast> forecasts;  ///< of it, then of the same with the other activation checkpointing
  std::vector<session::ArmMemory> failures;     ///< arms whose steps failed
};

/// Hears what is traced next: "fp32 and trials, with activation checkpointing".
using TraceTeller = std::function<void(bool withOtherCheckpointing)>;

}  // namespace mantissa::ui::worker

Q_DECLARE_METATYPE(std::shared_ptr<const mantissa::ui::worker::TracedExperiment>)
