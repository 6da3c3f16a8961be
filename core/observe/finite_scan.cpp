// SPDX-License-Identifier: Apache-2.0
#include "core/observe/finite_scan.h"

#include <algorithm>
#include <cmath>

#include <c10/core/ScalarType.h>

#include "core/observe/elements.h"
#include "core/observe/on_device.h"
#include "core/observe/vector_clones.h"

namespace mantissa::observe {
namespace {

/// Whether every value has an exponent that is not all ones. `Bits` is the unsigned type of the dtype's width,
/// `infinity` its positive infinity: what is not smaller without its sign is infinity or NaN.
template <class Bits>
MANTISSA_IN_CLONE bool finite_block(const Bits* values, std::int64_t length, Bits infinity) {
  const Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
  Bits found = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    found |= static_cast<Bits>(values[i] & magnitude) >= infinity ? Bits{1} : Bits{0};
  }
  return found == 0;
}

MANTISSA_VECTOR_CLONES
bool finite_16(const std::uint16_t* values, std::int64_t length, std::uint16_t infinity) {
  return finite_block(values, length, infinity);
}

MANTISSA_VECTOR_CLONES
bool finite_32(const std::uint32_t* values, std::int64_t length, std::uint32_t infinity) {
  return finite_block(values, length, infinity);
}

MANTISSA_VECTOR_CLONES
bool finite_64(const std::uint64_t* values, std::int64_t length, std::uint64_t infinity) {
  return finite_block(values, length, infinity);
}

template <class Bits>
bool finite_elements(const void* data, std::int64_t count, Bits infinity,
                     bool (*is_finite)(const Bits*, std::int64_t, Bits)) {
  const auto* const values = static_cast<const Bits*>(data);
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    if (!is_finite(values + begin, std::min(kBlock, count - begin), infinity)) return false;
  }
  return true;
}

NonFinite look_closely(const at::Tensor& tensor, std::size_t place) {
  const Elements elements(tensor);
  NonFinite found;
  found.tensor = place;
  double buffer[kBlock];
  for (std::int64_t begin = 0; begin < elements.count(); begin += kBlock) {
    const std::int64_t length = std::min(kBlock, elements.count() - begin);
    const double* const values = elements.doubles(begin, length, buffer);
    for (std::int64_t i = 0; i < length; ++i) {
      if (std::isfinite(values[i])) continue;
      if (found.count++ > 0) continue;
      found.index = begin + i;
      found.value = values[i];
    }
  }
  return found;
}

}  // namespace

bool all_finite(const at::Tensor& tensor) {
  if (!tensor.defined() || !c10::isFloatingType(tensor.scalar_type())) return true;
  if (!tensor.is_cpu()) return on_device::all_finite({tensor});
  const at::Tensor plain = laid_out(tensor);
  const void* const data = plain.const_data_ptr();
  const std::int64_t count = plain.numel();
  switch (plain.scalar_type()) {
    case c10::kFloat:
      return finite_elements<std::uint32_t>(data, count, 0x7f800000U, finite_32);
    case c10::kDouble:
      return finite_elements<std::uint64_t>(data, count, 0x7ff0000000000000U, finite_64);
    case c10::kHalf:
      return finite_elements<std::uint16_t>(data, count, 0x7c00U, finite_16);
    case c10::kBFloat16:
      return finite_elements<std::uint16_t>(data, count, 0x7f80U, finite_16);
    default:
      return look_closely(plain, 0).count == 0;
  }
}

bool all_finite(const std::vector<at::Tensor>& tensors) {
  if (lie_on_device(tensors)) return on_device::all_finite(tensors);
  return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return all_finite(tensor); });
}

std::optional<NonFinite> first_non_finite(const std::vector<at::Tensor>& tensors) {
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    if (!all_finite(tensors[place])) return look_closely(tensors[place], place);
  }
  return std::nullopt;
}

std::optional<double> largest_finite_magnitude(const std::vector<at::Tensor>& tensors) {
  std::optional<double> largest;
  double buffer[kBlock];
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    const Elements elements(tensor);
    for (std::int64_t begin = 0; begin < elements.count(); begin += kBlock) {
      const std::int64_t length = std::min(kBlock, elements.count() - begin);
      const double* const values = elements.doubles(begin, length, buffer);
      for (std::int64_t i = 0; i < length; ++i) {
        if (std::isfinite(values[i])) largest = std::max(largest.value_or(0.0), std::abs(values[i]));
      }
    }
  }
  return largest;
}

}  // namespace mantissa::observe
