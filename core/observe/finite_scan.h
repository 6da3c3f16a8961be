// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::observe {

/// Whether a tensor (any dtype, any layout, any device) holds neither NaN nor infinity; true for an empty, an integer
/// and an undefined one. One pass at memory speed on the CPU, which ends early; changes nothing.
bool all_finite(const at::Tensor& tensor);

/// The same of all tensors.
bool all_finite(const std::vector<at::Tensor>& tensors);

/// The first non-finite tensor of a list.
struct NonFinite {
  std::size_t tensor = 0;  ///< its place in the list
  std::int64_t index = 0;  ///< of its first non-finite element, in logical order
  double value = 0.0;      ///< of that element: NaN, +infinity or -infinity
  std::int64_t count = 0;  ///< number of its non-finite elements
};

/// Nothing where all are finite: then as fast as `all_finite`.
std::optional<NonFinite> first_non_finite(const std::vector<at::Tensor>& tensors);

/// The largest finite magnitude in any of the tensors (undefined ones are passed over); nothing where no element is
/// finite. Reads everything element by element: for skipped steps, not for every one.
std::optional<double> largest_finite_magnitude(const std::vector<at::Tensor>& tensors);

}  // namespace mantissa::observe
