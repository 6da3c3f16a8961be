// SPDX-License-Identifier: Apache-2.0
#include "core/spec/units.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/base/number_text.h"

namespace mantissa::spec {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array<Unit, 10> kByteUnits{{{"B", 1},
                                           {"kB", 1e3},
                                           {"KB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"KiB", 1024.0},
                                           {"MiB", 1024.0 * 1024},
                                           {"GiB", 1024.0 * 1024 * 1024},
                                           {"TiB", 1024.0 * 1024 * 1024 * 1024}}};

std::optional<double> quantity(std::string_view text, const Unit* first, const Unit* last) {
  const std::size_t end = text.find_first_not_of("0123456789.+-eE");
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = number_from_text(text.substr(0, end));
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  const std::size_t unit_at = text.find_first_not_of(' ', end);
  if (unit_at == std::string_view::npos) return std::nullopt;
  for (const Unit* unit = first; unit != last; ++unit) {
    if (text.substr(unit_at) == unit->first) return *number * unit->second;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> bytes_from_text(std::string_view text) {
  const auto bytes = quantity(text, kByteUnits.data(), kByteUnits.data() + kByteUnits.size());
  if (!bytes || *bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(*bytes));
}

std::optional<std::int64_t> bytes_of_unit(std::string_view unit) {
  for (const auto& [name, bytes] : kByteUnits) {
    if (name == unit) return static_cast<std::int64_t>(bytes);
  }
  return std::nullopt;
}

std::optional<double> seconds_from_text(std::string_view text) {
  constexpr std::array<Unit, 5> units{{{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
  return quantity(text, units.data(), units.data() + units.size());
}

}  // namespace mantissa::spec
