// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/observe/blocks.h"

namespace mantissa::observe {

/// The elements of a tensor in the order of its logical indices, as FP32 or FP64, without a copy where there need be
/// none.
class Elements {
 public:
  /// \param tensor  any floating dtype, layout and device.
  /// \throws Error (InvalidSetting)  for an undefined tensor or one that is not of a floating dtype.
  explicit Elements(const at::Tensor& tensor);

  std::int64_t count() const { return count_; }
  bool is_double() const { return kind_ == Kind::Double; }

  /// `length` elements from `begin` on; in `buffer`, which holds kBlock, unless they stand in memory as they are asked
  /// for.
  const float* floats(std::int64_t begin, std::int64_t length, float* buffer) const;
  const double* doubles(std::int64_t begin, std::int64_t length, double* buffer) const;

 private:
  enum class Kind { Float, Double, Half, BFloat16 };

  at::Tensor copy_;  // keeps the elements alive where they had to be copied
  const void* data_ = nullptr;
  std::int64_t count_ = 0;
  Kind kind_ = Kind::Float;
};

/// Whether the tensors lie on a GPU, as the first that is defined does.
bool lie_on_device(const std::vector<at::Tensor>& tensors);

/// A tensor whose elements lie one after another in this process's memory; the tensor itself where that is so already.
/// Leaves no trace in autograd.
at::Tensor laid_out(const at::Tensor& tensor);

}  // namespace mantissa::observe
