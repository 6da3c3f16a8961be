// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace mantissa::model {

/// Takes what TorchScript models print, which LibTorch would write to stdout among the results, and what they warn of.
/// Costs nothing until a model prints. Called before a model is loaded; of warnings, for the calling thread.
void take_prints();

/// Where the lines go; an empty function means stderr. Any thread.
void send_prints_to(std::function<void(const std::string& line)> sink);

}  // namespace mantissa::model
