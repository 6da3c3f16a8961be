// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "core/train/arm.h"

namespace mantissa::train {

/// What a model threw, for people: reason "memory" or "forward", and the operator, the line of the model and the words
/// of the error, without the traces around them.
///
/// \param where        "at step 3", "on the frozen cases"
/// \param cast_policy  under which it failed; another one may be a way out
Failure failure_of(const std::exception& error, const std::string& where, const std::string& cast_policy = "device");

/// The essence of a c10::Error's or TorchScript's text on one line.
std::string condensed(const std::exception& error);

}  // namespace mantissa::train
