// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/train/optimizer.h"

namespace mantissa::train {

/// Takes a stored state apart, name by name, and finds everything that does not fit.
class StateReader {
 public:
  explicit StateReader(const OptimizerState& state) : state_(state), tensor_taken_(state.tensors.size()) {}

  /// A copy of the tensor of this name; undefined where there is none.
  /// \throws Error InvalidSetting where shape, dtype or device differ from those of `like`.
  at::Tensor tensor(const std::string& name, const at::Tensor& like);

  std::optional<double> number(const std::string& name);

  /// \throws Error InvalidSetting where a tensor or a number was not asked for.
  void finish() const;

  [[noreturn]] static void refuse(const std::string& name, const std::string& found, const std::string& expected);

 private:
  const OptimizerState& state_;
  std::vector<bool> tensor_taken_;
  std::size_t numbers_taken_ = 0;
};

}  // namespace mantissa::train
