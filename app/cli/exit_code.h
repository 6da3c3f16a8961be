// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/record/trial.h"

namespace mantissa::cli {

/// The exit codes of the README; nothing else in the program knows a number.
namespace exit_code {
constexpr int kDone = 0;        ///< accepted, or done
constexpr int kRejected = 1;    ///< rejected, a failed trial
constexpr int kUndecided = 2;   ///< undecided
constexpr int kWrongInput = 3;  ///< something given is wrong, the command line included
constexpr int kMachine = 4;     ///< disk, memory, device, or a mistake of the program itself
constexpr int kStopped = 130;   ///< stopped by the user
}  // namespace exit_code

int exit_code_of(ErrorKind kind);

int exit_code_of(record::VerdictWord word);

/// The exit code of a run. `required`: names of the trials that count; empty: all of them.
int exit_code_of(const record::RunSummary& summary, const std::vector<std::string>& required);

}  // namespace mantissa::cli
