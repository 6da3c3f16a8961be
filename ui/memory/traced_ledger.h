// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/model_ledger.h"
#include "ui/memory/typed_ledger.h"
#include "ui/plot/series_data.h"
#include "ui/worker/traced_experiment.h"

namespace mantissa::ui::memory {

using Traced = std::shared_ptr<const worker::TracedExperiment>;

/// What is looked at of a traced experiment.
struct TracedChoice {
  std::size_t forecast = 0;  ///< its place in TracedExperiment::forecasts
  TypedValues values;        ///< device, sizes, time and cost
};

/// The first problem that a ledger of a traced step has, with the name of its field; empty: none. What only plans need
/// takes nothing from the ledger.
QString ledgerProblem(const CommonFields& fields);

/// What is live after each event of a step, as it is drawn.
struct LiveCurve {
  std::shared_ptr<const plot::SeriesData> bytes;
  struct Part {
    std::int64_t from = 0;  ///< event
    record::StepPart part{};
  };
  std::vector<Part> parts;  ///< all that comes after backward is one
};

struct TracedQuestion {
  Traced traced;
  TracedChoice choice;
  CommonFields fields;  ///< of the choice's values, without a problem that the ledger has

  engine::Device device() const;
  /// Whatever it asks of plans.
  bool hasSameLedger(const TracedQuestion& other) const;
};

/// The ledger of one arm at the sizes that are typed, and that of the reference beside it.
struct TracedAnswer {
  TracedQuestion question;
  std::optional<engine::ModelLedger> ledger;     ///< nothing: the step cannot be worked out
  std::optional<engine::ModelLedger> reference;  ///< of the same checkpointing; nothing: the arm is the reference
  LiveCurve curve;                               ///< of the arm
  QString why;                                   ///< why there is no ledger, as a sentence
};

/// Answers on the thread that asks, a few tenths of a second for a million events. What the last answer was made of is
/// kept: another device, deadline or price costs next to nothing.
class TracedSteps {
 public:
  TracedAnswer answer(const TracedQuestion& question);

 private:
  /// A step of one arm at a size.
  struct Step {
    Traced traced;
    std::size_t forecast = 0;
    std::int64_t microbatch = 0;
    std::int64_t accumulation = 0;
    record::StepTrace trace;
    engine::StepUse use;
    LiveCurve curve;  ///< only where it was asked for
  };

  const Step& stepOf(Step& kept, const TracedQuestion& question, std::size_t forecast);
  static engine::ModelLedger ledgerOf(const Step& step, const engine::Device& device);
  LiveCurve curveOf(const record::StepTrace& step);

  Step m_arm;
  Step m_reference;
  std::vector<std::shared_ptr<const plot::SeriesData>> m_curves;  ///< that were made and may still be shown
  std::shared_ptr<const plot::PositionColumn> m_positions;  ///< 0, 1, 2, …: the same for all steps of as many events
};

/// "fp16, FP16 autocast", "reference, FP32".
QString armText(const session::ArmForecast& forecast);

}  // namespace mantissa::ui::memory
