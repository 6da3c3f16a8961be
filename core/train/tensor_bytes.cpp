// SPDX-License-Identifier: Apache-2.0
#include "core/train/tensor_bytes.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"

namespace mantissa::train {
namespace {

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 10> kWords = {{{at::kFloat, "F32"},
                                                                                 {at::kDouble, "F64"},
                                                                                 {at::kHalf, "F16"},
                                                                                 {at::kBFloat16, "BF16"},
                                                                                 {at::kLong, "I64"},
                                                                                 {at::kInt, "I32"},
                                                                                 {at::kShort, "I16"},
                                                                                 {at::kChar, "I8"},
                                                                                 {at::kByte, "U8"},
                                                                                 {at::kBool, "BOOL"}}};

}  // namespace

std::string dtype_word(at::ScalarType type) {
  for (const auto& [candidate, word] : kWords) {
    if (candidate == type) return std::string(word);
  }
  return c10::toString(type);
}

record::TensorBytes to_bytes(std::string name, const at::Tensor& tensor) {
  const at::Tensor whole = tensor.detach().to(at::kCPU).contiguous();
  record::TensorBytes bytes;
  bytes.name = std::move(name);
  bytes.dtype = dtype_word(whole.scalar_type());
  bytes.shape = whole.sizes().vec();
  bytes.bytes.assign(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
  return bytes;
}

at::Tensor to_tensor(const record::TensorBytes& bytes) {
  for (const auto& [type, word] : kWords) {
    if (word != bytes.dtype) continue;
    at::Tensor tensor = at::empty(bytes.shape, type);
    if (tensor.nbytes() != bytes.bytes.size()) break;
    if (!bytes.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), bytes.bytes.data(), bytes.bytes.size());
    return tensor;
  }
  throw Error(ErrorKind::ArchiveDamaged, {"a stored tensor whose bytes do not fit its dtype and shape", "", 0, 0,
                                          bytes.name, bytes.dtype, "", ""});
}

}  // namespace mantissa::train
