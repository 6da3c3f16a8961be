// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/record/outcomes.h"

namespace mantissa::archive {

class Connection;

/// Adds outcomes to those that a trial has, all of them or none; `received_at` is filled in where it is empty. Those
/// that were joined with another frozen set than `cases_sha256` are replaced by the ones given.
/// \throws Error as the Writer does at opening
void keep_outcomes(const std::string& path, std::int64_t trial, const std::string& cases_sha256,
                   std::vector<record::CaseOutcome>& outcomes,
                   std::chrono::milliseconds busy_timeout = std::chrono::milliseconds(5000));

/// Of one trial, by position; none in an archive from before they were kept.
std::vector<record::CaseOutcome> read_outcomes(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
