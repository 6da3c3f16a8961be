// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ATen/core/Tensor.h>
#include <ATen/ops/scalar_tensor.h>

namespace mantissa::train {

/// A number as PyTorch's Python code holds it: a Python float, or a tensor without dimensions. Mixing both rounds the
/// float to the tensor's dtype first, and the result is a tensor again; which of the two a value is decides its last
/// bit.
class PythonNumber {
 public:
  PythonNumber(double value) : value_(value) {}  // NOLINT: a Python float
  explicit PythonNumber(const at::Tensor& tensor)
      : value_(tensor.item<double>()), single_(tensor.scalar_type() == at::kFloat) {}

  double value() const { return value_; }

  friend PythonNumber operator+(PythonNumber a, PythonNumber b) {
    return a.single_ || b.single_ ? PythonNumber(a.narrow() + b.narrow(), true) : PythonNumber(a.value_ + b.value_);
  }
  friend PythonNumber operator-(PythonNumber a, PythonNumber b) {
    return a.single_ || b.single_ ? PythonNumber(a.narrow() - b.narrow(), true) : PythonNumber(a.value_ - b.value_);
  }
  friend PythonNumber operator*(PythonNumber a, PythonNumber b) {
    return a.single_ || b.single_ ? PythonNumber(a.narrow() * b.narrow(), true) : PythonNumber(a.value_ * b.value_);
  }
  friend PythonNumber operator/(PythonNumber a, PythonNumber b) {
    if (!a.single_ && !b.single_) return a.value_ / b.value_;
    // A float over a tensor is the tensor's reciprocal times the float.
    if (!a.single_) return {(1.0F / b.narrow()) * a.narrow(), true};
    return {a.narrow() / b.narrow(), true};
  }
  friend PythonNumber operator-(PythonNumber a) { return a.single_ ? PythonNumber(-a.narrow(), true) : -a.value_; }
  friend PythonNumber abs(PythonNumber a) { return a.value_ < 0 ? -a : a; }
  /// ATen's root of an FP32 tensor comes from MKL's vector library and is not always the nearest number.
  friend PythonNumber sqrt(PythonNumber a) {
    return a.single_ ? PythonNumber(at::scalar_tensor(a.narrow(), at::kFloat).sqrt()) : std::sqrt(a.value_);
  }

  friend bool operator<(PythonNumber a, PythonNumber b) {
    return a.single_ || b.single_ ? a.narrow() < b.narrow() : a.value_ < b.value_;
  }
  friend bool operator>(PythonNumber a, PythonNumber b) { return b < a; }
  friend bool operator<=(PythonNumber a, PythonNumber b) {
    return a.single_ || b.single_ ? a.narrow() <= b.narrow() : a.value_ <= b.value_;
  }
  friend bool operator>=(PythonNumber a, PythonNumber b) { return b <= a; }

  /// Python's min and max: the first where both are equal, with the kind it has.
  friend PythonNumber min(PythonNumber a, PythonNumber b) { return b < a ? b : a; }
  friend PythonNumber max(PythonNumber a, PythonNumber b) { return b > a ? b : a; }

 private:
  PythonNumber(float value, bool single) : value_(value), single_(single) {}
  float narrow() const { return static_cast<float>(value_); }

  double value_;
  bool single_ = false;  // an FP32 tensor; an FP64 one reckons like a Python float
};

}  // namespace mantissa::train
