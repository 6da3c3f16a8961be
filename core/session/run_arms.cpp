// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_arms.h"

namespace mantissa::session {

std::string arm_name(const spec::Trial* trial) { return trial == nullptr ? "reference" : trial->name; }

std::unique_ptr<train::Arm> make_arm(const Prepared& prepared, const spec::Trial* trial) {
  return std::make_unique<train::Arm>(arm_name(trial), prepared.network->clone(), prepared.experiment, trial);
}

std::vector<std::unique_ptr<train::Arm>> make_arms(const Prepared& prepared,
                                                   const std::vector<const spec::Trial*>& trials) {
  std::vector<std::unique_ptr<train::Arm>> arms;
  arms.push_back(make_arm(prepared, nullptr));
  for (const spec::Trial* const trial : trials) arms.push_back(make_arm(prepared, trial));
  return arms;
}

}  // namespace mantissa::session
