// SPDX-License-Identifier: Apache-2.0
#include "core/record/memory_comparison.h"

#include <cstddef>

namespace mantissa::record {
namespace {

std::optional<double> error_of(std::int64_t predicted, std::int64_t measured) {
  if (measured <= 0) return std::nullopt;
  return static_cast<double>(predicted - measured) / static_cast<double>(measured);
}

}  // namespace

std::optional<double> MemoryComparison::error() const {
  if (!predicted || !peak_bytes) return std::nullopt;
  return error_of(predicted->bytes, *peak_bytes);
}

std::optional<double> MemoryComparison::error(MemoryCategory category) const {
  if (!predicted || !measured) return std::nullopt;
  const auto place = static_cast<std::size_t>(category);
  return error_of(predicted->by_category[place], measured->by_category[place]);
}

}  // namespace mantissa::record
