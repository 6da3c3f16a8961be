// SPDX-License-Identifier: Apache-2.0
#include "core/precision/cast_map.h"

#include <algorithm>

#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

namespace mantissa::precision {
namespace {

void append_dtypes(const c10::IValue& value, std::vector<c10::ScalarType>& dtypes) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) dtypes.push_back(value.toTensor().scalar_type());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) dtypes.push_back(tensor.scalar_type());
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      if (tensor && tensor->defined()) dtypes.push_back(tensor->scalar_type());
    }
  }
}

}  // namespace

std::optional<c10::ScalarType> CastRecord::ran_in() const {
  if (output && c10::isFloatingType(*output)) return output;
  std::optional<c10::ScalarType> widest;
  for (const c10::ScalarType dtype : inputs) {
    if (c10::isFloatingType(dtype)) widest = widest ? c10::promoteTypes(*widest, dtype) : dtype;
  }
  return widest;
}

void CastMap::before(OperatorCall& call) {
  inputs_.clear();
  for (const c10::IValue& value : call.inputs()) append_dtypes(value, inputs_);
}

void CastMap::after(OperatorCall& call) {
  std::vector<c10::ScalarType> outputs;
  for (const c10::IValue& value : call.outputs()) append_dtypes(value, outputs);
  CastRecord record;
  record.module = call.module();
  record.operator_name = call.schema().name();
  if (!call.schema().overload_name().empty()) record.operator_name += "." + call.schema().overload_name();
  record.name = call.name();
  record.inputs = inputs_;
  if (!outputs.empty()) record.output = outputs.front();
  const auto same = [&](const CastRecord& known) {
    return known.module == record.module && known.operator_name == record.operator_name &&
           known.inputs == record.inputs && known.output == record.output;
  };
  auto found = std::find_if(records_.begin(), records_.end(), same);
  if (found == records_.end()) found = records_.insert(records_.end(), std::move(record));
  ++found->calls;
}

}  // namespace mantissa::precision
