// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/model/built_in.h"
#include "core/model/network.h"
#include "core/model/torchscript.h"

namespace mantissa::model {

std::unique_ptr<Network> build(const spec::Model& model, std::int64_t features, std::int64_t outputs,
                               std::uint64_t seed) {
  at::manual_seed(seed);
  std::unique_ptr<Network> network = model.kind == spec::ModelKind::TorchScript
                                         ? load_torchscript(model.path)
                                         : build_built_in(model, features, outputs);
  for (const NamedTensor& parameter : network->parameters()) {
    if (parameter.tensor.requires_grad()) return network;
  }
  throw Error(ErrorKind::ModelProblem,
              {"the model has no trainable parameter", model.path, 0, 0, "model", "", "at least one with requires_grad",
               "A frozen model (torch.jit.freeze, requires_grad_(False)) can be evaluated but not trained: export it "
               "before freezing"});
}

}  // namespace mantissa::model
