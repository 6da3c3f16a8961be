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

/// Of one trial, oldest first; none in an archive from before they were kept.
std::vector<record::Judgement> read_judgements(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
