// SPDX-License-Identifier: Apache-2.0
#include "core/observe/elements.h"

#include <cstring>
#include <string>

#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>
#include <c10/util/BFloat16.h>

#include "core/base/error.h"
#include "core/observe/vector_clones.h"

namespace mantissa::observe {
namespace {

MANTISSA_VECTOR_CLONES
void widen_bfloat16(const c10::BFloat16* from, std::int64_t length, float* to) {
  for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<float>(from[i]);
}

/// FP16 to FP32 without a branch, so that the loop becomes vector instructions: c10's own conversion does not.
MANTISSA_IN_CLONE float widened(std::uint16_t half) {
  constexpr std::uint32_t kExponent = 0x1fU << 23;         // FP16's exponent where FP32 has its low exponent bits
  constexpr std::uint32_t kRebias = (127U - 15U) << 23;    // between the two biases
  constexpr std::uint32_t kSmallest = (127U - 14U) << 23;  // 2^-14, the smallest normal FP16
  const std::uint32_t magnitude = (half & 0x7fffU) << 13;
  const std::uint32_t exponent = magnitude & kExponent;
  const std::uint32_t normal = magnitude + kRebias;
  const std::uint32_t beyond = normal + kRebias;  // infinity and NaN: all ones again, FP32 has 8 bits of exponent
  // Subnormal: with the exponent of 2^-14 it reads 2^-14 + value, exactly.
  const std::uint32_t shifted = magnitude + kSmallest;
  float above = 0.0F;
  float smallest = 0.0F;
  std::memcpy(&above, &shifted, sizeof above);
  std::memcpy(&smallest, &kSmallest, sizeof smallest);
  const float subnormal = above - smallest;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &subnormal, sizeof bits);
  // Chosen by masks: a conditional would become a jump around the subtraction.
  const std::uint32_t if_subnormal = 0U - static_cast<std::uint32_t>(exponent == 0);
  const std::uint32_t if_beyond = 0U - static_cast<std::uint32_t>(exponent == kExponent);
  bits = (bits & if_subnormal) | (normal & ~if_subnormal & ~if_beyond) | (beyond & if_beyond);
  bits |= (half & 0x8000U) << 16;
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

MANTISSA_VECTOR_CLONES
void widen_half(const std::uint16_t* from, std::int64_t length, float* to) {
  for (std::int64_t i = 0; i < length; ++i) to[i] = widened(from[i]);
}

MANTISSA_VECTOR_CLONES
void widen_float(const float* from, std::int64_t length, double* to) {
  for (std::int64_t i = 0; i < length; ++i) to[i] = from[i];
}

void refuse(const char* found) {
  throw Error(ErrorKind::InvalidSetting,
              {"", "", 0, 0, "tensor to observe", found, "a tensor of a floating dtype", ""});
}

}  // namespace

bool lie_on_device(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) return !tensor.is_cpu();
  }
  return false;
}

at::Tensor laid_out(const at::Tensor& tensor) {
  if (tensor.layout() == c10::kStrided && tensor.device().is_cpu() && tensor.is_contiguous()) return tensor;
  const at::NoGradGuard no_grad;
  const at::Tensor dense = tensor.layout() == c10::kStrided ? tensor : tensor.to_dense();
  return dense.to(c10::kCPU).contiguous();
}

Elements::Elements(const at::Tensor& tensor) {
  if (!tensor.defined()) refuse("no tensor");
  if (!c10::isFloatingType(tensor.scalar_type())) refuse(c10::toString(tensor.scalar_type()));
  copy_ = laid_out(tensor);
  switch (copy_.scalar_type()) {
    case c10::kFloat:
      kind_ = Kind::Float;
      break;
    case c10::kDouble:
      kind_ = Kind::Double;
      break;
    case c10::kHalf:
      kind_ = Kind::Half;
      break;
    case c10::kBFloat16:
      kind_ = Kind::BFloat16;
      break;
    default: {  // FP8 and whatever comes: exact in FP32
      const at::NoGradGuard no_grad;
      copy_ = copy_.to(c10::kFloat);
    }
  }
  data_ = copy_.const_data_ptr();
  count_ = copy_.numel();
}

const float* Elements::floats(std::int64_t begin, std::int64_t length, float* buffer) const {
  switch (kind_) {
    case Kind::Float:
      return static_cast<const float*>(data_) + begin;
    case Kind::Half:
      widen_half(static_cast<const std::uint16_t*>(data_) + begin, length, buffer);
      break;
    case Kind::BFloat16:
      widen_bfloat16(static_cast<const c10::BFloat16*>(data_) + begin, length, buffer);
      break;
    case Kind::Double: {
      const double* const from = static_cast<const double*>(data_) + begin;
      for (std::int64_t i = 0; i < length; ++i) buffer[i] = static_cast<float>(from[i]);
      break;
    }
  }
  return buffer;
}

const double* Elements::doubles(std::int64_t begin, std::int64_t length, double* buffer) const {
  if (kind_ == Kind::Double) return static_cast<const double*>(data_) + begin;
  float narrow[kBlock];
  widen_float(floats(begin, length, narrow), length, buffer);
  return buffer;
}

}  // namespace mantissa::observe
