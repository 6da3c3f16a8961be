// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/record/case_set.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"

namespace mantissa::session {

/// The frozen set of a run, before its first step.
/// \param archive  where `taken_from` is
/// \param taken_from  the trial whose very cases are taken; 0: those that the experiment asks for
/// \throws Error as freeze_cases and freeze_same_cases do; UnknownTrial where that trial has no frozen cases, or is
/// from
///         before sets were kept
FrozenCases frozen_cases_of_run(const Prepared& prepared, const std::string& archive, std::int64_t taken_from);

/// The trial whose cases a run in the archive has taken; 0: none.
std::int64_t cases_taken_from(const std::string& archive, std::int64_t experiment);

/// As the archive keeps it.
record::CaseSet case_set_of(const FrozenCases& cases, std::int64_t taken_from);

}  // namespace mantissa::session
