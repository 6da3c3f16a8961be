// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::data {

/// What a descriptor in resources/data says about one built-in set.
struct BuiltIn {
  std::string name;
  std::string path;  ///< of the data file; empty where inputs and targets are two files
  std::string inputs, targets;
  std::string test_path;  ///< of the set's own test part; empty: none, or two files
  std::string test_inputs, test_targets;
  std::vector<std::string> target;    ///< column names
  std::vector<std::string> left_out;  ///< columns that are no inputs unless the experiment names them
  std::string left_out_because;
  spec::Task task = spec::Task::Classification;
  std::optional<std::int64_t> classes;
  spec::TargetTransform target_transform = spec::TargetTransform::None;
  bool standardize = true;
  spec::Labels labels = spec::Labels::Index;
  std::vector<std::int64_t> shape;  ///< of a row's inputs; empty: a vector
  double inputs_divided_by = 1.0;   ///< before anything else is done to them: 255 makes pixels shares of full white

  bool has_test_part() const { return !test_path.empty() || !test_inputs.empty(); }
};

/// \throws Error InvalidSetting for an unknown name, NotYetAvailable for a set that a later version brings.
BuiltIn built_in(const std::string& name);

}  // namespace mantissa::data
