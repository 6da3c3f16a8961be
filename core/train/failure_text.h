// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "core/train/arm.h"

namespace mantissa::train {

/// What a model threw, for people: reason "memory" or "forward", and the operator, the line of the model and the words
/// of the error, without the traces around them. Of memory: how much was asked for, where, and what to do.
///
/// \param where        "at step 3", "on the frozen cases"
/// \param cast_policy  under which it failed; another one may be a way out
/// \param doing        for memory, what the step was at: "in the backward pass"; empty: not known
Failure failure_of(const std::exception& error, const std::string& where, const std::string& cast_policy = "device",
                   const std::string& doing = {});

/// The sentence on an error that says that memory ran out, on whatever device; nothing where it says something else.
std::optional<std::string> out_of_memory(const std::exception& error, const std::string& where);

/// The essence of a c10::Error's or TorchScript's text on one line.
std::string condensed(const std::exception& error);

}  // namespace mantissa::train
