// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive/reader.h"
#include "core/record/trial.h"

namespace mantissa::session {

/// Fills in `trial.end.utility` from the cases of a trial and the evidence that its run kept. Does nothing where the
/// experiment declares no [utility], or nothing is kept.
/// \throws Error as archived_evidence
void add_utility(const archive::Reader& reader, record::TrialRow& trial);

}  // namespace mantissa::session
