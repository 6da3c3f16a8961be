// SPDX-License-Identifier: Apache-2.0
#include "core/observe/deviation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/observe/elements.h"
#include "core/observe/vector_clones.h"

namespace mantissa::observe {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Independent accumulators: they fill two AVX2 registers of each sum and hide the latency of the additions.
constexpr int kLanes = 8;

struct BlockSums {
  double max = 0.0;
  double squares_of_difference = 0.0;
  double squares_of_reference = 0.0;
  double squares_of_other = 0.0;
  double products = 0.0;
};

struct Lanes {
  double max[kLanes] = {};
  double squares_of_difference[kLanes] = {};
  double squares_of_reference[kLanes] = {};
  double squares_of_other[kLanes] = {};
  double products[kLanes] = {};
};

MANTISSA_IN_CLONE double sum_of(const double (&lanes)[kLanes]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

template <class Real>
MANTISSA_IN_CLONE void add_element(Lanes& lanes, int lane, Real reference_element, Real other_element) {
  const double reference = reference_element;
  const double other = other_element;
  const double difference = other - reference;
  const double size = std::fabs(difference);
  lanes.max[lane] = size > lanes.max[lane] ? size : lanes.max[lane];
  lanes.squares_of_difference[lane] += difference * difference;
  lanes.squares_of_reference[lane] += reference * reference;
  lanes.squares_of_other[lane] += other * other;
  lanes.products[lane] += reference * other;
}

template <class Real>
MANTISSA_IN_CLONE BlockSums sums_of_block(const Real* reference, const Real* other, std::int64_t length) {
  Lanes lanes;
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) add_element(lanes, lane, reference[i + lane], other[i + lane]);
  }
  for (int lane = 0; i < length; ++i, ++lane) add_element(lanes, lane, reference[i], other[i]);
  BlockSums sums;
  for (const double size : lanes.max) sums.max = std::max(sums.max, size);
  sums.squares_of_difference = sum_of(lanes.squares_of_difference);
  sums.squares_of_reference = sum_of(lanes.squares_of_reference);
  sums.squares_of_other = sum_of(lanes.squares_of_other);
  sums.products = sum_of(lanes.products);
  return sums;
}

MANTISSA_VECTOR_CLONES
BlockSums sums_of_floats(const float* reference, const float* other, std::int64_t length) {
  return sums_of_block(reference, other, length);
}

MANTISSA_VECTOR_CLONES
BlockSums sums_of_doubles(const double* reference, const double* other, std::int64_t length) {
  return sums_of_block(reference, other, length);
}

constexpr std::int32_t kMagnitude = 0x7fffffff;
constexpr std::int32_t kInfinityBits = 0x7f800000;

MANTISSA_IN_CLONE std::int32_t bits_of(float value) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Place of a float on the number line, counted in representable values: sign and magnitude as two's complement.
MANTISSA_IN_CLONE std::int32_t place_of(float value) {
  const std::int32_t bits = bits_of(value);
  const std::int32_t sign = bits >> 31;  // 0 or -1
  return ((bits & kMagnitude) ^ sign) - sign;
}

/// Counted apart so that finite blocks, nearly all, take a loop without a branch.
struct UlpOfBlock {
  std::uint32_t finite = 0;  ///< the largest distance, if nothing in the block is non-finite
  bool non_finite = false;
};

MANTISSA_VECTOR_CLONES
UlpOfBlock ulp_of_block(const float* reference, const float* other, std::int64_t length) {
  std::uint32_t largest = 0;
  std::int32_t non_finite = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int32_t a = place_of(reference[i]);
    const std::int32_t b = place_of(other[i]);
    // At most 2 · 0x7fffffff, which fits: the subtraction wraps to the right number.
    const std::uint32_t forth = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
    const std::uint32_t distance = a > b ? forth : 0U - forth;
    largest = distance > largest ? distance : largest;
    non_finite |= (bits_of(reference[i]) & kMagnitude) >= kInfinityBits ? 1 : 0;
    non_finite |= (bits_of(other[i]) & kMagnitude) >= kInfinityBits ? 1 : 0;
  }
  return {largest, non_finite != 0};
}

