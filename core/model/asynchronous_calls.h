// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/csrc/jit/api/module.h>

namespace mantissa::model {

/// The first call of the module's code that may go on in another thread: torch.jit.fork, torch.jit.wait and awaitables.
///
/// Autocast is a state of the thread: what runs after such a call may run without it, or under what another trial had
/// set there. Looks through forward and reset_states and all that they call.
///
/// \return "prim::fork in encoder.forward", "aten::wait in slow, called by forward"; empty where there is none.
std::string asynchronous_call_of(const torch::jit::Module& module);

}  // namespace mantissa::model
