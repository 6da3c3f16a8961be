// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/memory/shown_ledger.h"
#include "ui/memory/typed_ledger.h"

namespace mantissa::ui::memory {

/// What the page shows of typed values. \param name  of the saved ledger; empty: it was not saved
ShownLedger shownOf(const TypedValues& values, const TypedAnswer& answer, const QString& name);

/// Where there is no ledger: every picture says why.
ShownLedger nothingShown(const QString& why);

}  // namespace mantissa::ui::memory
