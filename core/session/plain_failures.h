// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace mantissa::session {

/// Makes the call and turns what the machine refuses outside of the arms (memory, threads) into an error with a
/// sentence: within a step or an evaluation it would have failed its arm alone.
/// \param file  of the experiment, for the message; empty: none. \throws Error OutOfMemory; whatever `call` throws.
void with_plain_words(const std::string& file, const std::function<void()>& call);

}  // namespace mantissa::session
