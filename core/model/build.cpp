// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include "core/model/built_in.h"
#include "core/model/network.h"
#include "core/model/torchscript.h"

namespace mantissa::model {

std::unique_ptr<Network> build(const spec::Model& model, at::IntArrayRef row_shape, std::int64_t outputs,
                               std::uint64_t seed, at::ScalarType input_type) {
  at::manual_seed(seed);
  if (model.kind == spec::ModelKind::TorchScript) return load_torchscript(model);
  return build_built_in(model, {row_shape.vec(), outputs, input_type});
}

}  // namespace mantissa::model
