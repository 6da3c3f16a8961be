// SPDX-License-Identifier: Apache-2.0
#include "core/session/chosen_trials.h"

#include <algorithm>

#include "core/base/error.h"

namespace mantissa::session {

std::vector<const spec::Trial*> chosen_trials(const spec::Experiment& experiment,
                                              const std::vector<std::string>& names) {
  std::vector<const spec::Trial*> chosen;
  for (const std::string& name : names) {
    const auto is_named = [&](const spec::Trial& trial) { return trial.name == name; };
    if (std::none_of(experiment.trials.begin(), experiment.trials.end(), is_named)) {
      std::string known;
      for (const spec::Trial& trial : experiment.trials) known += (known.empty() ? "" : ", ") + trial.name;
      throw Error(ErrorKind::InvalidSetting,
                  {"no such trial", experiment.file, 0, 0, "--trial", name,
                   known.empty() ? "no trial: the experiment has none" : "one of " + known, ""});
    }
  }
  for (const spec::Trial& trial : experiment.trials) {
    if (names.empty() || std::find(names.begin(), names.end(), trial.name) != names.end()) chosen.push_back(&trial);
  }
  return chosen;
}

}  // namespace mantissa::session
