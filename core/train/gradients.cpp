// SPDX-License-Identifier: Apache-2.0
#include "core/train/gradients.h"

#include <cmath>

#include <ATen/ATen.h>
#include <c10/core/ScalarType.h>

namespace mantissa::train {

at::Tensor total_norm(const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> norms;
  norms.reserve(gradients.size());
  for (const at::Tensor& gradient : gradients) {
    norms.push_back(at::linalg_vector_norm(gradient.is_sparse() ? gradient.coalesce().values() : gradient));
  }
  return at::linalg_vector_norm(at::stack(norms));
}

double clip_coefficient(double clip_norm, float norm, at::ScalarType norm_type) {
  if (norm_type != at::kFloat) {
    const at::Tensor in_type = at::scalar_tensor(norm, norm_type);
    return at::clamp_max((in_type + 1e-6).reciprocal() * clip_norm, 1.0).item<double>();
  }
  // PyTorch divides a number by a tensor as reciprocal times number, in FP32: the last bit depends on it.
  const float coefficient = (1.0F / (norm + 1e-6F)) * static_cast<float>(clip_norm);
  return std::isnan(coefficient) ? coefficient : std::fmin(coefficient, 1.0F);
}

at::ScalarType norm_type(const std::vector<at::Tensor>& gradients) {
  at::ScalarType type = gradients.front().scalar_type();
  for (const at::Tensor& gradient : gradients) type = c10::promoteTypes(type, gradient.scalar_type());
  return type;
}

}  // namespace mantissa::train
