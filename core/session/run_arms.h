// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/session/prepared.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"

namespace mantissa::session {

/// A trial's name, or "reference".
std::string arm_name(const spec::Trial* trial);

/// An arm with a clone of the initial weights. \param prepared  must outlive it. \param trial  null: the reference
/// \throws Error InvalidSetting for globs that match no parameter
std::unique_ptr<train::Arm> make_arm(const Prepared& prepared, const spec::Trial* trial);

/// The reference and the trials, in this order.
std::vector<std::unique_ptr<train::Arm>> make_arms(const Prepared& prepared,
                                                   const std::vector<const spec::Trial*>& trials);

}  // namespace mantissa::session
