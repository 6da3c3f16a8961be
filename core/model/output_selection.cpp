// SPDX-License-Identifier: Apache-2.0
#include "core/model/output_selection.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <ATen/core/class_type.h>
#include <ATen/core/ivalue_inl.h>
#include <ATen/core/jit_type.h>

#include "core/base/error.h"

namespace mantissa::model {
namespace {

using Children = std::vector<std::pair<std::string, c10::IValue>>;  // as a selector spells the step, and what is there

bool is_identifier(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

std::vector<std::string> field_names(const c10::IValue& tuple) {
  const auto type = tuple.toTupleRef().type<c10::TupleType>();
  std::vector<std::string> names;
  if (const auto found = type->names()) names.assign(found->begin(), found->end());
  return names;
}

Children children_of(const c10::IValue& value) {
  Children children;
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    const std::vector<std::string> names = field_names(value);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      children.emplace_back(names.empty() ? step_to(i) : step_to(names[i]), elements[i]);
    }
  } else if (value.isList()) {
    const auto elements = value.toListRef();
    for (std::size_t i = 0; i < elements.size(); ++i) children.emplace_back(step_to(i), elements[i]);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      if (entry.key().isString()) children.emplace_back(step_to(entry.key().toStringRef()), entry.value());
      if (entry.key().isInt()) children.emplace_back("[" + std::to_string(entry.key().toInt()) + "]", entry.value());
    }
  } else if (value.isObject()) {
    const auto object = value.toObject();
    for (std::size_t i = 0; i < object->type()->numAttributes(); ++i) {
      children.emplace_back(step_to(object->type()->getAttributeName(i)), object->getSlot(i));
    }
  }
  return children;
}

/// A named tuple's fields have places, too: Python takes both.
std::optional<c10::IValue> child(const c10::IValue& value, const spec::OutputStep& step) {
  const auto* const index = std::get_if<std::int64_t>(&step);
  if (index != nullptr && value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    if (*index >= static_cast<std::int64_t>(elements.size())) return std::nullopt;
    return elements[static_cast<std::size_t>(*index)];
  }
  const std::string spelled =
      index != nullptr ? step_to(static_cast<std::size_t>(*index)) : step_to(std::get<std::string>(step));
  for (auto& [name, inner] : children_of(value)) {
    if (name == spelled) return inner;
  }
  return std::nullopt;
}

void collect(const c10::IValue& value, const std::string& selector, int depth, std::vector<NamedOutput>& found) {
  constexpr int kDeepest = 8;  // an object can hold itself
  if (value.isTensor()) {
    if (value.toTensor().defined()) found.push_back({selector, value.toTensor()});
  } else if (depth < kDeepest) {
    for (const auto& [step, inner] : children_of(value)) collect(inner, selector + step, depth + 1, found);
  }
}

std::string described(const NamedOutput& output) {
  std::string text = output.selector + " (" + c10::toString(output.tensor.scalar_type());
  if (output.tensor.dim() == 0) return text + " scalar)";
  text += " [";
  for (std::int64_t i = 0; i < output.tensor.dim(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(output.tensor.size(i));
  }
  return text + "])";
}

std::string described(const std::vector<NamedOutput>& outputs) {
  constexpr std::size_t kShown = 8;
  if (outputs.empty()) return "nothing that holds a tensor";
  std::string text;
  for (std::size_t i = 0; i < outputs.size() && i < kShown; ++i) text += (i > 0 ? ", " : "") + described(outputs[i]);
  return outputs.size() > kShown ? text + ", …" : text;
}

/// Edit distance (Levenshtein), over one row of its table.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row.back();
}

constexpr char kNoLossRemedy[] = "Let forward return the mean of the losses, or choose another training.loss";

bool could_be_loss(const at::Tensor& tensor) { return tensor.dim() == 0 && tensor.is_floating_point(); }

[[noreturn]] void refuse(const std::string& key, const std::string& selector, const std::string& problem,
                         const std::vector<NamedOutput>& outputs) {
  const bool of_loss = key == "model.loss";
  // Of the whole, the first that could be meant: a scalar is a loss, anything else a prediction.
  const auto rank = [&](const NamedOutput& output) {
    const bool unfit = of_loss ? !could_be_loss(output.tensor) : output.tensor.dim() == 0;
    return std::pair(unfit, selector == "output" ? 0 : distance(selector, output.selector));
  };
  std::string remedy = of_loss ? kNoLossRemedy : "";
  if (!outputs.empty()) {
    const auto nearest = std::min_element(
        outputs.begin(), outputs.end(), [&](const NamedOutput& a, const NamedOutput& b) { return rank(a) < rank(b); });
    const bool can_be_set = nearest->selector != selector && (!of_loss || could_be_loss(nearest->tensor));
    if (can_be_set) remedy = "Set " + key + " = '" + nearest->selector + "', for instance";
  }
  throw Error(ErrorKind::InvalidSetting, {problem, "", 0, 0, key, selector, described(outputs), remedy});
}

}  // namespace

std::string step_to(const std::string& name) { return is_identifier(name) ? "." + name : "[\"" + name + "\"]"; }
std::string step_to(std::size_t index) { return "[" + std::to_string(index) + "]"; }

std::vector<NamedOutput> tensors_of(const c10::IValue& output) {
  std::vector<NamedOutput> found;
  collect(output, "output", 0, found);
  return found;
}

OutputSelection::OutputSelection(std::string key, std::string selector)
    : key_(std::move(key)),
      selector_(std::move(selector)),
      steps_(spec::parse_output_selector(selector_).value_or(std::vector<spec::OutputStep>())) {}

at::Tensor OutputSelection::pick(const c10::IValue& output) const {
  c10::IValue value = output;
  for (const spec::OutputStep& step : steps_) {
    auto inner = child(value, step);
    if (!inner) refuse(key_, selector_, "the model returns no such output", tensors_of(output));
    value = *std::move(inner);
  }
  if (!value.isTensor()) {
    refuse(key_, selector_, whole() ? "the model returns several outputs" : "this output is no tensor",
           tensors_of(output));
  }
  return value.toTensor();
}

at::Tensor pick_loss(const OutputSelection& selection, const c10::IValue& output) {
  at::Tensor loss;
  if (selection.whole() && !output.isTensor()) {
    const std::vector<NamedOutput> outputs = tensors_of(output);
    for (const NamedOutput& candidate : outputs) {
      if (!could_be_loss(candidate.tensor)) continue;
      if (loss.defined()) refuse("model.loss", "output", "the model returns several scalars", outputs);
      loss = candidate.tensor;
    }
    if (!loss.defined()) refuse("model.loss", "output", "the model returns no scalar that could be its loss", outputs);
    return loss;
  }
  loss = selection.pick(output);
  if (!could_be_loss(loss)) {
    throw Error(ErrorKind::InvalidSetting,
                {"the loss that the model returns is no floating scalar", "", 0, 0, "model.loss",
                 described(NamedOutput{"output", loss}), "a scalar, one number a batch", kNoLossRemedy});
  }
  return loss;
}

}  // namespace mantissa::model
