// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/jit/api/method.h>

namespace mantissa::model {

/// The tensors that a method's graph returns, as an experiment selects them ("output", "output.score", "output[1]"), in
/// the graph's order. What only a run could tell, such as the entries of a dictionary that another object made, is
/// missing.
std::vector<std::string> output_selectors_of(const torch::jit::Method& method);

}  // namespace mantissa::model
