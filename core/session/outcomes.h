// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/record/outcomes.h"

namespace mantissa::archive {
class Reader;
}

namespace mantissa::session {

/// Adds outcomes that arrived after the verdict to a trial: a CSV file with the columns `case` and `outcome` (class
/// index, or the target in its own unit), joined by the ids of exactly this trial's frozen cases. Cases may be left
/// out, and come with a later file; an outcome that is known already may come again if it is the same one. All of the
/// file is taken or nothing of it. \return how many were new \throws Error UnknownTrial where the trial has no frozen
/// cases or no evidence, ArchiveDamaged where its cases are not
///         those that were frozen, DataProblem with the line for unknown and double ids, cells that are no number and
///         classes that there are not, InvalidSetting for tasks with several targets or a decision per position
std::int64_t add_outcomes(const std::string& archive, std::int64_t trial, const std::string& file);

/// The quality that the outcomes of a trial give; nothing where it has none.
std::optional<record::MatureQuality> mature_quality(const archive::Reader& reader, std::int64_t trial);

}  // namespace mantissa::session
