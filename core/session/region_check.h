// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/precision/cast_map.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// Whether any trial keeps modules or operators in FP32, so that a forward has to be watched for `refuse_idle_regions`.
bool has_regions(const spec::Experiment& experiment);

/// \param seen  every operator of one forward pass with its loss.
/// \throws Error InvalidSetting for a region that none of them lies in, with the nearest names that are there.
void refuse_idle_regions(const spec::Experiment& experiment, const std::vector<precision::CastRecord>& seen);

}  // namespace mantissa::session
