// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::archive {

/// Little-endian doubles whatever the machine: archives travel.
inline std::string bytes_of(const std::vector<double>& values) {
  std::string bytes(values.size() * 8, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof bits);
    for (std::size_t k = 0; k < 8; ++k) bytes[8 * i + k] = static_cast<char>(bits >> (8 * k) & 0xff);
  }
  return bytes;
}

inline std::vector<double> values_of(std::string_view bytes) {
  std::vector<double> values(bytes.size() / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes[8 * i + k])} << (8 * k);
    }
    std::memcpy(&values[i], &bits, sizeof bits);
  }
  return values;
}

}  // namespace mantissa::archive
