// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive/clock.h"
#include "core/archive/sqlite.h"
#include "core/record/case_row.h"
#include "core/record/case_set.h"

namespace mantissa::archive {

/// Inside the caller's transaction; replaces what stood there. `set.frozen_at` is not looked at: it is `now`.
void replace_case_set(Connection& connection, std::int64_t experiment, const record::CaseSet& set, UtcTime now);

/// Nothing in an archive from before sets were kept.
std::optional<record::CaseSet> read_case_set(Connection& connection, std::int64_t experiment);

/// Inside the caller's transaction; replaces what stood there.
void replace_golden_outputs(Connection& connection, std::int64_t trial, const std::vector<record::CaseRow>& cases);

/// Fills in `golden` of an arm's cases, as far as it is there.
void read_golden_outputs(Connection& connection, std::int64_t trial, std::vector<record::CaseRow>& cases);

/// Inside the caller's transaction.
void remove_other_outputs(Connection& connection, std::int64_t trial);

/// The outputs beside the prediction of the cases [first, last), inside the caller's transaction. Where there are any,
/// an archive from before them gets its table for them.
void insert_other_outputs(Connection& connection, std::int64_t trial, const std::vector<record::CaseRow>& cases,
                          std::size_t first, std::size_t last);

/// Fills in `other_outputs` of an arm's cases.
void read_other_outputs(Connection& connection, std::int64_t trial, std::vector<record::CaseRow>& cases);

}  // namespace mantissa::archive
