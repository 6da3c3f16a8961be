// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/network.h"

namespace mantissa::model {

/// The linear and mlp kinds, with weights drawn from the default generator as it stands.
std::unique_ptr<Network> build_built_in(const spec::Model& model, std::int64_t features, std::int64_t outputs);

}  // namespace mantissa::model
