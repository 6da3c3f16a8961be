// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace mantissa::archive {
class Reader;
}

namespace mantissa::session {

/// What a verdict rests on beside the cases, the counts and the end of a trial, as the archive keeps it: a JSON object
/// with the members of judge::Evidence that stand nowhere else. A number that was not measured is null.
std::string evidence_text(const judge::Evidence& evidence);

/// The evidence on an archived trial as its run judged it.
/// \throws Error UnknownTrial  where the arm is a reference or a yardstick, runs still, or is from before evidence was
///         kept (subject TRIAL); ArchiveDamaged where what is kept is no evidence
judge::Evidence archived_evidence(const archive::Reader& reader, std::int64_t trial);

/// What a trial and its reference decided of each of the trial's cases, where the rules of its run look at a set or at
/// a ranking of a case's outputs. Empty otherwise, of a trial without evidence, and of cases with positions.
/// \param cases  of that trial, in the archive's order
std::vector<record::DecidedCase> archived_decisions(const archive::Reader& reader, std::int64_t trial,
                                                    const std::vector<record::CaseRow>& cases);

}  // namespace mantissa::session
