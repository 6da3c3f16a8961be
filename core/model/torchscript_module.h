// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "core/model/network.h"

namespace mantissa::model {

/// Loads a file after looking through its structure (torchscript_file.h), and makes traced convolutions what scripts
/// have. \throws Error FileProblem, ModelProblem.
torch::jit::Module load_module(const std::string& path);

/// Shared tensors under their first name only, as Python's named_parameters(): an optimizer must not hold one twice.
std::vector<NamedTensor> each_once(const std::vector<NamedTensor>& named);

/// The operators of all methods of all submodules: "aten::linear".
std::set<std::string> operators_of(const torch::jit::Module& module);

/// Those of them that behave differently under train() and eval(): "batch_norm", "dropout".
std::vector<std::string> mode_operators_of(const std::set<std::string>& operators);

/// The calls of those operators whose mode is a constant of the graph, so that train() and eval() do not switch it:
/// "dropout (training)", sorted, each once. Tracing leaves such calls behind.
std::set<std::string> fixed_modes_of(const torch::jit::Module& module);

/// Whether it has a method `reset_states()` that can be called without arguments.
bool can_reset_states(const torch::jit::Module& module);

}  // namespace mantissa::model
