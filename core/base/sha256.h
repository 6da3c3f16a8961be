// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces. Locks, rules and stored tensors are named by it.
class Sha256 {
 public:
  Sha256& add(const void* bytes, std::size_t size);
  Sha256& add(std::string_view text) { return add(text.data(), text.size()); }

  /// The digest in 64 lower-case hexadecimal digits. The object starts anew afterwards.
  std::string hex();

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = initial_state();
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_size_ = 0;

  static std::array<std::uint32_t, 8> initial_state();
};

/// The digest of one text.
std::string sha256(std::string_view text);

/// The digest of a file's bytes. \throws Error FileProblem where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace mantissa