double ulp_with_non_finite(const float* reference, const float* other, std::int64_t length) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < length; ++i) {
    if (std::isnan(reference[i]) || std::isnan(other[i])) return kNan;
    if (reference[i] == other[i]) continue;
    if (std::isinf(reference[i]) || std::isinf(other[i])) {
      largest = kInfinity;
    } else {
      largest = std::max(largest, std::fabs(static_cast<double>(place_of(other[i])) - place_of(reference[i])));
    }
  }
  return largest;
}

double ulp_of(const float* reference, const float* other, std::int64_t length) {
  const UlpOfBlock block = ulp_of_block(reference, other, length);
  return block.non_finite ? ulp_with_non_finite(reference, other, length) : block.finite;
}

}  // namespace

void DeviationSums::add(const at::Tensor& reference, const at::Tensor& other, Ulp ulp) {
  const Elements a(reference);
  const Elements b(other);
  if (a.count() != b.count()) {
    throw Error(ErrorKind::InvalidSetting,
                {"tensors that cannot be compared", "", 0, 0, "tensor to observe",
                 std::to_string(b.count()) + " elements", std::to_string(a.count()) + ", as the reference has", ""});
  }
  const bool in_double = a.is_double() || b.is_double();
  float a_floats[kBlock];
  float b_floats[kBlock];
  double a_doubles[kBlock];
  double b_doubles[kBlock];
  for (std::int64_t begin = 0; begin < a.count(); begin += kBlock) {
    const std::int64_t length = std::min(kBlock, a.count() - begin);
    BlockSums sums;
    if (in_double) {
      sums = sums_of_doubles(a.doubles(begin, length, a_doubles), b.doubles(begin, length, b_doubles), length);
    }
    if (!in_double || ulp == Ulp::Measure) {
      const float* const left = a.floats(begin, length, a_floats);
      const float* const right = b.floats(begin, length, b_floats);
      if (!in_double) sums = sums_of_floats(left, right, length);
      if (ulp == Ulp::Measure && !std::isnan(ulp_)) {
        const double largest = ulp_of(left, right, length);
        ulp_ = std::isnan(largest) ? largest : std::max(ulp_, largest);
      }
    }
    max_ = std::max(max_, sums.max);
    squares_of_difference_ += sums.squares_of_difference;
    squares_of_reference_ += sums.squares_of_reference;
    squares_of_other_ += sums.squares_of_other;
    products_ += sums.products;
  }
  count_ += a.count();
}

double DeviationSums::max() const {
  // A comparison never sees a NaN, the sum of squares always does.
  return std::isnan(squares_of_difference_) ? kNan : max_;
}

double DeviationSums::rmse() const {
  return count_ == 0 ? 0.0 : std::sqrt(squares_of_difference_ / static_cast<double>(count_));
}

double DeviationSums::relative() const {
  if (squares_of_difference_ == 0.0) return 0.0;
  if (squares_of_reference_ == 0.0) return std::isnan(squares_of_difference_) ? kNan : kInfinity;
  return std::sqrt(squares_of_difference_) / std::sqrt(squares_of_reference_);
}

double DeviationSums::cosine() const {
  if (squares_of_reference_ == 0.0 && squares_of_other_ == 0.0) return 1.0;
  if (std::isnan(products_)) return kNan;
  if (squares_of_reference_ == 0.0 || squares_of_other_ == 0.0) return 0.0;
  // One root of the product gives exactly 1 for equal vectors; two roots where the product leaves the range of FP64.
  const double product = squares_of_reference_ * squares_of_other_;
  const double norms =
      std::isnormal(product) ? std::sqrt(product) : std::sqrt(squares_of_reference_) * std::sqrt(squares_of_other_);
  const double cosine = products_ / norms;
  return std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0);
}

}  // namespace mantissa::observe
