// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "core/train/arm.h"

namespace mantissa::train {

/// What a model threw, for people: reason "memory" or "forward", and the operator, the line of the model and the words
/// of the error, without the traces around them.
Failure failure_of(const std::exception& error, std::int64_t step);

/// The essence of a c10::Error's or TorchScript's text on one line.
std::string condensed(const std::exception& error);

}  // namespace mantissa::train
