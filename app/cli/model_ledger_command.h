// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/program.h"

namespace mantissa::cli {

/// What was typed beside the experiment file; empty texts were not given.
struct ModelLedgerOptions {
  std::string file;
  std::string format;  ///< "", "table", "csv", "json"
  std::vector<std::string> overrides;
  std::vector<std::string> microbatches;  ///< none: training.batch
  std::string accumulation;               ///< of the step; training.accumulate
  std::string device;                     ///< budget.device_memory
  std::string reserve;                    ///< budget.reserve
  std::string outside;
  std::vector<std::string> seconds;  ///< "ARM@MICROBATCHxACCUMULATION=SECONDS"
  bool expandable_segments = false;
  bool without_times = false;
};

/// Traces the experiment's arms, and prints what they need, what fits and the plans. Returns the exit code.
int print_model_ledger(Program& program, const ModelLedgerOptions& options);

}  // namespace mantissa::cli
