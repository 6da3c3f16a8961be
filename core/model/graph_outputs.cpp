// SPDX-License-Identifier: Apache-2.0
#include "core/model/graph_outputs.h"

#include <optional>

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include "core/model/output_selection.h"

namespace mantissa::model {
namespace {

using torch::jit::Node;
using torch::jit::Value;

void collect(const Value* value, const std::string& selector, std::vector<std::string>& found);

void collect_entry(const Value* key, const Value* value, const std::string& selector, std::vector<std::string>& found) {
  const std::optional<c10::IValue> name = torch::jit::toIValue(key);
  if (name && name->isString()) collect(value, selector + step_to(name->toStringRef()), found);
  if (name && name->isInt()) collect(value, selector + '[' + std::to_string(name->toInt()) + ']', found);
}

/// {"a": x} and d["b"] = y.
void collect_dictionary(const Value* dictionary, const std::string& selector, std::vector<std::string>& found) {
  const auto inputs = dictionary->node()->inputs();
  for (std::size_t i = 0; i + 1 < inputs.size(); i += 2) collect_entry(inputs[i], inputs[i + 1], selector, found);
  for (const torch::jit::Use& use : dictionary->uses()) {
    if (use.user->kind() != c10::aten::_set_item || use.offset != 0) continue;
    collect_entry(use.user->input(1), use.user->input(2), selector, found);
  }
}

void collect(const Value* value, const std::string& selector, std::vector<std::string>& found) {
  if (value->type()->isSubtypeOf(*c10::TensorType::get())) {
    found.push_back(selector);
    return;
  }
  const Node* const node = value->node();
  if (node->kind() == c10::prim::DictConstruct) {
    collect_dictionary(value, selector, found);
  } else if (node->kind() == c10::prim::TupleConstruct || node->kind() == c10::prim::ListConstruct) {
    const auto tuple = value->type()->cast<c10::TupleType>();
    const auto names = tuple ? tuple->names() : std::nullopt;
    for (std::size_t i = 0; i < node->inputs().size(); ++i) {
      const std::string step = names && i < names->size() ? step_to(std::string((*names)[i])) : step_to(i);
      collect(node->input(i), selector + step, found);
    }
  }
}

}  // namespace

std::vector<std::string> output_selectors_of(const torch::jit::Method& method) {
  const std::shared_ptr<torch::jit::Graph> graph = method.graph()->copy();
  torch::jit::Inline(*graph);
  std::vector<std::string> found;
  if (graph->outputs().size() == 1) collect(graph->outputs().front(), "output", found);
  return found;
}

}  // namespace mantissa::model
