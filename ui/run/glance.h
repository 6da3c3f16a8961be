// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <optional>

#include "core/spec/experiment.h"
#include "ui/run/run_data.h"
#include "ui/shell/statement.h"

namespace mantissa::ui::run {

using Statement = shell::Statement;

/// What the strip knows of a run beside its steps.
struct Standing {
  bool ours = false;  ///< run by this window
  bool running = false;
  bool paused = false;
  bool isBeingRead = false;   ///< an archive that is over, not all of whose steps are here yet
  bool cannotBeRead = false;  ///< the archive, now
  qint64 plannedSteps = 0;    ///< 0: unknown
  std::optional<double> remainingSeconds;
  QString phase;
  bool trains = false;               ///< what it is at is a step
  std::optional<int> silentSeconds;  ///< for so long it has given no sign of life, which is long; nothing: it does
  bool waitsForArchive = false;      ///< its figures stand still although it goes on
  bool stopsAtCheckpoint = false;    ///< it has been asked to
  std::optional<qint64> stopStep;    ///< of that checkpoint; nothing: where the present step ends
  bool showsShadow = false;          ///< the charts: the statement on deviations speaks of the trajectory all the same
  QString brokenWords;               ///< why it is over without an end in the archive; empty: it has one, or runs
  const spec::Experiment* experiment = nullptr;  ///< for the limits of its rules; null: not known
};

inline constexpr std::size_t kStatements = 5;

/// Of which arm a statement speaks while the run goes on, so that two that are much alike do not take turns.
struct GlanceMemory {
  struct Chosen {
    std::int64_t arm = 0;  ///< the archive's id; 0: none yet
    qint64 since = 0;      ///< step
  };
  Chosen deviating;
  Chosen learning;
};

/// Finite? Skipping? Deviating? Learning? Time left, and, of a run that has its verdicts, the outcome.
/// \param memory  of the glances before; null: every statement speaks of what is worst now
std::array<Statement, kStatements> glance(const RunData& data, const Standing& standing,
                                          GlanceMemory* memory = nullptr);

}  // namespace mantissa::ui::run
