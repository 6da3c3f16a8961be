// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/record/case_row.h"

namespace mantissa::session {

/// The hash of which cases are in a frozen set: ids, kinds and targets in their order, and what their inputs come from.
/// \param data_sha256  of the data, and of the case file where there is one; empty for a run that was made elsewhere
std::string sha256_of_cases(const std::vector<std::string>& data_sha256, const std::vector<record::CaseRow>& rows);

}  // namespace mantissa::session
