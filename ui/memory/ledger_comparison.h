// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/memory/shown_ledger.h"
#include "ui/memory/traced_ledger.h"
#include "ui/memory/traced_plans.h"
#include "ui/memory/typed_ledger.h"

namespace mantissa::ui::memory {

/// What ledgers are compared by, in the order of the table. Sizes in bytes.
enum class FigureOf {
  Capacity,
  Usable,
  Fixed,       ///< without what is outside of the allocator
  Step,        ///< all else that is live at the peak: activations, inputs, temporaries
  Allocator,   ///< what rounding and segments take; of typed sums not said
  Outside,     ///< not said: it is missing
  Needed,      ///< of the device
  Headroom,    ///< below zero: over by so much
  Microbatch,  ///< a count, as the rest
  Accumulation,
  EffectiveBatch,
  LargestMicrobatch,
};
inline constexpr std::size_t kFigures = 12;

struct LedgerFigures {
  QString source;   ///< "typed", or whose steps were traced
  QString problem;  ///< why there are none, as a sentence
  std::array<std::optional<std::int64_t>, kFigures> values{};

  const std::optional<std::int64_t>& at(FigureOf figure) const { return values[static_cast<std::size_t>(figure)]; }
  std::optional<std::int64_t>& at(FigureOf figure) { return values[static_cast<std::size_t>(figure)]; }
};

LedgerFigures figuresOf(const TypedAnswer& answer);
/// \param solved  null: the largest microbatch is not known yet
LedgerFigures figuresOf(const TracedAnswer& answer, const SolverAnswer* solved);

/// "digits-mlp: fp16, FP16 autocast".
QString sourceText(const QString& experiment, const QString& arm);

struct ComparedLedger {
  QString name;
  LedgerFigures figures;
};

/// Any number of ledgers side by side, figure by figure, the first the one that is looked at. Beside one other stands
/// what the first has more; of several each cell's tip says it.
ShownTable comparisonOf(const std::vector<ComparedLedger>& ledgers);

}  // namespace mantissa::ui::memory
