// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.h"

namespace mantissa::spec {

/// The preset "default" of the contract; a rule that is there already replaces the preset's as a whole.
void add_default_rules(Rules& rules);

}  // namespace mantissa::spec
