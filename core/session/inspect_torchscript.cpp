// SPDX-License-Identifier: Apache-2.0
#include "core/session/inspect.h"

#include "core/model/torchscript.h"

namespace mantissa::session {

InspectedModel inspect_torchscript(const std::string& path) {
  const model::TorchScriptFacts facts = model::torchscript_facts(path);
  InspectedModel inspected;
  inspected.modules = facts.modules;
  inspected.operators = facts.operators;
  inspected.problems = facts.problems;
  const auto described = [](const model::NamedTensor& named) {
    InspectedParameter parameter;
    parameter.name = named.name;
    parameter.dtype = c10::toString(named.tensor.scalar_type());
    parameter.shape = named.tensor.sizes().vec();
    parameter.trainable = named.tensor.requires_grad();
    return parameter;
  };
  for (const model::NamedTensor& named : facts.parameters) inspected.parameters.push_back(described(named));
  for (const model::NamedTensor& named : facts.buffers) inspected.buffers.push_back(described(named));
  return inspected;
}

}  // namespace mantissa::session
