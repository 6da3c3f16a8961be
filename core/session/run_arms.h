// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/session/prepared.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"

namespace mantissa::session {

/// The reference and the trials, in this order, each with a clone of the initial weights. \param prepared  must outlive
/// them. \throws Error InvalidSetting for globs that match no parameter.
std::vector<std::unique_ptr<train::Arm>> make_arms(const Prepared& prepared,
                                                   const std::vector<const spec::Trial*>& trials);

}  // namespace mantissa::session
