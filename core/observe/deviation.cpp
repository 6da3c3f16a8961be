// SPDX-License-Identifier: Apache-2.0
#include "core/observe/deviation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/observe/blocks.h"
#include "core/observe/elements.h"
#include "core/observe/on_device.h"
#include "core/observe/vector_clones.h"

namespace mantissa::observe {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Eight FP64 numbers side by side (GCC's and Clang's vector extension): compilers leave a loop with a maximum in it
// scalar. Where the machine has shorter vectors the compiler splits them, with the same bits.
constexpr int kPack = 8;
using Pack = double __attribute__((vector_size(kPack * sizeof(double))));
using NarrowPack = float __attribute__((vector_size(kPack * sizeof(float))));

struct BlockSums {
  double max = 0.0;
  double squares_of_difference = 0.0;
  double squares_of_reference = 0.0;
  double squares_of_other = 0.0;
  double products = 0.0;
  double ulp = 0.0;
};

struct Accumulators {
  Pack max = {};
  Pack squares_of_difference = {};
  Pack squares_of_reference = {};
  Pack squares_of_other = {};
  Pack products = {};
};

// Packs travel by reference: by value they would depend on the instruction set of the caller.
MANTISSA_IN_CLONE void load(const double* from, Pack& to) { std::memcpy(&to, from, sizeof to); }

MANTISSA_IN_CLONE void load(const float* from, Pack& to) {
  NarrowPack narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  to = __builtin_convertvector(narrow, Pack);
}

template <class Real>
MANTISSA_IN_CLONE void add_pack(Accumulators& sums, const Real* reference, const Real* other) {
  Pack a;
  Pack b;
  load(reference, a);
  load(other, b);
  const Pack difference = b - a;
  const Pack size = difference < 0 ? -difference : difference;
  sums.max = size > sums.max ? size : sums.max;
  sums.squares_of_difference += difference * difference;
  sums.squares_of_reference += a * a;
  sums.squares_of_other += b * b;
  sums.products += a * b;
}

MANTISSA_IN_CLONE double sum_of(const Pack& pack) {
  double halves[kPack / 2];
  for (int i = 0; i < kPack / 2; ++i) halves[i] = pack[i] + pack[i + kPack / 2];
  return (halves[0] + halves[2]) + (halves[1] + halves[3]);
}

template <class Real>
MANTISSA_IN_CLONE BlockSums sums_of_reals(const Real* reference, const Real* other, std::int64_t length) {
  Accumulators all;
  std::int64_t i = 0;
  for (; i + kPack <= length; i += kPack) add_pack(all, reference + i, other + i);
  if (i < length) {  // zeros behind the end add nothing
    Real reference_end[kPack] = {};
    Real other_end[kPack] = {};
    std::memcpy(reference_end, reference + i, static_cast<std::size_t>(length - i) * sizeof(Real));
    std::memcpy(other_end, other + i, static_cast<std::size_t>(length - i) * sizeof(Real));
    add_pack(all, reference_end, other_end);
  }
  BlockSums sums;
  for (int lane = 0; lane < kPack; ++lane) sums.max = std::max(sums.max, all.max[lane]);
  sums.squares_of_difference = sum_of(all.squares_of_difference);
  sums.squares_of_reference = sum_of(all.squares_of_reference);
  sums.squares_of_other = sum_of(all.squares_of_other);
  sums.products = sum_of(all.products);
  return sums;
}

MANTISSA_VECTOR_CLONES
BlockSums sums_of_block(const float* reference, const float* other, std::int64_t length) {
  return sums_of_reals(reference, other, length);
}

MANTISSA_VECTOR_CLONES
BlockSums sums_of_block(const double* reference, const double* other, std::int64_t length) {
  return sums_of_reals(reference, other, length);
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
struct FiniteUlp {
  std::uint32_t largest = 0;  ///< distance, if nothing in the block is non-finite
  bool non_finite = false;
};

MANTISSA_VECTOR_CLONES
FiniteUlp finite_ulp(const float* reference, const float* other, std::int64_t length) {
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

double ulp_of_block(const float* reference, const float* other, std::int64_t length) {
  const FiniteUlp block = finite_ulp(reference, other, length);
  return block.non_finite ? ulp_with_non_finite(reference, other, length) : block.largest;
}

}  // namespace

void DeviationSums::add(const at::Tensor& reference, const at::Tensor& other, Ulp ulp) {
  if (reference.defined() && other.defined() && !reference.is_cpu() && reference.numel() == other.numel()) {
    add_on_device(reference, other, ulp);
    return;
  }
  const Elements a(reference);
  const Elements b(other);
  if (a.count() != b.count()) {
    throw Error(ErrorKind::InvalidSetting,
                {"tensors that cannot be compared", "", 0, 0, "tensor to observe",
                 std::to_string(b.count()) + " elements", std::to_string(a.count()) + ", as the reference has", ""});
  }
  const bool in_double = a.is_double() || b.is_double();
  const bool measure_ulp = ulp == Ulp::Measure && !std::isnan(ulp_);
  const auto of_block = [&](std::int64_t begin, std::int64_t length) {
    float a_floats[kBlock];
    float b_floats[kBlock];
    double a_doubles[kBlock];
    double b_doubles[kBlock];
    BlockSums sums =
        in_double ? sums_of_block(a.doubles(begin, length, a_doubles), b.doubles(begin, length, b_doubles), length)
                  : sums_of_block(a.floats(begin, length, a_floats), b.floats(begin, length, b_floats), length);
    if (measure_ulp) {
      sums.ulp = ulp_of_block(a.floats(begin, length, a_floats), b.floats(begin, length, b_floats), length);
    }
    return sums;
  };
  for (const BlockSums& sums : of_blocks<BlockSums>(a.count(), of_block)) {
    max_ = std::max(max_, sums.max);
    squares_of_difference_ += sums.squares_of_difference;
    squares_of_reference_ += sums.squares_of_reference;
    squares_of_other_ += sums.squares_of_other;
    products_ += sums.products;
    add_ulp(sums.ulp);
  }
  count_ += a.count();
}

void DeviationSums::add_on_device(const at::Tensor& reference, const at::Tensor& other, Ulp ulp) {
  const on_device::PairSums sums = on_device::pair_sums(reference, other);
  max_ = std::max(max_, sums.max);
  squares_of_difference_ += sums.squares_of_difference;
  squares_of_reference_ += sums.squares_of_reference;
  squares_of_other_ += sums.squares_of_other;
  products_ += sums.products;
  if (ulp == Ulp::Measure) add_ulp(on_device::largest_ulp(reference, other));
  count_ += reference.numel();
}

void DeviationSums::add_ulp(double largest) {
  if (!std::isnan(ulp_)) ulp_ = std::isnan(largest) ? largest : std::max(ulp_, largest);
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
