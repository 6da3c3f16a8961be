// SPDX-License-Identifier: Apache-2.0
#include "core/session/region_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/precision/float32_regions.h"

namespace mantissa::session {
namespace {

bool lies_in(const precision::CastRecord& record, const std::string& module) {
  return module.empty() || precision::matched_module(module, record.module) >= 0;
}

/// The paths of modules and of those that they lie in.
std::set<std::string> module_paths(const std::vector<precision::CastRecord>& seen) {
  std::set<std::string> paths;
  for (const precision::CastRecord& record : seen) {
    const std::string& path = record.module;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      paths.insert(path.substr(0, dot));
    }
    if (!path.empty()) paths.insert(path);
  }
  return paths;
}

[[noreturn]] void refuse(const spec::Experiment& experiment, const std::string& trial_key, const spec::Trial& trial,
                         const spec::Float32Region& region, const std::string& problem, std::string expected) {
  throw Error(ErrorKind::InvalidSetting,
              {problem, experiment.file, experiment.position(trial_key + ".float32_regions").line, 0,
               "trial[" + trial.name + "].float32_regions", region.text(), std::move(expected),
               "A module is named by its path, an operator by its name without overload"});
}

void check(const spec::Experiment& experiment, const std::string& trial_key, const spec::Trial& trial,
           const spec::Float32Region& region, const std::vector<precision::CastRecord>& seen) {
  std::set<std::string> operators;
  bool module_is_there = false;
  for (const precision::CastRecord& record : seen) {
    if (!lies_in(record, region.module)) continue;
    module_is_there = true;
    if (region.operator_name.empty() || precision::matches_operator(region.operator_name, record.name)) return;
    operators.insert(record.name);
  }
  if (module_is_there) {
    refuse(experiment, trial_key, trial, region,
           "the model calls no such operator" + std::string(region.module.empty() ? "" : " in this module"),
           "one of " + nearest_names(region.operator_name, {operators.begin(), operators.end()}));
  }
  const std::set<std::string> paths = module_paths(seen);
  refuse(experiment, trial_key, trial, region, "the model has no such module, or calls no operator in it",
         paths.empty() ? "an operator: this model is one module"
                       : "one of " + nearest_names(region.module, {paths.begin(), paths.end()}));
}

}  // namespace

bool has_regions(const spec::Experiment& experiment) {
  return std::any_of(experiment.trials.begin(), experiment.trials.end(),
                     [](const spec::Trial& trial) { return !trial.float32_regions.empty(); });
}

void refuse_idle_regions(const spec::Experiment& experiment, const std::vector<precision::CastRecord>& seen) {
  for (std::size_t i = 0; i < experiment.trials.size(); ++i) {
    const spec::Trial& trial = experiment.trials[i];
    for (const spec::Float32Region& region : trial.float32_regions) {
      check(experiment, "trial[" + std::to_string(i) + "]", trial, region, seen);
    }
  }
}

}  // namespace mantissa::session
