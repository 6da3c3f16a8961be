// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/network.h"
#include "core/spec/experiment.h"

namespace mantissa::model {

/// Loads a TorchScript model.
///
/// It runs operator by operator as eager code does: the graph executor's optimisation is switched off on the calling
/// thread at every forward, because with it on the JIT follows a cast policy of its own under autocast. In a
/// precision::JitCastScope it stays on. Traced convolutions, which autocast would pass over, are rewritten as scripts
/// and eager code have them.
///
/// FP16 and BF16 weights are widened or kept as the settings say; kept, floating inputs are given in that dtype. A
/// model that has a method `reset_states()` (without required arguments) gets it called before every batch. \throws
/// Error FileProblem (missing, a folder, not an archive of TorchScript, damaged), ModelProblem (cannot be
///         loaded, no forward, weights of another dtype).
std::unique_ptr<Network> load_torchscript(const spec::Model& settings);

/// The same with the defaults of every setting.
std::unique_ptr<Network> load_torchscript(const std::string& path);

/// What a TorchScript file holds, for inspection.
struct TorchScriptFacts {
  std::vector<std::string> modules;  ///< "path: type"
  std::string inputs;                ///< of forward: "x (Tensor), sr (int)"
  std::string
      outputs;  ///< its type, and the selectors of several tensors: "Tensor", "Dict(str, Tensor): output.a, output.b"
  std::vector<NamedTensor> parameters;
  std::vector<NamedTensor> buffers;
  std::vector<std::string> operators;  ///< "aten::linear", sorted, each once
  std::vector<std::string> problems;   ///< sentences
};

/// \throws Error as `load_torchscript`
TorchScriptFacts torchscript_facts(const std::string& path);

}  // namespace mantissa::model
