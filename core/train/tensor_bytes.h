// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "core/record/trial.h"

namespace mantissa::train {

/// safetensors' word for a dtype: "F32", "BF16", "I64" …
std::string dtype_word(at::ScalarType type);

/// A copy of a tensor's elements in row-major order, from any device and any memory layout.
record::TensorBytes to_bytes(std::string name, const at::Tensor& tensor);

/// A tensor of its own on the CPU. \throws Error ArchiveDamaged for an unknown dtype or a size that does not fit the
/// shape.
at::Tensor to_tensor(const record::TensorBytes& bytes);

}  // namespace mantissa::train
