// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_arms.h"

namespace mantissa::session {

std::vector<std::unique_ptr<train::Arm>> make_arms(const Prepared& prepared,
                                                   const std::vector<const spec::Trial*>& trials) {
  const spec::Experiment& experiment = prepared.experiment;
  std::vector<std::unique_ptr<train::Arm>> arms;
  arms.push_back(std::make_unique<train::Arm>("reference", prepared.network->clone(), experiment, nullptr));
  for (const spec::Trial* trial : trials) {
    arms.push_back(std::make_unique<train::Arm>(trial->name, prepared.network->clone(), experiment, trial));
  }
  return arms;
}

}  // namespace mantissa::session
