// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <map>
#include <memory>
#include <optional>

#include "core/memory/model_ledger.h"
#include "ui/memory/plans_view.h"
#include "ui/memory/shown_ledger.h"
#include "ui/memory/typed_ledger.h"
#include "ui/worker/traced_experiment.h"

namespace mantissa::ui::memory {

using Traced = std::shared_ptr<const worker::TracedExperiment>;

/// What is looked at of a traced experiment.
struct TracedChoice {
  std::size_t forecast = 0;  ///< its place in TracedExperiment::forecasts
  TypedValues values;        ///< device, sizes, time and cost
};

/// The ledger of one arm at the sizes that are typed, and that of the reference beside it.
struct TracedAnswer {
  CommonFields fields;
  engine::Device device;
  std::optional<engine::ModelLedger> ledger;     ///< nothing: a field is wrong
  std::optional<engine::ModelLedger> reference;  ///< of the same checkpointing; nothing: the arm is the reference
  record::StepTrace step;                        ///< of the arm, at these sizes
  QString why;                                   ///< why there is no ledger, as a sentence
};
TracedAnswer answerOf(const worker::TracedExperiment& traced, const TracedChoice& choice);

/// What takes too long to be done at every notch of a slider: plans, and the largest microbatch. It depends on neither
/// the microbatch nor on which panel is looked at.
struct SolverQuestion {
  Traced traced;
  std::size_t forecast = 0;
  engine::Device device;
  std::int64_t accumulation = 1;
  std::int64_t effectiveBatch = 1;
  std::int64_t updates = 0;
  std::optional<double> deadlineSeconds;
  std::optional<double> pricePerHour;

  bool operator==(const SolverQuestion& other) const;
};
struct SolverAnswer {
  engine::PlanQuestion question;
  std::optional<engine::Plans> plans;
  QString noPlans;  ///< why there are none
  std::optional<std::int64_t> largestMicrobatch;
};
SolverQuestion questionOf(const Traced& traced, const TracedChoice& choice, const TracedAnswer& answer);
SolverAnswer solve(const SolverQuestion& question);

/// \param solved  null: it is being worked out
ShownLedger shownOf(const worker::TracedExperiment& traced, const TracedChoice& choice, const TracedAnswer& answer,
                    const SolverAnswer* solved);

/// "fp16, FP16 autocast", "reference, FP32".
QString armText(const session::ArmForecast& forecast);

}  // namespace mantissa::ui::memory
