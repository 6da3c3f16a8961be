// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/memory/ledger_words.h"
#include "ui/memory/shown_ledger.h"
#include "ui/memory/traced_ledger.h"
#include "ui/memory/traced_plans.h"

namespace mantissa::ui::memory {

/// Held whatever the microbatch: parameters, buffers, optimizer state, gradients.
bool isFixedState(record::MemoryCategory category);

/// \param solved  null: it is being worked out
ShownLedger shownOf(const TracedAnswer& answer, const SolverAnswer* solved);

/// Says that what is shown is not yet that of the fields.
void markOld(ShownLedger& shown, const CommonFields& fields);

/// The largest value of a field that fits the traced step, all others as they are, and why; a word where it is being
/// worked out.
QString tracedLimitText(LimitOf limit, const TracedAnswer& answer, const SolverAnswer* solved);
QString tracedLimitSentence(LimitOf limit, const TracedAnswer& answer, const SolverAnswer* solved);

}  // namespace mantissa::ui::memory
