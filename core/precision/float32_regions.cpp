// SPDX-License-Identifier: Apache-2.0
#include "core/precision/float32_regions.h"

#include <algorithm>
#include <optional>

#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>

#include <fnmatch.h>

namespace mantissa::precision {
namespace {

bool is_reduced(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16);
}

/// Applies `cast` to every FP16 or BF16 tensor of a value; lists are replaced only where one is in them.
template <class CastFunction>
void cast_value(c10::IValue& value, const CastFunction& cast) {
  if (value.isTensor()) {
    if (is_reduced(value.toTensor())) value = cast(value.toTensor());
  } else if (value.isTensorList()) {
    std::vector<at::Tensor> tensors = value.toTensorVector();
    if (std::none_of(tensors.begin(), tensors.end(), is_reduced)) return;
    for (at::Tensor& tensor : tensors) {
      if (is_reduced(tensor)) tensor = cast(tensor);
    }
    value = c10::List<at::Tensor>(tensors);
  } else if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> tensors;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      tensors.push_back(tensor && is_reduced(*tensor) ? cast(*tensor) : tensor);
    }
    value = tensors;
  }
}

}  // namespace

int matched_module(const std::string& pattern, const std::string& path) {
  for (std::size_t end = path.find('.');; end = path.find('.', end + 1)) {
    const std::string module = path.substr(0, end);
    if (::fnmatch(pattern.c_str(), module.c_str(), 0) == 0) return static_cast<int>(module.size());
    if (end == std::string::npos) return -1;
  }
}

bool matches_operator(const std::string& pattern, std::string_view name) {
  const auto matches = [&](std::string_view candidate) {
    return ::fnmatch(pattern.c_str(), std::string(candidate).c_str(), 0) == 0;
  };
  if (matches(name)) return true;
  const std::string_view out_of_place = name.back() == '_' ? name.substr(0, name.size() - 1) : name;
  return matches(out_of_place) || (name.front() == '_' && matches(out_of_place.substr(1)));
}

const Float32Regions::Module& Float32Regions::module_of(const std::string& path) {
  const auto known = modules_.find(path);
  if (known != modules_.end()) return known->second;
  Module module;
  for (const spec::Float32Region& region : regions_) {
    const int length = region.module.empty() ? 0 : matched_module(region.module, path);
    if (length < 0) continue;
    if (!region.operator_name.empty()) {
      module.operators.push_back(region.operator_name);
    } else if (!module.all || static_cast<std::size_t>(length) < module.whole.size()) {
      module.all = true;
      module.whole = path.substr(0, static_cast<std::size_t>(length));
    }
  }
  return modules_.emplace(path, std::move(module)).first->second;
}

at::Tensor Float32Regions::cast_once(const at::Tensor& source) {
  const std::uint32_t version = source.is_inference() ? 0 : source._version();
  const auto known = casts_.find(source.unsafeGetTensorImpl());
  if (known != casts_.end() && known->second.version == version &&
      known->second.for_gradients == at::GradMode::is_enabled()) {
    return known->second.result;
  }
  at::Tensor result = source.to(at::kFloat);
  casts_[source.unsafeGetTensorImpl()] = {source, version, at::GradMode::is_enabled(), result};
  return result;
}

void Float32Regions::before(OperatorCall& call) {
  const Module& module = module_of(call.module());
  if (is_inside_ && !(module.all && module.whole == inside_)) leave();
  if (module.all) {
    is_inside_ = true;
    inside_ = module.whole;
    call.run_without_autocast();
    for (c10::IValue& value : call.inputs()) {
      cast_value(value, [this](const at::Tensor& tensor) { return cast_once(tensor); });
    }
    return;
  }
  const auto is_meant = [&](const std::string& pattern) { return matches_operator(pattern, call.name()); };
  if (std::none_of(module.operators.begin(), module.operators.end(), is_meant)) return;
  call.run_without_autocast();
  const std::vector<c10::Argument>& arguments = call.schema().arguments();
  const OperatorValues inputs = call.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (arguments[i].alias_info() != nullptr && arguments[i].alias_info()->isWrite()) continue;
    cast_value(inputs[i], [](const at::Tensor& tensor) { return tensor.to(at::kFloat); });
  }
}

void Float32Regions::leave() {
  is_inside_ = false;
  casts_.clear();
}

}  // namespace mantissa::precision
