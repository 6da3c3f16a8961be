// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa::cli {

/// Every setting of an experiment as it was run, one line each and none shortened: "training.optimizer[0].lr  0.001".
/// Where the file left one to a default that the data or the trial decide, the default is told in words.
/// \param resolved  canonical JSON of the experiment (record::ExperimentStart)
std::string resolved_page(const std::string& resolved);

}  // namespace mantissa::cli
