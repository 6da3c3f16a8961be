// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/sha256.h"

namespace mantissa::data {

/// A digest of values together with their names and sizes, so that no two layouts share one.
class LayoutHash {
 public:
  explicit LayoutHash(std::string_view what) { add(what); }

  LayoutHash& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    hash_.add(text);
    return *this;
  }
  LayoutHash& add(std::int64_t number) {
    hash_.add(&number, sizeof number);
    return *this;
  }
  LayoutHash& add(const std::vector<std::string>& texts) {
    add(static_cast<std::int64_t>(texts.size()));
    for (const auto& text : texts) add(std::string_view(text));
    return *this;
  }
  LayoutHash& add(const std::vector<double>& numbers) { return add_numbers(numbers); }
  LayoutHash& add(const std::vector<std::int64_t>& numbers) { return add_numbers(numbers); }

  std::string hex() { return hash_.hex(); }

 private:
  template <typename Number>
  LayoutHash& add_numbers(const std::vector<Number>& numbers) {
    add(static_cast<std::int64_t>(numbers.size()));
    hash_.add(numbers.data(), numbers.size() * sizeof(Number));
    return *this;
  }

  Sha256 hash_;
};

}  // namespace mantissa::data
