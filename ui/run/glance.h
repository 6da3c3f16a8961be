// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <optional>

#include "core/spec/experiment.h"
#include "ui/run/run_data.h"

namespace mantissa::ui::run {

/// One question about a run, answered in a glance: a word, a number, a state.
struct Statement {
  enum class State { Unknown, Good, Warn, Bad, Plain };
  QString question;  ///< "Finite"
  QString answer;    ///< "1 NaN loss in fp16"
  QString detail;    ///< the number behind it
  State state = State::Unknown;
};

/// What the strip knows of a run beside its steps.
struct Standing {
  bool ours = false;  ///< run by this window
  bool running = false;
  bool paused = false;
  qint64 plannedSteps = 0;  ///< 0: unknown
  std::optional<double> remainingSeconds;
  QString phase;
  const spec::Experiment* experiment = nullptr;  ///< for the limits of its rules; null: not known
};

inline constexpr std::size_t kStatements = 5;

/// Finite? Skipping? Deviating? Learning? Time left.
std::array<Statement, kStatements> glance(const RunData& data, const Standing& standing);

}  // namespace mantissa::ui::run
