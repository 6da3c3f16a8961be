// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace mantissa::session {

/// Where the lines go that a TorchScript model prints: stderr unless told. Stdout is for results. Called on the thread
/// that runs the model, with one line and without its line break. An empty function means stderr again.
void send_model_prints_to(std::function<void(const std::string& line)> sink);

}  // namespace mantissa::session
