// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/record/trial.h"
#include "core/session/archived_settings.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// Whether the arms of a run still are what it was begun with: one reference, the experiment's trials in its order
/// under its policies, the whole and rounding repeats that it asks for or none of them, all compared with the
/// reference. A row that has changed must not put one arm's weights into another.
/// \param rows  every arm of the run, by id
/// \param run  the experiment as it was run: `settings.experiment`
/// \param has_checkpoints  of the reference: the run had begun all of its arms
/// \throws Error ArchiveDamaged, which names row and column.
void check_roles(const std::vector<record::TrialRow>& rows, const ArchivedSettings& settings,
                 const spec::Experiment& run, bool has_checkpoints);

}  // namespace mantissa::session
