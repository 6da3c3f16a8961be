// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/network.h"

namespace mantissa::model {

/// Loads a TorchScript model with one input and one output.
///
/// It runs operator by operator as eager code does: the graph executor's optimisation is switched off on the calling
/// thread at every forward, because with it on the JIT follows a cast policy of its own under autocast. In a
/// precision::JitCastScope it stays on.
/// \throws Error FileProblem (missing, a folder, not an archive of TorchScript), ModelProblem (cannot be loaded, wants
///         other than one input).
std::unique_ptr<Network> load_torchscript(const std::string& path);

/// What a TorchScript file holds, without running it.
struct TorchScriptFacts {
  std::vector<std::string> modules;  ///< "blocks.0.fc: Linear"
  std::vector<NamedTensor> parameters;
  std::vector<NamedTensor> buffers;
  std::vector<std::string> operators;  ///< of all methods, sorted, each once: "aten::linear"
  std::vector<std::string> problems;   ///< sentences: what stands in the way of training it
};

/// \throws Error FileProblem, ModelProblem as `load_torchscript`.
TorchScriptFacts torchscript_facts(const std::string& path);

}  // namespace mantissa::model
