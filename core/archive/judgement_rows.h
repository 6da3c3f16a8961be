// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/record/judgement.h"

namespace mantissa::archive {

class Connection;

/// Keeps a judgement beside the verdict of its trial's run. `id` and `created_at` are filled in.
/// \throws Error as the Writer does at opening; UnknownTrial where there is no such trial
void keep_judgement(const std::string& path, record::Judgement& judgement,
                    std::chrono::milliseconds busy_timeout = std::chrono::milliseconds(5000));

/// Keeps the verdict of a finished or failed run as a judgement by its own rules, before the run goes on and comes to
/// another one: what a trial once was rejected for stays beside what it became. Does nothing where there is none.
/// Within a Transaction of the caller.
void keep_earlier_verdict(Connection& connection, std::int64_t trial, const std::string& now);

/// Of one trial, oldest first; none in an archive from before they were kept.
std::vector<record::Judgement> read_judgements(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
