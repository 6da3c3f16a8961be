// SPDX-License-Identifier: Apache-2.0
#include "core/session/inspect.h"

#include "core/model/torchscript.h"
#include "core/model/weights.h"
#include "core/session/plain_failures.h"

namespace mantissa::session {

namespace {

InspectedParameter described(const model::NamedTensor& named) {
  InspectedParameter parameter;
  parameter.name = named.name;
  parameter.dtype = c10::toString(named.tensor.scalar_type());
  parameter.shape = named.tensor.sizes().vec();
  parameter.trainable = named.tensor.requires_grad();
  return parameter;
}

InspectedModel inspect_weights(const std::string& path) {
  InspectedModel inspected;
  inspected.weights_only = true;
  for (const model::NamedTensor& named : model::read_weights(path)) inspected.parameters.push_back(described(named));
  return inspected;
}

InspectedModel inspect_any_model(const std::string& path) {
  if (!model::is_torchscript(path)) return inspect_weights(path);
  const model::TorchScriptFacts facts = model::torchscript_facts(path);
  InspectedModel inspected;
  inspected.modules = facts.modules;
  inspected.inputs = facts.inputs;
  inspected.outputs = facts.outputs;
  inspected.operators = facts.operators;
  inspected.problems = facts.problems;
  for (const model::NamedTensor& named : facts.parameters) inspected.parameters.push_back(described(named));
  for (const model::NamedTensor& named : facts.buffers) inspected.buffers.push_back(described(named));
  return inspected;
}

}  // namespace

InspectedModel inspect_model(const std::string& path) {
  return with_plain_errors(path, "while the model was read", "Take a machine with more memory",
                           [&path] { return inspect_any_model(path); });
}

}  // namespace mantissa::session
