// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QtTest/QtTest>

#include "core/base/number_text.h"
#include "core/precision/scaled_optimizer.h"

/// QCOMPARE is fuzzy for floating numbers; here every bit counts.
#define COMPARE_EXACT(found, expected)                                                                                 \
  do {                                                                                                                 \
    const double found_value = (found), expected_value = (expected);                                                   \
    QVERIFY2(found_value == expected_value,                                                                            \
             ("found " + mantissa::to_text(found_value) + ", expected " + mantissa::to_text(expected_value)).c_str()); \
  } while (false)

namespace mantissa::precision {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline at::Tensor parameter(float value, at::ScalarType dtype = at::kFloat) {
  return at::full({}, value, at::TensorOptions().dtype(dtype)).requires_grad_();
}

/// Plain gradient descent that counts its steps: w ← w − lr·g.
class SmallOptimizer : public ScaledOptimizer {
 public:
  explicit SmallOptimizer(std::vector<at::Tensor> parameters, double lr = 1.0)
      : parameters_(std::move(parameters)), lr_(lr) {}

  at::ArrayRef<at::Tensor> parameters(std::size_t) override { return parameters_; }

  void step() override {
    const at::NoGradGuard no_grad;
    for (const at::Tensor& parameter : parameters_) {
      if (parameter.grad().defined()) parameter.add_(parameter.grad(), -lr_);
    }
    ++steps;
  }

  /// The (scaled) gradient of every parameter, as if backward had written it.
  void set_gradient(float value) {
    for (const at::Tensor& parameter : parameters_) {
      parameter.mutable_grad() = at::full_like(parameter.detach(), value);
    }
  }

  float value(std::size_t index = 0) const { return parameters_[index].item<float>(); }
  float gradient(std::size_t index = 0) const { return parameters_[index].grad().item<float>(); }

  int steps = 0;

 private:
  std::vector<at::Tensor> parameters_;
  double lr_;
};

}  // namespace mantissa::precision
