// SPDX-License-Identifier: Apache-2.0
#include "core/observe/on_device.h"

#include <limits>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace mantissa::observe::on_device {
namespace {

/// All elements in logical order, without a trace in autograd.
at::Tensor flat(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor dense = tensor.layout() == at::kStrided ? tensor : tensor.to_dense();
  return dense.detach().to(type).flatten();
}

/// Place of each FP32 number on the number line, counted in representable values; both zeros are place 0.
at::Tensor places_of(const at::Tensor& floats) {
  constexpr std::int64_t kMagnitude = 0x7fffffff;
  const at::Tensor bits = floats.view(at::kInt).to(at::kLong);
  const at::Tensor magnitudes = bits.bitwise_and(kMagnitude);
  return at::where(bits.lt(0), magnitudes.neg(), magnitudes);
}

}  // namespace

bool all_finite(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> verdicts;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined() || !at::isFloatingType(tensor.scalar_type())) continue;
    const at::Tensor values = tensor.is_sparse() ? tensor.detach().coalesce().values() : tensor.detach();
    verdicts.push_back(at::isfinite(values).all());
  }
  return verdicts.empty() || at::stack(verdicts).all().item<bool>();
}

double sum_of_squares(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> sums;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    const at::Tensor values = flat(tensor, at::kDouble);
    sums.push_back(values.dot(values));
  }
  return sums.empty() ? 0.0 : at::stack(sums).sum().item<double>();
}

double sum_of_squares_of_differences(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> sums;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const at::Tensor difference = flat(a[i], at::kDouble) - flat(b[i], at::kDouble);
    sums.push_back(difference.dot(difference));
  }
  return sums.empty() ? 0.0 : at::stack(sums).sum().item<double>();
}

PairSums pair_sums(const at::Tensor& reference, const at::Tensor& other) {
  if (reference.numel() == 0) return {};
  const at::NoGradGuard no_grad;
  const at::Tensor a = flat(reference, at::kDouble);
  const at::Tensor b = flat(other, at::kDouble);
  const at::Tensor difference = b - a;
  const at::Tensor sums =
      at::stack({difference.abs().max(), difference.dot(difference), a.dot(a), b.dot(b), a.dot(b)}).cpu();
  const double* const values = sums.const_data_ptr<double>();
  return {values[0], values[1], values[2], values[3], values[4]};
}

double largest_ulp(const at::Tensor& reference, const at::Tensor& other) {
  if (reference.numel() == 0) return 0.0;
  const at::NoGradGuard no_grad;
  const at::Tensor a = flat(reference, at::kFloat);
  const at::Tensor b = flat(other, at::kFloat);
  const at::Tensor unequal = a.ne(b);
  const at::Tensor distances = at::where(unequal, (places_of(b) - places_of(a)).abs(), 0);
  const at::Tensor found =
      at::stack({a.isnan().logical_or(b.isnan()).any().to(at::kLong),
                 a.isinf().logical_or(b.isinf()).logical_and(unequal).any().to(at::kLong), distances.max()})
          .cpu();
  const auto* const values = found.const_data_ptr<std::int64_t>();
  if (values[0] != 0) return std::numeric_limits<double>::quiet_NaN();
  if (values[1] != 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(values[2]);
}

}  // namespace mantissa::observe::on_device
