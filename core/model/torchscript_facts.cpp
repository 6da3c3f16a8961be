// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "core/base/text_list.h"
#include "core/model/asynchronous_calls.h"
#include "core/model/attributes.h"
#include "core/model/graph_outputs.h"
#include "core/model/input_binding.h"
#include "core/model/torchscript.h"
#include "core/model/torchscript_module.h"

namespace mantissa::model {
namespace {

/// "__torch__.torch.nn.modules.linear.___torch_mangle_3.Linear" → "Linear"
std::string short_type_name(const torch::jit::Module& module) {
  const auto name = module.type()->name();
  return name ? name->name() : std::string("module");
}

}  // namespace

TorchScriptFacts torchscript_facts(const std::string& path) {
  const torch::jit::Module module = load_module(path);
  TorchScriptFacts facts;
  for (const auto& item : module.named_modules()) {
    facts.modules.push_back((item.name.empty() ? "(the model)" : item.name) + ": " + short_type_name(item.value));
  }
  const std::set<std::string> operators = operators_of(module);
  facts.operators.assign(operators.begin(), operators.end());
  bool trainable = false;
  bool narrow = false;
  for (const auto& item : module.named_parameters()) {
    facts.parameters.push_back({item.name, item.value});
    trainable = trainable || item.value.requires_grad();
    narrow = narrow || item.value.scalar_type() == at::kHalf || item.value.scalar_type() == at::kBFloat16;
  }
  facts.parameters = each_once(facts.parameters);
  for (const auto& item : module.named_buffers()) facts.buffers.push_back({item.name, item.value});
  if (!trainable) facts.problems.emplace_back("No trainable parameter: a frozen model can be evaluated, not trained.");
  if (narrow) {
    facts.problems.emplace_back(
        "Weights are stored in FP16 or BF16: they are widened to FP32 unless model.stored_dtype "
        "is \"keep\".");
  }
  if (can_reset_states(module)) {
    facts.problems.emplace_back("It keeps state between calls: reset_states() is called before every batch.");
  }
  for (const std::string& mode : fixed_modes_of(module)) {
    facts.problems.push_back(mode +
                             ": it keeps this mode, as a traced model does; train() and eval() do not switch it.");
  }
  if (const std::string call = asynchronous_call_of(module); !call.empty()) {
    facts.problems.push_back(call +
                             ": what runs in other threads runs without a trial's autocast. Such a model is refused: "
                             "call the function directly.");
  }
  for (const std::string& parameter : attribute_names(module).set_parameters) {
    facts.problems.push_back("Forward sets the parameter " + parameter +
                             " to another tensor, which no optimizer would know of: such a model is refused.");
  }
  const auto forward = module.find_method("forward");
  if (!forward) {
    facts.problems.emplace_back("There is no forward method.");
    return facts;
  }
  const c10::FunctionSchema& schema = forward->function().getSchema();
  facts.inputs = described_arguments(schema);
  if (!schema.returns().empty()) facts.outputs = schema.returns().front().type()->str();
  const std::vector<std::string> selectors = output_selectors_of(*forward);
  const bool one_tensor = selectors.size() == 1 && selectors.front() == "output";
  if (!selectors.empty() && !one_tensor) {
    facts.outputs += ": " + joined(selectors);
    facts.problems.push_back("Forward returns several outputs: name the prediction, model.prediction = '" +
                             selectors.front() + "', for instance.");
  }
  if (schema.arguments().size() > 2) {
    facts.problems.emplace_back("Forward takes several inputs: name them in model.inputs.");
  }
  return facts;
}

}  // namespace mantissa::model
