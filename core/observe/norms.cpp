// SPDX-License-Identifier: Apache-2.0
#include "core/observe/norms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/observe/blocks.h"
#include "core/observe/elements.h"
#include "core/observe/on_device.h"
#include "core/observe/vector_clones.h"

namespace mantissa::observe {
namespace {

constexpr int kLanes = 16;  // four AVX2 registers of accumulators hide the latency of the additions

MANTISSA_IN_CLONE double sum_of(const double (&lanes)[kLanes]) {
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

template <class Real>
MANTISSA_IN_CLONE double squares_of_block(const Real* values, std::int64_t length) {
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      lanes[lane] += value * value;
    }
  }
  for (int lane = 0; i < length; ++i, ++lane) {
    const double value = values[i];
    lanes[lane] += value * value;
  }
  return sum_of(lanes);
}

template <class Real>
MANTISSA_IN_CLONE double squares_of_difference_of_block(const Real* a, const Real* b, std::int64_t length) {
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double difference = static_cast<double>(a[i + lane]) - static_cast<double>(b[i + lane]);
      lanes[lane] += difference * difference;
    }
  }
  for (int lane = 0; i < length; ++i, ++lane) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    lanes[lane] += difference * difference;
  }
  return sum_of(lanes);
}

MANTISSA_VECTOR_CLONES
double squares(const float* values, std::int64_t length) { return squares_of_block(values, length); }

MANTISSA_VECTOR_CLONES
double squares(const double* values, std::int64_t length) { return squares_of_block(values, length); }

MANTISSA_VECTOR_CLONES
double squares_of_difference(const float* a, const float* b, std::int64_t length) {
  return squares_of_difference_of_block(a, b, length);
}

MANTISSA_VECTOR_CLONES
double squares_of_difference(const double* a, const double* b, std::int64_t length) {
  return squares_of_difference_of_block(a, b, length);
}

void require_equal(std::size_t a, std::size_t b, const char* what) {
  if (a == b) return;
  throw Error(ErrorKind::InvalidSetting, {"tensors that cannot be subtracted", "", 0, 0, "tensor to observe",
                                          std::to_string(b) + ' ' + what, std::to_string(a), ""});
}

}  // namespace

double two_norm(const std::vector<at::Tensor>& tensors) {
  if (lie_on_device(tensors)) return std::sqrt(on_device::sum_of_squares(tensors));
  double sum = 0.0;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    const Elements elements(tensor);
    const auto of_block = [&elements](std::int64_t begin, std::int64_t length) {
      float floats[kBlock];
      return elements.is_double() ? squares(elements.doubles(begin, length, nullptr), length)
                                  : squares(elements.floats(begin, length, floats), length);
    };
    for (const double block : of_blocks<double>(elements.count(), of_block)) sum += block;
  }
  return std::sqrt(sum);
}

double difference_norm(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  require_equal(a.size(), b.size(), "tensors");
  if (lie_on_device(a)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      require_equal(static_cast<std::size_t>(a[i].numel()), static_cast<std::size_t>(b[i].numel()), "elements");
    }
    return std::sqrt(on_device::sum_of_squares_of_differences(a, b));
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Elements left(a[i]);
    const Elements right(b[i]);
    require_equal(static_cast<std::size_t>(left.count()), static_cast<std::size_t>(right.count()), "elements");
    const bool in_double = left.is_double() || right.is_double();
    const auto of_block = [&](std::int64_t begin, std::int64_t length) {
      float a_floats[kBlock];
      float b_floats[kBlock];
      double a_doubles[kBlock];
      double b_doubles[kBlock];
      return in_double ? squares_of_difference(left.doubles(begin, length, a_doubles),
                                               right.doubles(begin, length, b_doubles), length)
                       : squares_of_difference(left.floats(begin, length, a_floats),
                                               right.floats(begin, length, b_floats), length);
    };
    for (const double block : of_blocks<double>(left.count(), of_block)) sum += block;
  }
  return std::sqrt(sum);
}

}  // namespace mantissa::observe
